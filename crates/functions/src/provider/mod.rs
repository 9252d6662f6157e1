//! The payment provider: the only party that moves money.

pub mod contract;
pub mod scenario;

use crate::config::{CrashTreatment, ProviderConfig};
use crate::ports::{Clock, Ledger, StoreError};
use crate::provider_client::{ProviderAnswer, ProviderCall};
use crate::scribe::{Scribe, Subject};
use evidence::record::{Fact, Source};

/// A provider with its ports and settings.
#[derive(Debug)]
pub struct PaymentProvider<L, C> {
    /// Ledger, journal and barrier.
    pub ledger: L,
    /// Wall clock.
    pub clock: C,
    /// Settings.
    pub config: ProviderConfig,
}

/// How a call ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// With an answer.
    Answer(ProviderAnswer),
    /// With the end of the process, after the effect and before the answer (a test treatment).
    Crash,
}

/// Handles one call: record it, move the money, do what the scenario asks for, answer.
///
/// # Errors
/// When a table cannot be read or written. A failure after the commit leaves the effect in the ledger.
pub async fn handle<L, C>(
    provider: &PaymentProvider<L, C>,
    call: &ProviderCall,
    request_id: &str,
) -> Result<Reply, StoreError>
where
    L: Ledger + Clone,
    C: Clock + Clone,
{
    let subject = Subject {
        source: Source::Provider,
        trial: call.request.trial.clone(),
        delivery: call.delivery,
        refund_request_id: call.request.refund_request_id.clone(),
        request_id: request_id.to_owned(),
    };
    let scribe = Scribe::new(subject, provider.ledger.clone(), provider.clock.clone());
    let (amount_minor, currency) = (call.request.amount_minor, call.request.currency.clone());
    scribe.write(call.attempt, Fact::ProviderCallReceived { amount_minor, currency }).await?;
    let transaction_id = contract::execute(provider, &scribe, call, request_id).await?;
    tracing::info!(trial = call.request.trial, transaction_id, "the refund's transaction is in the ledger");
    if crashes(provider.config.crash, call) {
        return Ok(Reply::Crash);
    }
    scenario::before_answer(provider, &scribe, call, &transaction_id).await?;
    scribe.write(call.attempt, Fact::ResponseSent { transaction_id: transaction_id.clone() }).await?;
    Ok(Reply::Answer(ProviderAnswer { transaction_id }))
}

fn crashes(treatment: Option<CrashTreatment>, call: &ProviderCall) -> bool {
    match treatment {
        None => false,
        Some(CrashTreatment::First) => call.delivery == 1 && call.attempt == 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Memory, TestClock, call, kinds, provider};
    use evidence::record::Scenario;

    #[tokio::test]
    async fn a_control_call_commits_and_answers_at_once() {
        let memory = Memory::default();
        let provider = provider(memory.clone(), TestClock::default());
        let reply = handle(&provider, &call(Scenario::Control, 1, 1), "req-1").await.unwrap();
        let expected = ["provider_call_received", "provider_commit_confirmed", "response_sent"];
        assert_eq!(kinds(&memory), expected);
        assert_eq!(memory.transactions().len(), 1);
        let transaction_id = memory.transactions()[0].transaction_id.clone();
        assert_eq!(reply, Reply::Answer(ProviderAnswer { transaction_id }));
        memory.assert_unbroken_numbers();
    }

    #[tokio::test]
    async fn every_call_is_a_new_effect() {
        let memory = Memory::default();
        let provider = provider(memory.clone(), TestClock::default());
        for request_id in ["req-1", "req-2"] {
            handle(&provider, &call(Scenario::Control, 1, 1), request_id).await.unwrap();
        }
        let transactions = memory.transactions();
        assert_eq!(transactions.len(), 2);
        assert_ne!(transactions[0].transaction_id, transactions[1].transaction_id);
    }

    #[tokio::test]
    async fn the_crash_treatment_takes_the_answer_of_the_first_call_only() {
        let memory = Memory::default();
        let mut provider = provider(memory.clone(), TestClock::default());
        provider.config.crash = Some(CrashTreatment::First);
        let first = handle(&provider, &call(Scenario::Control, 1, 1), "req-1").await.unwrap();
        assert_eq!(first, Reply::Crash);
        assert_eq!(memory.transactions().len(), 1);
        let second = handle(&provider, &call(Scenario::Control, 2, 1), "req-2").await.unwrap();
        assert!(matches!(second, Reply::Answer(_)));
    }

    #[tokio::test]
    async fn a_ledger_that_refuses_gives_neither_effect_nor_record_nor_answer() {
        let memory = Memory::refusing_after(1);
        let provider = provider(memory.clone(), TestClock::default());
        handle(&provider, &call(Scenario::Control, 1, 1), "req-1").await.unwrap_err();
        assert!(memory.transactions().is_empty());
        assert_eq!(kinds(&memory), ["provider_call_received"]);
    }
}
