//! The local cloud as AWS's own SDKs see it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests are not in #[test] functions"
)]

mod faults;
mod lambda;
mod s3;
mod sqs;
mod sts;
mod support;
mod wire;
