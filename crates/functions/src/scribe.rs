//! The scribe: writes one invocation's records and numbers them.

use crate::ports::{Clock, FirstCommit, Journal, Put, StoreError};
use evidence::record::{Fact, Record, Source};
use tokio::sync::Mutex;

/// What an invocation's records are about: their common head.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Who writes.
    pub source: Source,
    /// Trial id.
    pub trial: String,
    /// Delivery of the message, from 1.
    pub delivery: u32,
    /// Identity of the approved refund.
    pub refund_request_id: String,
    /// Lambda request id of the invocation.
    pub request_id: String,
}

/// Writes the records of one invocation. `seq` counts the records that are in the table: it moves on only after a
/// successful put, and one write waits for the other, so the numbers have no gaps even when step body and handler
/// share the scribe.
#[derive(Debug)]
pub struct Scribe<J, C> {
    subject: Subject,
    journal: J,
    clock: C,
    written: Mutex<u32>,
}

impl<J: Journal, C: Clock> Scribe<J, C> {
    /// A scribe that has written nothing yet.
    pub fn new(subject: Subject, journal: J, clock: C) -> Self {
        Self { subject, journal, clock, written: Mutex::new(0) }
    }

    /// Writes a record under an id of its own.
    ///
    /// # Errors
    /// When the journal cannot be written; the number is then not used up.
    pub async fn write(&self, attempt: u32, fact: Fact) -> Result<(), StoreError> {
        self.write_through(attempt, fact, async |record| self.journal.put(&record).await).await
    }

    /// Writes a record through another act than a plain put, for example a transaction.
    ///
    /// # Errors
    /// Those of `act`; the number is then not used up.
    pub async fn write_through(
        &self,
        attempt: u32,
        fact: Fact,
        act: impl AsyncFnOnce(Record) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut written = self.written.lock().await;
        let record = self.record(*written + 1, None, attempt, fact);
        act(record).await?;
        *written += 1;
        Ok(())
    }

    /// Writes a record through a commit that may find another's instead; then it is not written and uses up no number.
    ///
    /// # Errors
    /// Those of `act`.
    pub async fn write_if(
        &self,
        attempt: u32,
        fact: Fact,
        act: impl AsyncFnOnce(Record) -> Result<FirstCommit, StoreError>,
    ) -> Result<FirstCommit, StoreError> {
        let mut written = self.written.lock().await;
        let record = self.record(*written + 1, None, attempt, fact);
        let outcome = act(record).await?;
        if outcome == FirstCommit::Committed {
            *written += 1;
        }
        Ok(outcome)
    }

    /// Writes a record under a fixed id unless the trial has one already, so that replays and redeliveries do not
    /// repeat it. A refused put uses up no number.
    ///
    /// # Errors
    /// When the journal cannot be written.
    pub async fn write_once(&self, record_id: &str, attempt: u32, fact: Fact) -> Result<Put, StoreError> {
        let mut written = self.written.lock().await;
        let record = self.record(*written + 1, Some(record_id), attempt, fact);
        let put = self.journal.put_new(&record).await?;
        if put == Put::Written {
            *written += 1;
        }
        Ok(put)
    }

    fn record(&self, seq: u32, record_id: Option<&str>, attempt: u32, fact: Fact) -> Record {
        let Subject { source, trial, delivery, refund_request_id, request_id } = self.subject.clone();
        let at_ms = self.clock.now_ms();
        let record_id = record_id.map_or_else(|| format!("{at_ms:013}-{request_id}-{seq:04}"), ToOwned::to_owned);
        Record { source, record_id, trial, delivery, attempt, refund_request_id, request_id, seq, at_ms, fact }
    }
}
