//! Intent, act, outcome: no outside act without a journal line before and after it.

use super::session::Session;
use crate::cloud::{Failure as CallFailure, Outcome, RefusalKind};
use crate::exit::Failure;
use crate::run::{ActOutcome, Event};

impl Session {
    /// Journals the intent, acts, journals the outcome. `detail` is what a resumed process needs of the answer.
    pub(super) async fn act<T>(
        &self,
        key: &str,
        recovery: &str,
        call: impl Future<Output = Outcome<T>>,
        detail: impl FnOnce(&T) -> String,
    ) -> Result<Outcome<T>, Failure> {
        self.log.append(Event::Intent { key: key.to_owned(), recovery: recovery.to_owned() })?;
        let outcome = call.await;
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
        CallFailure::Refused(refusal) if refusal.kind == RefusalKind::Expired => {
            Failure::Paused(format!("{what}: {refusal}; renew the credentials"))
        }
        _ => Failure::Stopped(format!("{what}: {failure}")),
    }
}

/// The answer of a read, or the run's failure.
pub(super) fn answer<T>(what: &str, outcome: Outcome<T>) -> Result<T, Failure> {
    outcome.into_result().map_err(|failure| stop(what, &failure))
}
