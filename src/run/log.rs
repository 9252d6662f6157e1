//! The run's journal and the state that it adds up to, always together.

use super::event::{ActOutcome, Event};
use super::state::{ActState, State, transition};
use crate::exit::Failure;
use evidence::journal::Writer;
use jiff::Timestamp;
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
}

impl RunLog {
    /// Starts a new journal.
    ///
    /// # Errors
    /// [`Failure::Internal`] if it cannot be written.
    pub fn create(path: &Path) -> Result<Self, Failure> {
        let writer = Writer::create(path).map_err(|e| Failure::Internal(e.to_string()))?;
        Ok(Self { inner: Mutex::new(Inner { writer, state: State::default() }) })
    }

    /// Takes a journal up again. A torn tail is cut; any other damage refuses.
    ///
    /// # Errors
    /// [`Failure::Unverified`] if the journal is damaged or tells an impossible story.
    pub fn resume(path: &Path) -> Result<Self, Failure> {
        let journal = evidence::journal::read::<Event>(path).map_err(|e| Failure::Unverified(e.to_string()))?;
        let events = journal.entries.into_iter().map(|e| e.event);
        let state = State::fold(events).map_err(|e| Failure::Unverified(format!("{}: {e}", path.display())))?;
        let writer = Writer::resume(path).map_err(|e| Failure::Unverified(e.to_string()))?;
        Ok(Self { inner: Mutex::new(Inner { writer, state }) })
    }

    /// Writes an event, if it may follow.
    ///
    /// # Errors
    /// [`Failure::Internal`] for a failed write or an illegal event.
    pub fn append(&self, event: Event) -> Result<(), Failure> {
        let mut inner = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
        let next = transition(inner.state.clone(), event.clone()).map_err(|e| Failure::Internal(e.to_string()))?;
        inner.writer.append(now_ms(), &event).map_err(|e| Failure::Internal(e.to_string()))?;
        inner.state = next;
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
