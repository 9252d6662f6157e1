//! Settles the creation ledger: stops what runs, closes what delivers, empties what is owned, deletes the stacks and
//! waits until each is gone by its id. It works from the ledger, never from a list of tags, and touches nothing that
//! ledger or tags do not prove to be the run's.

mod buckets;
mod custom;
mod executions;
mod fate;
mod input;
mod mappings;
mod ownership;
mod report;
mod slow;
mod stack;
mod stacks;
#[cfg(test)]
mod tests;
mod watch;

pub use fate::{Fate, Policies};
pub use input::{BucketEntry, FunctionEntry, Options, StackEntry, TeardownInput, TeardownLimits};
pub use report::{
    BucketReport, FailingResource, Note, Observer, Problem, SCHEMA, StackReport, StackResult, TeardownOutcome,
    TeardownReport,
};

use crate::cloud::{Clients, now_ms};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// What the steps share.
#[derive(Clone)]
struct Job {
    clients: Clients,
    input: Arc<TeardownInput>,
    limits: TeardownLimits,
    cancel: CancellationToken,
    observer: Arc<dyn Observer>,
}

/// Tears a run down. Every step runs whatever the step before came to, and the report holds each problem with the one
/// next command. A ledger without entries makes no call.
pub async fn teardown(
    input: TeardownInput,
    clients: &Clients,
    limits: TeardownLimits,
    cancel: &CancellationToken,
    observer: Arc<dyn Observer>,
) -> TeardownReport {
    let mut report = TeardownReport::begin(&input.run, now_ms());
    if input.is_empty() {
        return report.end(now_ms(), TeardownOutcome::NothingToDo);
    }
    let (clients, cancel) = (clients.clone(), cancel.clone());
    let job = Job { clients, input: Arc::new(input), limits, cancel, observer };
    mappings::disable(&job, &mut report).await;
    executions::stop(&job, &mut report).await;
    let held = buckets::empty(&job, &mut report).await;
    stacks::delete(&job, &held, &mut report).await;
    report.conclude(now_ms())
}
