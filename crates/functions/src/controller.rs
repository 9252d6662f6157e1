//! The independent controller: reads the caller's timeout record from the journal's stream, checks it against the
//! provider's commit, and only then opens the barrier. So the release depends on the recorded timeout.

use crate::config::ControllerConfig;
use crate::event::{StreamEvent, StreamRecord};
use crate::item::{self, ItemError};
use crate::ports::{Clock, Commits, StoreError};
use crate::scribe::{Scribe, Subject};
use evidence::record::{Fact, RELEASE_RECORD_ID, Record, Source, TimeoutSeen};

/// A controller with its ports and settings.
#[derive(Debug)]
pub struct Controller<S, C> {
    /// Own journal and the provider's.
    pub store: S,
    /// Wall clock.
    pub clock: C,
    /// Settings.
    pub config: ControllerConfig,
}

/// Why a batch fails, so that the stream delivers it again.
#[derive(Debug, thiserror::Error)]
pub enum ControllerError {
    /// A journal record that cannot be read.
    #[error("a record of the caller's journal is not readable: {0}")]
    Record(#[from] ItemError),
    /// A table failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Handles a batch of the caller journal's stream.
///
/// # Errors
/// When a record cannot be read or a table fails. What was written before stays; a second run repeats nothing.
pub async fn handle<S, C>(
    controller: &Controller<S, C>,
    event: &StreamEvent,
    request_id: &str,
) -> Result<(), ControllerError>
where
    S: Commits + Clone,
    C: Clock + Clone,
{
    for change in &event.records {
        if let Some(record) = timeout(change)? {
            answer(controller, &record, request_id).await?;
        }
    }
    Ok(())
}

/// The change's record, if it is a new timeout record.
fn timeout(change: &StreamRecord) -> Result<Option<Record>, ItemError> {
    let Some(image) = change.dynamodb.new_image.as_ref().filter(|_| change.event_name == "INSERT") else {
        return Ok(None);
    };
    let record: Record = item::from_image(image)?;
    Ok(Some(record).filter(|record| matches!(record.fact, Fact::CallerTimeoutRecorded { .. })))
}

async fn answer<S, C>(controller: &Controller<S, C>, timeout: &Record, request_id: &str) -> Result<(), ControllerError>
where
    S: Commits + Clone,
    C: Clock + Clone,
{
    let commits = controller.store.commits(&timeout.trial).await?;
    let scribe = Scribe::new(subject(timeout, request_id), controller.store.clone(), controller.clock.clone());
    match refusal(timeout, &commits, controller.config.clock_tolerance_ms) {
        None => {
            let fact = Fact::ReleaseSignalled { timeout: seen(timeout) };
            let put = scribe.write_once(RELEASE_RECORD_ID, timeout.attempt, fact).await?;
            tracing::info!(trial = timeout.trial, ?put, "release signalled");
        }
        Some(reason) => {
            tracing::warn!(trial = timeout.trial, reason, "release refused");
            // One refusal per timeout record, also when the stream delivers it again.
            let record_id = format!("refused-{}", timeout.record_id);
            scribe.write_once(&record_id, timeout.attempt, Fact::ReleaseRefused { reason }).await?;
        }
    }
    Ok(())
}

/// Why the timeout record must not open the barrier; `None` when it may.
fn refusal(timeout: &Record, commits: &[Record], clock_tolerance_ms: u32) -> Option<String> {
    let Fact::CallerTimeoutRecorded { deadline_ms, elapsed_ms } = timeout.fact else {
        return Some("the record is no timeout".to_owned());
    };
    if timeout.source != Source::Caller || timeout.refund_request_id.is_empty() {
        return Some("the record does not name the caller and a refund".to_owned());
    }
    if elapsed_ms < deadline_ms {
        return Some(format!("only {elapsed_ms} ms of the deadline's {deadline_ms} ms had passed"));
    }
    let same_call = |commit: &&Record| {
        commit.refund_request_id == timeout.refund_request_id
            && (commit.delivery, commit.attempt) == (timeout.delivery, timeout.attempt)
    };
    let Some(commit) = commits.iter().find(same_call) else {
        return Some("no commit of this call is in the provider's journal".to_owned());
    };
    let earliest_ms = commit.at_ms - i64::from(clock_tolerance_ms);
    (timeout.at_ms < earliest_ms).then(|| {
        format!("the timeout ({}) lies before the commit ({}) by more than the tolerance", timeout.at_ms, commit.at_ms)
    })
}

fn subject(timeout: &Record, request_id: &str) -> Subject {
    Subject {
        source: Source::Controller,
        trial: timeout.trial.clone(),
        delivery: timeout.delivery,
        refund_request_id: timeout.refund_request_id.clone(),
        request_id: request_id.to_owned(),
    }
}

fn seen(timeout: &Record) -> TimeoutSeen {
    TimeoutSeen {
        record_id: timeout.record_id.clone(),
        request_id: timeout.request_id.clone(),
        delivery: timeout.delivery,
        attempt: timeout.attempt,
        at_ms: timeout.at_ms,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Memory, TestClock, commit_record, controller, kinds, stream_event, timeout_record};

    async fn feed(memory: &Memory, records: &[Record]) {
        let controller = controller(memory.clone(), TestClock::default());
        handle(&controller, &stream_event(records), "req-c").await.unwrap();
    }

    #[tokio::test]
    async fn a_timeout_after_its_commit_opens_the_barrier_once() {
        let memory = Memory::default();
        memory.commit(commit_record(1_000));
        let timeout = timeout_record(4_000);
        feed(&memory, &[timeout.clone(), timeout.clone()]).await;
        let records = memory.records();
        assert_eq!(records.len(), 1);
        assert_eq!(records[0].record_id, RELEASE_RECORD_ID);
        assert_eq!(records[0].fact, Fact::ReleaseSignalled { timeout: seen(&timeout) });
    }

    #[tokio::test]
    async fn other_records_and_removals_are_ignored() {
        let memory = Memory::default();
        feed(&memory, &[crate::testing::record("canonical-3", 1_000)]).await;
        let controller = controller(memory.clone(), TestClock::default());
        let mut removal = stream_event(&[timeout_record(4_000)]);
        removal.records[0].event_name = "REMOVE".to_owned();
        removal.records[0].dynamodb.new_image = None;
        handle(&controller, &removal, "req-c").await.unwrap();
        assert!(memory.records().is_empty());
    }

    #[tokio::test]
    async fn without_the_commit_of_this_call_the_barrier_stays_closed() {
        for commit in [None, Some(Record { attempt: 2, ..commit_record(1_000) })] {
            let memory = Memory::default();
            commit.into_iter().for_each(|commit| memory.commit(commit));
            feed(&memory, &[timeout_record(4_000)]).await;
            assert_eq!(kinds(&memory), ["release_refused"]);
        }
    }

    #[tokio::test]
    async fn a_timeout_before_the_deadline_or_before_the_commit_is_refused() {
        let early = Record {
            fact: Fact::CallerTimeoutRecorded { deadline_ms: 3_000, elapsed_ms: 2_999 },
            ..timeout_record(4_000)
        };
        for (timeout, commit_ms) in [(early, 1_000), (timeout_record(4_000), 4_501)] {
            let memory = Memory::default();
            memory.commit(commit_record(commit_ms));
            feed(&memory, &[timeout]).await;
            assert_eq!(kinds(&memory), ["release_refused"]);
        }
    }

    #[tokio::test]
    async fn a_difference_within_the_tolerance_is_no_contradiction() {
        let memory = Memory::default();
        memory.commit(commit_record(4_500));
        feed(&memory, &[timeout_record(4_000)]).await;
        assert_eq!(kinds(&memory), ["release_signalled"]);
    }

    #[tokio::test]
    async fn an_unreadable_record_fails_the_batch() {
        let memory = Memory::default();
        let controller = controller(memory, TestClock::default());
        let mut event = stream_event(&[timeout_record(4_000)]);
        event.records[0].dynamodb.new_image.as_mut().unwrap().remove("kind");
        assert!(matches!(handle(&controller, &event, "req-c").await, Err(ControllerError::Record(_))));
    }
}
