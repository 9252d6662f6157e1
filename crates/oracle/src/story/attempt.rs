//! The caller's side of provider calls, folded from the records of one invocation.

use super::{Entry, Refused};
use evidence::record::{Fact, FinishReason, Knowledge, RequestState};

/// A provider call as the caller saw it. Without an outcome the caller died or failed before it could write one.
pub(crate) struct Attempt<'a> {
    pub(crate) dispatch: Entry<'a>,
    pub(crate) response: Option<Entry<'a>>,
    pub(crate) timeout: Option<Entry<'a>>,
    pub(crate) failed: Option<Entry<'a>>,
}

/// What has been seen of one invocation so far.
#[derive(Default)]
struct Invocation<'a> {
    attempts: Vec<Attempt<'a>>,
    /// The newest attempt still waits for its outcome.
    open: bool,
    delivery: Option<u32>,
}

impl<'a> Invocation<'a> {
    fn take(&mut self, entry: Entry<'a>) -> Result<(), &'static str> {
        if *self.delivery.get_or_insert(entry.record.delivery) != entry.record.delivery {
            return Err("names another delivery than its invocation");
        }
        match &entry.record.fact {
            Fact::DispatchStarted { .. } => self.dispatch(entry),
            Fact::ResponseReceived { .. } => self.outcome(entry).map(|attempt| attempt.response = Some(entry)),
            Fact::CallerTimeoutRecorded { .. } => self.outcome(entry).map(|attempt| attempt.timeout = Some(entry)),
            Fact::CallerFailed { .. } | Fact::EffectKnowledge { .. } if !self.of_last_attempt(&entry) => {
                Err("is of another attempt than the one before it")
            }
            Fact::CallerFailed { .. } => self.fail(entry),
            Fact::EffectKnowledge { value: Knowledge::Unknown } if !self.unanswered() => {
                Err("says UNKNOWN without a call whose outcome is unknown")
            }
            Fact::StateChanged { to: RequestState::Finished, .. } if self.open => {
                Err("finishes while a provider call waits for its outcome")
            }
            Fact::StateChanged { to: RequestState::Finished, reason: Some(FinishReason::Failed), .. }
                if self.attempts.last().is_some_and(|attempt| attempt.response.is_some()) =>
            {
                Err("finishes FAILED after a response")
            }
            _ => Ok(()),
        }
    }

    fn dispatch(&mut self, entry: Entry<'a>) -> Result<(), &'static str> {
        if self.open {
            return Err("begins while the call before it waits for its outcome");
        }
        if self.attempts.iter().any(|attempt| attempt.dispatch.same_attempt(&entry)) {
            return Err("repeats an attempt of its invocation");
        }
        self.attempts.push(Attempt { dispatch: entry, response: None, timeout: None, failed: None });
        self.open = true;
        Ok(())
    }

    fn outcome(&mut self, entry: Entry<'a>) -> Result<&mut Attempt<'a>, &'static str> {
        let open = std::mem::take(&mut self.open);
        match self.attempts.last_mut() {
            Some(attempt) if open && attempt.dispatch.same_attempt(&entry) => {
                if attempt.dispatch.record.refund_request_id == entry.record.refund_request_id {
                    Ok(attempt)
                } else {
                    Err("names another refund than its dispatch")
                }
            }
            _ => Err("has no dispatch that waits for it"),
        }
    }

    fn of_last_attempt(&self, entry: &Entry<'a>) -> bool {
        self.attempts.last().is_none_or(|attempt| attempt.dispatch.same_attempt(entry))
    }

    fn fail(&mut self, entry: Entry<'a>) -> Result<(), &'static str> {
        self.open = false;
        if let Some(attempt) = self.attempts.last_mut() {
            attempt.failed = Some(entry);
        }
        Ok(())
    }

    /// A timeout is not the only way to lose knowledge: the provider may die while it is called.
    fn unanswered(&self) -> bool {
        self.attempts.iter().any(|attempt| attempt.response.is_none())
    }
}

/// Folds the records of one caller request, ordered by `seq`.
pub(super) fn fold<'a>(group: &[Entry<'a>], refused: &mut Vec<Refused<'a>>) -> Vec<Attempt<'a>> {
    let mut invocation = Invocation::default();
    for &entry in group {
        if let Err(why) = invocation.take(entry) {
            refused.push(Refused { entry, why });
        }
    }
    invocation.attempts
}
