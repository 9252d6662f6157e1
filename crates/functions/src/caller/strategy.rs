//! What the caller does with an outcome. This study's callers do the usual thing: anything but an answer is an error
//! for the retrying layer, which sees no more than an error and the number of attempts.

use crate::config::StepRetry;
use crate::provider_client::{CallOutcome, Effect, ProviderAnswer};
use aws_durable_execution_sdk::RetryDecision;
use std::time::Duration;

/// A call without an answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CallError {
    /// The deadline passed after dispatch.
    #[error(
        "no answer from the provider within {deadline_ms} ms: the outcome is unknown, the refund may have been executed"
    )]
    TimedOut {
        /// Application deadline, milliseconds.
        deadline_ms: u32,
    },
    /// The call failed after it left.
    #[error("{reason}: the outcome is unknown, the refund may have been executed")]
    Unclear {
        /// Why.
        reason: String,
    },
    /// The call failed and had no effect.
    #[error("{reason}: the refund was not executed")]
    Refused {
        /// Why.
        reason: String,
    },
}

impl CallError {
    /// Error type as Lambda and the durable history report it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::TimedOut { .. } => "ProviderTimeout",
            Self::Unclear { .. } => "ProviderOutcomeUnknown",
            Self::Refused { .. } => "ProviderCallRefused",
        }
    }
}

/// Raises everything but an answer.
///
/// # Errors
/// [`CallError`], which says whether the outcome is unknown.
pub fn conclude(outcome: CallOutcome, deadline_ms: u32) -> Result<ProviderAnswer, CallError> {
    match outcome {
        CallOutcome::Answered { answer, .. } => Ok(answer),
        CallOutcome::TimedOut { .. } => Err(CallError::TimedOut { deadline_ms }),
        CallOutcome::Failed { reason, effect: Effect::Possible } => Err(CallError::Unclear { reason }),
        CallOutcome::Failed { reason, effect: Effect::Excluded } => Err(CallError::Refused { reason }),
    }
}

/// The durable step's explicit strategy: a fixed number of attempts, a fixed delay, no jitter. `made` counts the
/// attempts made so far.
#[must_use]
pub fn after_attempt(retry: StepRetry, made: u32) -> RetryDecision {
    if made < retry.attempts {
        RetryDecision::Retry { delay: Duration::from_secs(u64::from(retry.delay_s)) }
    } else {
        RetryDecision::Stop
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timeout_says_that_the_outcome_is_unknown() {
        let error = conclude(CallOutcome::TimedOut { elapsed_ms: 3001 }, 3000).unwrap_err();
        assert_eq!(error.kind(), "ProviderTimeout");
        assert!(error.to_string().contains("the outcome is unknown"), "{error}");
    }

    #[test]
    fn only_a_call_without_effect_says_so() {
        let failed = |effect| CallOutcome::Failed { reason: "connection reset".to_owned(), effect };
        let unclear = conclude(failed(Effect::Possible), 3000).unwrap_err();
        assert!(unclear.to_string().contains("unknown"), "{unclear}");
        let refused = conclude(failed(Effect::Excluded), 3000).unwrap_err();
        assert!(refused.to_string().contains("not executed"), "{refused}");
    }

    #[test]
    fn two_attempts_are_sixty_seconds_apart_and_no_more_follow() {
        let retry = StepRetry { attempts: 2, delay_s: 60 };
        assert_eq!(after_attempt(retry, 1), RetryDecision::Retry { delay: Duration::from_secs(60) });
        assert_eq!(after_attempt(retry, 2), RetryDecision::Stop);
        assert_eq!(after_attempt(retry, 3), RetryDecision::Stop);
    }
}
