//! Polling: interval, back-off with jitter, attempts, total time, and cancellation as an argument.

use super::outcome::{Failure, Outcome, Refusal, RefusalKind};
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// How a poll goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Between looks that were answered.
    pub interval: Duration,
    /// Longest pause that back-off may reach.
    pub ceiling: Duration,
    /// In all.
    pub timeout: Duration,
    /// Looks, at most.
    pub attempts: u32,
}

/// How a poll ended.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Polled<T> {
    /// What was waited for.
    Ready {
        /// The answer.
        value: T,
        /// Looks that were throttled or unanswered on the way; evidence is flagged with them.
        disturbed: u32,
    },
    /// A look was refused for good.
    Refused(Refusal),
    /// Time or attempts ran out.
    GaveUp {
        /// What ran out, and the last disturbance.
        reason: String,
    },
    /// Somebody asked to stop.
    Cancelled,
}

impl<T> Polled<T> {
    /// The answer, or why there is none.
    ///
    /// # Errors
    /// [`Failure`], where running out of time and being cancelled are doubts.
    pub fn into_result(self, operation: &str) -> Result<T, Failure> {
        match self {
            Self::Ready { value, .. } => Ok(value),
            Self::Refused(refusal) => Err(Failure::Refused(refusal)),
            Self::GaveUp { reason } => Err(Failure::unknown(operation, reason)),
            Self::Cancelled => Err(Failure::unknown(operation, "interrupted while waiting")),
        }
    }
}

/// Looks until there is an answer. A throttled or unanswered look backs off and does not end the poll; expired
/// credentials and every other refusal do.
pub async fn poll<T, F, Fut>(pace: Pace, cancel: &CancellationToken, mut look: F) -> Polled<T>
where
    F: FnMut() -> Fut,
    Fut: Future<Output = Outcome<Option<T>>>,
{
    let deadline = Instant::now() + pace.timeout;
    let mut pause = pace.interval;
    let mut disturbed = 0_u32;
    let mut last = None;
    for _ in 0..pace.attempts {
        let seen = tokio::select! {
            biased;
            () = cancel.cancelled() => return Polled::Cancelled,
            seen = look() => seen.into_result(),
        };
        match seen {
            Ok(Some(value)) => return Polled::Ready { value, disturbed },
            Ok(None) => pause = pace.interval,
            Err(Failure::Refused(refusal)) if refusal.kind != RefusalKind::Throttled => {
                return Polled::Refused(refusal);
            }
            Err(failure) => {
                disturbed += 1;
                pause = (pause * 2).min(pace.ceiling);
                last = Some(failure);
            }
        }
        let next = jitter(pause);
        if Instant::now() + next > deadline {
            return gave_up(&format!("no end within {:?}", pace.timeout), last.as_ref());
        }
        tokio::select! {
            biased;
            () = cancel.cancelled() => return Polled::Cancelled,
            () = tokio::time::sleep(next) => {}
        }
    }
    gave_up(&format!("no end within {} looks", pace.attempts), last.as_ref())
}

fn gave_up<T>(what: &str, last: Option<&Failure>) -> Polled<T> {
    let reason = last.map_or_else(|| what.to_owned(), |failure| format!("{what}; last disturbance: {failure}"));
    Polled::GaveUp { reason }
}

/// The pause, shortened or lengthened by up to a fifth, so that many pollers do not march in step.
#[must_use]
pub(super) fn jitter(pause: Duration) -> Duration {
    let random = RandomState::new().hash_one(0) % 401;
    pause * u32::try_from(800 + random).unwrap_or(1_000) / 1_000
}

#[cfg(test)]
mod tests {
    use super::{CancellationToken, Duration, Failure, Outcome, Pace, Polled, RefusalKind, jitter, poll};
    use std::cell::Cell;

    const PACE: Pace = Pace {
        interval: Duration::from_millis(1),
        ceiling: Duration::from_millis(4),
        timeout: Duration::from_secs(60),
        attempts: 20,
    };

    async fn run(answers: &[Result<Option<u32>, Failure>]) -> Polled<u32> {
        let next = Cell::new(0);
        poll(PACE, &CancellationToken::new(), || {
            let at = next.replace(next.get() + 1);
            let answer = answers.get(at).cloned().unwrap_or(Ok(None));
            async { Outcome::from(answer) }
        })
        .await
    }

    fn throttled() -> Failure {
        Failure::refused(RefusalKind::Throttled, "Throttling", "Rate exceeded")
    }

    #[tokio::test]
    async fn throttled_and_unanswered_looks_do_not_end_the_poll() {
        let answers = [Ok(None), Err(throttled()), Err(Failure::unknown("X", "timeout")), Ok(Some(7))];
        assert_eq!(run(&answers).await, Polled::Ready { value: 7, disturbed: 2 });
    }

    #[tokio::test]
    async fn expired_credentials_end_it_at_once() {
        let expired = Failure::refused(RefusalKind::Expired, "ExpiredToken", "x");
        assert!(matches!(run(&[Ok(None), Err(expired)]).await, Polled::Refused(r) if r.kind == RefusalKind::Expired));
    }

    #[tokio::test]
    async fn it_gives_up_and_says_what_disturbed_it() {
        let ended = run(&vec![Err(throttled()); 20]).await;
        assert!(
            matches!(&ended, Polled::GaveUp { reason } if reason.contains("20 looks") && reason.contains("Throttling")),
            "{ended:?}"
        );
    }

    #[tokio::test]
    async fn cancelling_ends_a_back_off() {
        let cancel = CancellationToken::new();
        let looks = Cell::new(0);
        let slow = Pace { interval: Duration::from_secs(30), ..PACE };
        let ended: Polled<u32> = poll(slow, &cancel, || {
            looks.set(looks.get() + 1);
            cancel.cancel();
            async { Outcome::Done(None) }
        })
        .await;
        assert_eq!((ended, looks.get()), (Polled::Cancelled, 1));
    }

    #[test]
    fn jitter_stays_within_a_fifth() {
        for _ in 0..200 {
            let pause = jitter(Duration::from_secs(10));
            assert!((Duration::from_secs(8)..=Duration::from_secs(12)).contains(&pause), "{pause:?}");
        }
    }
}
