//! Intent, act, outcome: no outside act without a journal line before and after it.

use super::session::Session;
use crate::cloud::{Failure as CallFailure, Outcome, Polled, RefusalKind, poll};
use crate::exit::Failure;
use crate::paused;
use crate::run::{ActOutcome, Event};
use std::time::Duration;

/// How often a throttled act is tried in all. It took no effect each time, so trying again is no blind repeat.
const ATTEMPTS: u32 = 8;
/// Before the second attempt; doubles.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
/// No pause is longer.
const LONGEST_PAUSE: Duration = Duration::from_secs(20);

impl Session {
    /// Journals the intent, acts, journals the outcome. `detail` is what a resumed process needs of the answer.
    /// A throttled act is tried again, with its own intent and outcome; nothing else is.
    pub(super) async fn act<T, F: Future<Output = Outcome<T>>>(
        &self,
        key: &str,
        recovery: &str,
        mut call: impl FnMut() -> F,
        detail: impl Fn(&T) -> String,
    ) -> Result<Outcome<T>, Failure> {
        let mut pause = FIRST_PAUSE;
        for _ in 1..ATTEMPTS {
            match self.once(key, recovery, call(), &detail).await? {
                Outcome::Refused(refusal) if refusal.kind == RefusalKind::Throttled => self.rest(&mut pause).await?,
                outcome => return Ok(outcome),
            }
        }
        self.once(key, recovery, call(), &detail).await
    }

    /// A write that may be repeated because its effect is the same each time; it needs no journal of its own.
    pub(super) async fn repeatable<T, F: Future<Output = Outcome<T>>>(
        &self,
        mut call: impl FnMut() -> F,
    ) -> Result<Outcome<T>, Failure> {
        let mut pause = FIRST_PAUSE;
        for _ in 1..ATTEMPTS {
            match call().await {
                Outcome::Refused(refusal) if refusal.kind == RefusalKind::Throttled => {}
                Outcome::Unknown(_) => {}
                outcome => return Ok(outcome),
            }
            self.rest(&mut pause).await?;
        }
        Ok(call().await)
    }

    /// Backs off; a signal ends it.
    async fn rest(&self, pause: &mut Duration) -> Result<(), Failure> {
        tokio::select! {
            () = self.cancel.cancelled() => return self.check_interrupt(),
            () = tokio::time::sleep(*pause) => {}
        }
        *pause = (*pause * 2).min(LONGEST_PAUSE);
        Ok(())
    }

    /// An act whose call repeats by itself.
    pub(super) async fn act_once<T>(
        &self,
        key: &str,
        recovery: &str,
        call: impl Future<Output = Result<Outcome<T>, Failure>>,
        detail: impl Fn(&T) -> String,
    ) -> Result<Outcome<T>, Failure> {
        self.log.append(Event::Intent { key: key.to_owned(), recovery: recovery.to_owned() })?;
        let outcome = call.await?;
        self.told(key, outcome, detail)
    }

    async fn once<T>(
        &self,
        key: &str,
        recovery: &str,
        call: impl Future<Output = Outcome<T>>,
        detail: impl Fn(&T) -> String,
    ) -> Result<Outcome<T>, Failure> {
        self.log.append(Event::Intent { key: key.to_owned(), recovery: recovery.to_owned() })?;
        let outcome = call.await;
        self.told(key, outcome, detail)
    }

    fn told<T>(&self, key: &str, outcome: Outcome<T>, detail: impl Fn(&T) -> String) -> Result<Outcome<T>, Failure> {
        match &outcome {
            Outcome::Done(value) => self.log.outcome(key, ActOutcome::Done, detail(value))?,
            Outcome::Refused(refusal) => self.log.outcome(key, ActOutcome::Refused, refusal.to_string())?,
            Outcome::Unknown(doubt) => self.log.outcome(key, ActOutcome::Unknown, doubt.to_string())?,
        }
        Ok(outcome)
    }
}

/// A call's failure as the run's: expired credentials pause, everything else stops.
pub(super) fn stop(what: &str, failure: &CallFailure) -> Failure {
    match failure {
        CallFailure::Refused(refusal) if refusal.kind == RefusalKind::Expired => paused::expired(what, failure),
        _ => Failure::Stopped(format!("{what}: {failure}")),
    }
}

/// How long a read is tried again that comes after the act that it looks at.
const LATE_READ_MS: u64 = 30_000;

impl Session {
    /// A read that looks at what is already done. Throttling and lost answers do not undo it: after a bounded time the
    /// reason is given instead of the answer, to flag the evidence with. Every other refusal stops the run.
    pub(super) async fn late_read<T, F: Future<Output = Outcome<T>>>(
        &self,
        what: &str,
        read: impl Fn() -> F,
    ) -> Result<Result<T, String>, Failure> {
        let look = || async { read().await.map(Some) };
        match poll::poll(self.pace(LATE_READ_MS), &self.cancel, look).await {
            Polled::Ready { value, .. } => Ok(Ok(value)),
            Polled::GaveUp { reason } => Ok(Err(format!("{what}: {reason}"))),
            Polled::Refused(refusal) => Err(stop(what, &CallFailure::Refused(refusal))),
            Polled::Cancelled => {
                self.check_interrupt()?;
                Err(Failure::Interrupted("stopped by a signal".to_owned()))
            }
        }
    }
}

/// The answer of a read, or the run's failure.
pub(super) fn answer<T>(what: &str, outcome: Outcome<T>) -> Result<T, Failure> {
    outcome.into_result().map_err(|failure| stop(what, &failure))
}
