//! The evidence crate from outside: freezing, verifying, journaling and publishing on a real file system.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking, as tests do")]

mod attacks;
mod chain;
mod disk;
mod freeze;
mod journal;
mod killed;
mod publish;
mod records;
mod shell;
mod stranger;
mod support;
mod tamper;
