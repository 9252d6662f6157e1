//! Everything outside: the only module that names an AWS SDK.
//!
//! Each call ends as [`Outcome`]: done, refused, or unknown. A write leaves at most once; reads repeat within a
//! bound; a listing that hits its page cap is unknown, never a short list.

pub mod buckets;
pub mod budget;
pub mod clients;
pub mod clock;
pub mod control;
pub mod cost;
pub mod executions;
pub mod functions;
pub mod identity;
pub mod keys;
pub mod listing;
pub mod logs;
pub mod mappings;
pub mod mask;
pub mod outcome;
pub mod poll;
pub mod queues;
pub mod quotas;
pub mod reach;
pub mod roles;
pub mod secrets;
pub mod stacks;
pub mod streams;
pub mod tables;
pub mod tag_index;
pub mod target;
#[cfg(test)]
pub(crate) mod testing;

mod classify;
mod connect;
mod expiry;
mod wire;

pub use budget::{Budget, Budgets, Lane};
pub use clients::{Clients, Tuning};
pub use connect::ConnectError;
pub use listing::{Listing, PageCap};
pub use outcome::{Doubt, Failure, Outcome, Refusal, RefusalKind};
pub use poll::{Pace, Polled};
pub use target::{EndpointKind, Surroundings, Target};

/// Milliseconds since the Unix epoch, UTC.
#[must_use]
pub fn now_ms() -> i64 {
    jiff::Timestamp::now().as_millisecond()
}

/// Milliseconds since the Unix epoch of an SDK timestamp.
fn millis(at: &aws_smithy_types::DateTime) -> i64 {
    at.to_millis().unwrap_or(i64::MAX)
}
