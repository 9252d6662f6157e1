//! The leak audit: what is left of a run, a study, a tag. Reading gives facts; judging is a function of the facts and
//! the time. Error is never absence: what could not be read is unknown, and the certificate names it.

mod allow;
mod arn;
mod certificate;
mod facts;
mod finding;
mod judge;
mod next;
mod read;
mod report;
mod scope;
mod streams;
mod table;
#[cfg(test)]
mod tests;
mod types;

pub use allow::AllowRule;
pub use arn::{Kind, Resource};
pub use certificate::{Cell, Certificate, Reach};
pub use facts::{Facts, Reading, Sighting, Source, StreamFacts, Window};
pub use finding::{Finding, Overall, Verdict};
pub use judge::judge;
pub use report::{AuditReport, SCHEMA};
pub use scope::{AuditLimits, AuditScope, DurableFunction, Inventory, InventoryResource, InventoryStream};
pub use streams::{ParentTable, RESIDUE_MS, judge_stream};
pub use table::render;

use crate::cloud::{Clients, now_ms};
use report::Earlier;
use tokio_util::sync::CancellationToken;

/// Reads, waits the settle time, reads again, and judges the last reading at the harness's time. An audit that is
/// cancelled before its last reading is inconclusive.
pub async fn audit(
    scope: &AuditScope,
    clients: &Clients,
    limits: AuditLimits,
    cancel: &CancellationToken,
) -> AuditReport {
    audit_at(scope, clients, limits, cancel, now_ms).await
}

/// As [`audit`], with the clock as an argument: what is judged by time may live by another clock.
pub async fn audit_at(
    scope: &AuditScope,
    clients: &Clients,
    limits: AuditLimits,
    cancel: &CancellationToken,
    clock: impl Fn() -> i64,
) -> AuditReport {
    let started_at_ms = clock();
    let first = read::read(scope, clients, limits, clock()).await;
    if limits.settle.is_zero() {
        return AuditReport::conclude(scope, started_at_ms, first, None, clock());
    }
    tokio::select! {
        () = cancel.cancelled() => return AuditReport::cut_short(scope, started_at_ms, first, clock()),
        () = tokio::time::sleep(limits.settle) => {}
    }
    let earlier = Earlier::of(first, scope, clock());
    let second = read::read(scope, clients, limits, clock()).await;
    AuditReport::conclude(scope, started_at_ms, second, Some(&earlier), clock())
}
