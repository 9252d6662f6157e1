//! What the handlers need from outside, as small traits: the AWS side is in `dynamo` and `provider_client`, the
//! test side in memory.

use evidence::record::{Record, Transaction};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A table could not be read or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{operation} failed: {detail}")]
pub struct StoreError {
    /// DynamoDB operation.
    pub operation: &'static str,
    /// The service's words, without payloads.
    pub detail: String,
}

/// Result of a conditional put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Put {
    /// The record is new.
    Written,
    /// A record with this id was there before; nothing changed.
    AlreadyThere,
}

/// Result of a commit that only the refund's first call may make.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FirstCommit {
    /// This call moved the money.
    Committed,
    /// An earlier call did, with this transaction; nothing changed.
    AlreadyThere(Transaction),
    /// Another call's write was under way on the same item, nothing changed; looking again tells how that one ended.
    Conflict,
}

/// A journal table that takes records.
pub trait Journal: Send + Sync {
    /// Writes a record whose id is its own.
    fn put(&self, record: &Record) -> impl Future<Output = Result<(), StoreError>> + Send;
    /// Writes a record unless one with its id exists.
    fn put_new(&self, record: &Record) -> impl Future<Output = Result<Put, StoreError>> + Send;
}

/// The provider's side: ledger, own journal and the controller's release.
pub trait Ledger: Journal {
    /// Writes transaction and record in one atomic write: both or neither.
    fn commit(&self, entry: &Transaction, record: &Record) -> impl Future<Output = Result<(), StoreError>> + Send;
    /// The same, unless the ledger has a transaction with the entry's id.
    fn commit_first(
        &self,
        entry: &Transaction,
        record: &Record,
    ) -> impl Future<Output = Result<FirstCommit, StoreError>> + Send;
    /// `record_id` of the trial's release, read strongly consistent; `None` while the barrier is closed.
    fn release(&self, trial: &str) -> impl Future<Output = Result<Option<String>, StoreError>> + Send;
}

/// The controller's view of the provider.
pub trait Commits: Journal {
    /// The provider's `provider_commit_confirmed` records of the trial, read strongly consistent.
    fn commits(&self, trial: &str) -> impl Future<Output = Result<Vec<Record>, StoreError>> + Send;
}

/// Wall clock and sleep.
pub trait Clock: Send + Sync {
    /// Milliseconds since the Unix epoch, UTC.
    fn now_ms(&self) -> i64;
    /// Waits.
    fn sleep(&self, time: Duration) -> impl Future<Output = ()> + Send;
}

/// The machine's clock.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH);
        since.map_or(0, |d| i64::try_from(d.as_millis()).unwrap_or(i64::MAX))
    }

    fn sleep(&self, time: Duration) -> impl Future<Output = ()> + Send {
        tokio::time::sleep(time)
    }
}
