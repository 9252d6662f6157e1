//! Durable executions ("Lambda durable functions"): what the service keeps of one, and what moves it on.
//!
//! An execution is a log of operations that the SDK in the function checkpoints, and a history of events for
//! readers. One task drives each execution: it invokes the function, fires timers (waits, retry delays, callback
//! and execution timeouts) by the cloud's clock, and invokes again when something has become ready.

mod callback;
mod chained;
mod checkpoint;
mod driver;
mod envelope;
mod event;
mod execution;
mod operation;
mod start;
mod store;
mod timer;
mod update;

#[cfg(test)]
mod tests;

pub(crate) use callback::{complete as complete_callback, heartbeat};
pub(crate) use checkpoint::{checkpoint, state_page};
pub(crate) use execution::{Execution, Status};
pub(crate) use start::{start, wait_ended};
pub(crate) use store::Executions;
