//! The run's journal and the state that it adds up to, always together.

use super::event::{ActOutcome, Event};
use super::state::{ActState, Created, State, transition};
use crate::exit::Failure;
use evidence::journal::Writer;
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Appends events with `fsync` and keeps the derived state. Shared by concurrent acts.
#[derive(Debug)]
pub struct RunLog {
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    writer: Writer<Event>,
    state: State,
    /// When each act was intended last, by key.
    intended: BTreeMap<String, i64>,
}

impl RunLog {
    /// Starts a new journal.
    ///
    /// # Errors
    /// [`Failure::Internal`] if it cannot be written.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        let writer = Writer::create(path).map_err(|e| Failure::Internal(e.to_string()))?;
        Ok(Self { inner: Mutex::new(Inner { writer, state: State::default(), intended: BTreeMap::new() }) })
    }

    /// Takes a journal up again. A torn tail is cut; any other damage refuses.
    ///
    /// # Errors
    /// [`Failure::Unverified`] if the journal is damaged or tells an impossible story.
    pub fn resume(path: &Path) -> Result<Self, Failure> {
        let journal = evidence::journal::read::<Event>(path).map_err(|e| Failure::Unverified(e.to_string()))?;
        let intents = journal.entries.iter().filter_map(|entry| match &entry.event {
            Event::Intent { key, .. } => Some((key.clone(), entry.at_ms)),
            _ => None,
        });
        let intended = intents.collect();
        let events = journal.entries.into_iter().map(|e| e.event);
        let state = State::fold(events).map_err(|e| Failure::Unverified(format!("{}: {e}", path.display())))?;
        let writer = Writer::resume(path).map_err(|e| Failure::Unverified(e.to_string()))?;
        Ok(Self { inner: Mutex::new(Inner { writer, state, intended }) })
    }

    /// Writes an event, if it may follow.
    ///
    /// # Errors
    /// [`Failure::Internal`] for a failed write or an illegal event.
    pub fn append(&self, event: Event) -> Result<(), Failure> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let next = transition(inner.state.clone(), event.clone()).map_err(|e| Failure::Internal(e.to_string()))?;
        let at_ms = now_ms();
        inner.writer.append(at_ms, &event).map_err(|e| Failure::Internal(e.to_string()))?;
        inner.state = next;
        if let Event::Intent { key, .. } = event {
            inner.intended.insert(key, at_ms);
        }
        Ok(())
    }

    /// Writes an act's outcome.
    ///
    /// # Errors
    /// As [`RunLog::append`].
    pub fn outcome(&self, key: &str, outcome: ActOutcome, detail: impl Into<String>) -> Result<(), Failure> {
        self.append(Event::Outcome { key: key.to_owned(), outcome, detail: detail.into() })
    }

    /// A copy of the state.
    #[must_use]
    pub fn state(&self) -> State {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).state.clone()
    }

    /// When an act was intended last, milliseconds since the epoch: the earliest moment at which it can have happened.
    #[must_use]
    pub fn intended_at_ms(&self, key: &str) -> Option<i64> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).intended.get(key).copied()
    }

    /// Whether the creation ledger holds this already.
    #[must_use]
    pub fn has_created(&self, created: &Created) -> bool {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).state.created.contains(created)
    }

    /// Where an act stands.
    #[must_use]
    pub fn act(&self, key: &str) -> Option<ActState> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner).state.acts.get(key).cloned()
    }
}

/// The harness's wall clock, milliseconds since the epoch.
#[must_use]
pub fn now_ms() -> i64 {
    Timestamp::now().as_millisecond()
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::digest::Digest;
    use evidence::stage::{Grade, Origin};

    #[test]
    fn a_resumed_log_knows_when_an_act_was_intended() {
        let folder = tempfile::tempdir().expect("folder");
        let path = folder.path().join("journal.jsonl");
        let log = RunLog::create(&path).expect("journal");
        let origin = Origin {
            endpoint_kind: "foreign".into(),
            endpoint: None,
            account: "000000000000".into(),
            region: "us-east-1".into(),
            partition: "aws".into(),
        };
        let start = Event::RunStarted {
            run: "r".into(),
            plan_digest: Digest::of(b"p"),
            grade: Grade::Rehearsal,
            origin,
            pid: 1,
        };
        log.append(start).expect("start");
        let before = now_ms();
        log.append(Event::Intent { key: "dispatch/1".into(), recovery: String::new() }).expect("intent");
        let at = log.intended_at_ms("dispatch/1").expect("intended");
        assert!((before..=now_ms()).contains(&at), "{at}");
        drop(log);
        let again = RunLog::resume(&path).expect("resume");
        assert_eq!(again.intended_at_ms("dispatch/1"), Some(at));
        assert_eq!(again.intended_at_ms("dispatch/2"), None);
    }
}
