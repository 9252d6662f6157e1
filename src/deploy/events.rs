//! Waiting for a stack by its events, which also tell how it goes: one call a look. The stack itself is read only
//! when its own events move, and once at the end.

use super::cause::root_cause;
use crate::cloud::stacks::{self, StackEvent, StackState};
use crate::cloud::{Clients, Outcome, Pace, PageCap, Polled, poll};
use crate::progress::{Notice, Progress};
use std::sync::{Mutex, PoisonError};
use tokio_util::sync::CancellationToken;

/// Tells a stack's events and keeps them.
#[derive(Debug)]
pub struct Teller {
    progress: Progress,
    component: String,
    seen: Mutex<Vec<StackEvent>>,
}

impl Teller {
    /// Tells under this name.
    #[must_use]
    pub fn new(progress: &Progress, component: &str) -> Self {
        Self { progress: progress.clone(), component: component.to_owned(), seen: Mutex::default() }
    }

    /// Everything seen so far, oldest first.
    #[must_use]
    pub fn seen(&self) -> Vec<StackEvent> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Reads what is new and tells it; whether one of the new events is the stack's own.
    pub async fn look(&self, clients: &Clients, stack_id: &str) -> Outcome<bool> {
        let last = self.seen.lock().unwrap_or_else(PoisonError::into_inner).last().map(|e| e.event_id.clone());
        let batch = stacks::new_events(clients, stack_id, last.as_deref()).await;
        batch.map(|batch| {
            batch.events.iter().for_each(|event| self.tell(event));
            // A gap may hide the stack's own event.
            let moved = batch.truncated || batch.events.iter().any(|e| e.physical_id.as_deref() == Some(stack_id));
            self.seen.lock().unwrap_or_else(PoisonError::into_inner).extend(batch.events);
            moved || last.is_none()
        })
    }

    /// Takes note of what happened before, without telling it.
    pub(super) async fn look_silently(&self, clients: &Clients, stack_id: &str) -> Outcome<()> {
        let batch = stacks::new_events(clients, stack_id, None).await;
        batch.map(|batch| self.seen.lock().unwrap_or_else(PoisonError::into_inner).extend(batch.events))
    }

    fn tell(&self, event: &StackEvent) {
        self.progress.tell(&Notice::Stack {
            component: self.component.clone(),
            resource: event.logical_id.clone(),
            status: event.status.clone(),
            reason: event.reason.clone().unwrap_or_default(),
        });
    }
}

/// Waits until a stack is settled and no longer in the status that it starts from.
pub async fn wait_for_end(
    clients: &Clients,
    stack_id: &str,
    teller: &Teller,
    pace: Pace,
    cancel: &CancellationToken,
) -> Polled<StackState> {
    poll::poll(pace, cancel, || async {
        match teller.look(clients, stack_id).await {
            Outcome::Done(true) => {
                let state = stacks::describe(clients, stack_id).await;
                state.map(|state| state.status.is_settled().then_some(state))
            }
            Outcome::Done(false) => Outcome::Done(None),
            other => other.map(|_| None),
        }
    })
    .await
}

/// The root cause of a stack's failed operation: that of `token` if its events carry it, else the newest ones read.
/// What the teller has not seen is read; early validation is asked for last.
pub async fn why_it_failed(clients: &Clients, stack_id: &str, teller: &Teller, token: Option<&str>) -> Option<String> {
    let mut events = teller.seen();
    if events.is_empty() {
        events = stacks::all_events(clients, stack_id, PageCap::default()).await.done().unwrap_or_default();
    }
    let known = token.filter(|t| events.iter().any(|e| e.token.as_deref() == Some(t)));
    // Endpoints that do not know DescribeEvents have no early validation either.
    let findings = stacks::findings(clients, stack_id, PageCap::default()).await.done().unwrap_or_default();
    root_cause(&events, known, &findings)
}
