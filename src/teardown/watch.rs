//! Watches one deletion: tells its events, and waits as long as what is known to be slow may take.

use super::custom;
use super::report::Note;
use super::slow::{Slow, Waiting};
use super::{Job, TeardownLimits};
use crate::cloud::Outcome;
use crate::cloud::Pace;
use crate::cloud::poll::{Polled, poll};
use crate::cloud::stacks::{self, StackEvent, StackState, StackStatus};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// One stack under deletion.
pub(super) struct Watch<'a> {
    job: &'a Job,
    name: &'a str,
    id: &'a str,
    seen: Mutex<Seen>,
}

#[derive(Debug, Default)]
struct Seen {
    /// Newest event so far.
    last: Option<String>,
    waiting: Waiting,
    /// Custom resources that were spoken of already.
    spoken: Vec<String>,
}

impl<'a> Watch<'a> {
    pub(super) fn new(job: &'a Job, name: &'a str, id: &'a str) -> Self {
        Self { job, name, id, seen: Mutex::default() }
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until the stack is settled. What is known to be slow gets the time that is normal for it, however short
    /// the limit of a stack is.
    pub(super) async fn settled(&self, before: &StackStatus) -> Polled<StackState> {
        let limits = self.job.limits;
        let asked = Instant::now();
        let mut deadline = asked + limits.stack.timeout;
        loop {
            let timeout = deadline.saturating_duration_since(Instant::now());
            let ended = self.look_until(before, asked, Pace { timeout, ..limits.stack }).await;
            let Polled::GaveUp { reason } = ended else { return ended };
            match self.later(&limits, deadline) {
                Some(later) => deadline = later,
                None => return Polled::GaveUp { reason: self.why(reason).await },
            }
        }
    }

    /// A later deadline, if something slow may still take so long that another look makes sense.
    fn later(&self, limits: &TeardownLimits, deadline: Instant) -> Option<Instant> {
        let until = self.seen().waiting.until(limits)?;
        let soon = Instant::now() + limits.stack.interval * 2;
        (until > deadline && until > soon).then_some(until)
    }

    async fn why(&self, reason: String) -> String {
        let silent = self.seen().waiting.silent();
        if silent.is_empty() {
            return reason;
        }
        format!("{reason}; {}", custom::silence(self.job, self.id, &silent).await)
    }

    /// CloudFormation may show the status from before the request for a while; a stack that does not move is refused
    /// as soon as an event says why, and at the latest after the grace time.
    async fn look_until(&self, before: &StackStatus, asked: Instant, pace: Pace) -> Polled<StackState> {
        let looks = Mutex::new(0_u32);
        poll(pace, &self.job.cancel, || async {
            let state = match stacks::describe(&self.job.clients, self.id).await.into_result() {
                Ok(state) => state,
                Err(failure) => return Err(failure).into(),
            };
            self.tell_events().await;
            if state.status == *before && state.status != StackStatus::DeleteInProgress {
                let seen = {
                    let mut looks = looks.lock().unwrap_or_else(PoisonError::into_inner);
                    *looks += 1;
                    *looks
                };
                return Outcome::Done(self.stays(seen, asked.elapsed()).await.then_some(state));
            }
            Outcome::Done(state.status.is_settled().then_some(state))
        })
        .await
    }

    async fn stays(&self, looks: u32, waited: Duration) -> bool {
        waited >= self.job.limits.unmoved || (looks > 1 && self.reason_to_stay().await.is_some())
    }

    /// What the newest events say about a deletion that does not happen.
    pub(super) async fn reason_to_stay(&self) -> Option<String> {
        let events = stacks::new_events(&self.job.clients, self.id, None).await.done().unwrap_or_default().events;
        events
            .into_iter()
            .rev()
            .filter_map(|e| e.reason)
            .find(|r| r.contains("in use by") || r.contains("Delete cancel"))
    }

    async fn tell_events(&self) {
        let last = self.seen().last.clone();
        let Some(batch) = stacks::new_events(&self.job.clients, self.id, last.as_deref()).await.done() else { return };
        for event in &batch.events {
            self.seen().waiting.note(event);
        }
        for event in &batch.events {
            let hint = self.hint(event).await;
            // The first look holds the stack's whole life; of that, only what makes this deletion slow is news.
            if last.is_some() || hint.is_some() {
                self.job.observer.note(&Note::Event { stack: self.name, event, hint: hint.as_deref() });
            }
        }
        if let Some(newest) = batch.events.last() {
            self.seen().last = Some(newest.event_id.clone());
        }
    }

    /// What a person should know about a slow deletion, once for each custom resource.
    async fn hint(&self, event: &StackEvent) -> Option<String> {
        let slow = Slow::of(event)?;
        let id = event.logical_id.clone();
        {
            let mut seen = self.seen();
            if !seen.waiting.holds(&id) || (slow == Slow::Custom && seen.spoken.contains(&id)) {
                return None;
            }
            seen.spoken.push(id.clone());
        }
        Some(match slow {
            Slow::Interfaces => "ENI reaper, normal up to 45 min".to_owned(),
            Slow::Custom => custom::silence(self.job, self.id, &[id]).await,
        })
    }
}
