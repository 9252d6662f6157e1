//! The bootstrap binary as Lambda starts it, against a stand-in for the runtime API and the services.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "helpers of tests are tests")]

mod bootstrap;
mod stand_in;
