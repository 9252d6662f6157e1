//! Lambda behind SQS: on a failure the invocation fails, and the queue owns the retry.

use super::{Caller, CallerError, Work};
use crate::event::SqsEvent;
use crate::ports::{Clock, Journal};
use crate::provider_client::{Provider, ProviderAnswer};
use std::sync::Arc;

/// Handles one delivery with one provider call.
///
/// # Errors
/// Any failure, so that Lambda reports a failed invocation and the message becomes visible again when its
/// visibility timeout, counted from receipt, expires.
pub async fn handle<J, P, C>(
    caller: Arc<Caller<J, P, C>>,
    event: &SqsEvent,
    request_id: &str,
) -> Result<ProviderAnswer, CallerError>
where
    J: Journal + Clone,
    P: Provider,
    C: Clock + Clone,
{
    let work = Work::new(caller, event.delivery()?, request_id);
    tracing::info!(trial = work.delivery.request.trial, delivery = work.delivery.number, "refund request received");
    work.begin().await?;
    let result = work.attempt(1).await;
    work.finish(result.is_ok()).await;
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{FakeProvider, Memory, TestClock, caller, event, kinds};
    use evidence::record::Scenario;

    async fn deliver(journal: &Memory, provider: FakeProvider, number: u32) -> Result<ProviderAnswer, CallerError> {
        let caller = Arc::new(caller(journal.clone(), provider, TestClock::default()));
        handle(caller, &event("canonical-3", Scenario::CommitThenTimeout, number), &format!("req-{number}")).await
    }

    #[tokio::test]
    async fn an_answer_finishes_the_request() {
        let journal = Memory::default();
        let answer = deliver(&journal, FakeProvider::answers("txn-1"), 1).await.unwrap();
        assert_eq!(answer.transaction_id, "txn-1");
        let expected = [
            "state_changed:RECEIVED",
            "state_changed:PROCESSING",
            "dispatch_started",
            "response_received",
            "state_changed:FINISHED:SUCCEEDED",
        ];
        assert_eq!(kinds(&journal), expected);
        journal.assert_unbroken_numbers();
    }

    #[tokio::test]
    async fn a_timeout_fails_the_invocation_and_the_redelivery_succeeds() {
        let journal = Memory::default();
        let error = deliver(&journal, FakeProvider::times_out(), 1).await.unwrap_err();
        assert_eq!(error.kind(), "ProviderTimeout");
        deliver(&journal, FakeProvider::answers("txn-2"), 2).await.unwrap();
        let expected = [
            "state_changed:RECEIVED",
            "state_changed:PROCESSING",
            "dispatch_started",
            "caller_timeout_recorded",
            "effect_knowledge:UNKNOWN",
            "caller_failed",
            "dispatch_started",
            "response_received",
            "state_changed:FINISHED:SUCCEEDED",
        ];
        assert_eq!(kinds(&journal), expected);
        journal.assert_unbroken_numbers();
    }

    #[tokio::test]
    async fn only_the_last_delivery_finishes_as_failed() {
        let journal = Memory::default();
        deliver(&journal, FakeProvider::times_out(), 1).await.unwrap_err();
        assert!(!kinds(&journal).contains(&"state_changed:FINISHED:FAILED".to_owned()));
        deliver(&journal, FakeProvider::times_out(), 2).await.unwrap_err();
        assert_eq!(kinds(&journal).last().unwrap(), "state_changed:FINISHED:FAILED");
        let unknown = kinds(&journal).iter().filter(|kind| kind.starts_with("effect_knowledge")).count();
        assert_eq!(unknown, 1, "UNKNOWN is entered once");
        journal.assert_unbroken_numbers();
    }

    #[tokio::test]
    async fn a_provider_that_dies_leaves_the_effect_unknown_without_a_timeout() {
        let journal = Memory::default();
        let error = deliver(&journal, FakeProvider::dies(), 1).await.unwrap_err();
        assert!(error.to_string().contains("the outcome is unknown"), "{error}");
        assert!(kinds(&journal).contains(&"effect_knowledge:UNKNOWN".to_owned()));
        assert!(!kinds(&journal).contains(&"caller_timeout_recorded".to_owned()));
    }

    #[tokio::test]
    async fn a_journal_that_refuses_before_the_call_keeps_the_provider_untouched() {
        let (journal, provider) = (Memory::refusing_after(2), FakeProvider::answers("txn-1"));
        let error = deliver(&journal, provider.clone(), 1).await.unwrap_err();
        assert_eq!(error.kind(), "JournalUnavailable");
        assert_eq!(provider.calls(), 0);
    }

    #[tokio::test]
    async fn a_journal_that_refuses_after_the_answer_does_not_cause_a_second_call() {
        let journal = Memory::refusing_after(3);
        deliver(&journal, FakeProvider::answers("txn-1"), 1).await.unwrap();
        assert_eq!(kinds(&journal).last().unwrap(), "dispatch_started");
    }
}
