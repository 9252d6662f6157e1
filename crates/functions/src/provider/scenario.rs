//! What happens between the commit and the answer: the trial's treatment.

use super::PaymentProvider;
use crate::ports::{Clock, Ledger, StoreError};
use crate::provider_client::ProviderCall;
use crate::scribe::Scribe;
use evidence::record::{Fact, Scenario};
use std::time::Duration;

/// Returns when the answer may leave. `COMMIT_THEN_TIMEOUT` holds it behind the trial's barrier, which the controller
/// opens once the caller's timeout is on record; later calls of the trial find it open.
///
/// # Errors
/// When a table cannot be read or written.
pub(super) async fn before_answer<L, C>(
    provider: &PaymentProvider<L, C>,
    scribe: &Scribe<L, C>,
    call: &ProviderCall,
    transaction_id: &str,
) -> Result<(), StoreError>
where
    L: Ledger,
    C: Clock,
{
    match call.request.scenario {
        Scenario::Control => Ok(()),
        Scenario::CommitThenTimeout => {
            if provider.ledger.release(&call.request.trial).await?.is_some() {
                return Ok(());
            }
            let transaction_id = transaction_id.to_owned();
            scribe.write(call.attempt, Fact::BarrierEntered { transaction_id }).await?;
            let left = hold(provider, &call.request.trial).await?;
            scribe.write(call.attempt, left).await
        }
    }
}

/// Waits for the release, at most for the hold limit, and says how the wait ended.
async fn hold<L: Ledger, C: Clock>(provider: &PaymentProvider<L, C>, trial: &str) -> Result<Fact, StoreError> {
    let poll = Duration::from_millis(u64::from(provider.config.hold_poll_ms));
    let entered_ms = provider.clock.now_ms();
    loop {
        if let Some(release) = provider.ledger.release(trial).await? {
            return Ok(Fact::BarrierReleased { release });
        }
        let waited_ms = u32::try_from(provider.clock.now_ms() - entered_ms).unwrap_or(0);
        if waited_ms >= provider.config.hold_limit_ms {
            return Ok(Fact::BarrierExpired { waited_ms });
        }
        provider.clock.sleep(poll).await;
    }
}

#[cfg(test)]
mod tests {
    use crate::provider::{Reply, handle};
    use crate::testing::{Memory, TestClock, call, kinds, provider};
    use evidence::record::{Fact, Scenario};

    #[tokio::test]
    async fn the_first_call_waits_for_the_release() {
        let (memory, clock) = (Memory::default(), TestClock::default());
        let provider = provider(memory.clone(), clock.clone());
        memory.open_at(clock.start_ms() + 3_100);
        let reply = handle(&provider, &call(Scenario::CommitThenTimeout, 1, 1), "req-1").await.unwrap();
        assert!(matches!(reply, Reply::Answer(_)));
        let expected = [
            "provider_call_received",
            "provider_commit_confirmed",
            "barrier_entered",
            "barrier_released",
            "response_sent",
        ];
        assert_eq!(kinds(&memory), expected);
        assert!(clock.elapsed_ms() >= 3_100);
        memory.assert_unbroken_numbers();
    }

    #[tokio::test]
    async fn a_later_call_passes_the_open_barrier() {
        let (memory, clock) = (Memory::default(), TestClock::default());
        let provider = provider(memory.clone(), clock.clone());
        memory.open_at(clock.start_ms());
        handle(&provider, &call(Scenario::CommitThenTimeout, 2, 1), "req-2").await.unwrap();
        assert_eq!(kinds(&memory), ["provider_call_received", "provider_commit_confirmed", "response_sent"]);
        assert_eq!(clock.elapsed_ms(), 0);
    }

    #[tokio::test]
    async fn a_barrier_that_nobody_opens_expires_at_its_limit() {
        let (memory, clock) = (Memory::default(), TestClock::default());
        let provider = provider(memory.clone(), clock.clone());
        handle(&provider, &call(Scenario::CommitThenTimeout, 1, 1), "req-1").await.unwrap();
        let waited = memory.records().into_iter().find_map(|record| match record.fact {
            Fact::BarrierExpired { waited_ms } => Some(waited_ms),
            _ => None,
        });
        assert_eq!(waited, Some(provider.config.hold_limit_ms));
        assert_eq!(kinds(&memory).last().unwrap(), "response_sent");
    }
}
