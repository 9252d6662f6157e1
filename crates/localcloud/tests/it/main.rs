//! The local cloud as AWS's own SDKs see it.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests are not in #[test] functions"
)]

mod cloudformation;
mod dynamodb;
mod faults;
mod iam;
mod lambda;
mod logs;
mod nasty;
mod s3;
mod sqs;
mod streams;
mod sts;
mod support;
mod tagging;
mod wire;
