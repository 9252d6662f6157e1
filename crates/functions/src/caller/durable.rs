//! Lambda durable functions: one step with an explicit retry strategy; the second attempt happens inside the same
//! execution.

use super::{Caller, CallerError, Work, strategy};
use crate::config::StepRetry;
use crate::event::SqsEvent;
use crate::ports::{Clock, Journal};
use crate::provider_client::{Provider, ProviderAnswer};
use aws_durable_execution_sdk::{
    BoxError, DurableContext, OperationError, OperationErrorKind, StepErrorKind, StepSemantics, TypedError,
};
use std::sync::Arc;

/// Name of the one step.
pub const STEP: &str = "refund-attempt";

/// Handles one delivery as one durable execution. Every invocation of the execution runs this from the start;
/// what stands outside the step is therefore recorded once per trial, and what the step does is recorded inside it.
///
/// # Errors
/// When the event is not for this function, the journal refuses before the call, or the step's attempts are used
/// up. The execution then fails, which the event source mapping passes on to the queue.
pub async fn handle<J, P, C>(
    caller: Arc<Caller<J, P, C>>,
    retry: StepRetry,
    event: SqsEvent,
    ctx: DurableContext,
) -> Result<ProviderAnswer, BoxError>
where
    J: Journal + Clone + 'static,
    P: Provider + 'static,
    C: Clock + Clone + 'static,
{
    let delivery = event.delivery().map_err(|error| typed(error.into()))?;
    let work = Arc::new(Work::new(caller, delivery, &ctx.lambda_context().request_id));
    let trial = &work.delivery.request.trial;
    tracing::info!(trial, delivery = work.delivery.number, replaying = ctx.is_replaying(), "refund request received");
    work.begin().await.map_err(|error| typed(error.into()))?;
    let body = Arc::clone(&work);
    let result = ctx
        .step(move |step| async move { body.attempt(step.attempt()).await.map_err(typed) })
        .name(STEP)
        .semantics(StepSemantics::AtLeastOncePerRetry)
        .retry_strategy(move |_error, made| strategy::after_attempt(retry, made))
        .await;
    match &result {
        Ok(_) => work.finish(true).await,
        Err(error) if used_up(error) => work.finish(false).await,
        Err(_) => {}
    }
    Ok(result?)
}

/// Keeps the error's own name in the durable history, where a plain error would read `Error`.
fn typed(error: CallerError) -> BoxError {
    Box::new(TypedError::with_type(error.kind(), error))
}

/// Whether the step failed for good, as opposed to a replay that went wrong.
fn used_up(error: &OperationError) -> bool {
    let OperationErrorKind::Step(step) = error.kind() else { return false };
    matches!(step.kind(), StepErrorKind::ExecutionFailed { .. } | StepErrorKind::RetriesExhausted(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::provider_client::CallOutcome;
    use crate::testing::{FakeProvider, Memory, TestClock, caller, event, kinds};
    use aws_durable_execution_sdk::test_util::{LocalRunner, TestResult};
    use evidence::record::Scenario;
    use std::time::Duration;

    const RETRY: StepRetry = StepRetry { attempts: 2, delay_s: 60 };

    async fn execute(journal: &Memory, provider: FakeProvider, delivery: u32) -> TestResult<ProviderAnswer> {
        let clock = TestClock::default();
        // The runner gives every invocation the same request id, so time alone tells their records apart.
        clock.sleep(Duration::from_secs(60 * u64::from(delivery))).await;
        let caller = Arc::new(caller(journal.clone(), provider, clock));
        let handler = move |event, ctx| handle(Arc::clone(&caller), RETRY, event, ctx);
        LocalRunner::new().run(handler, event("canonical-4", Scenario::CommitThenTimeout, delivery)).await
    }

    #[tokio::test]
    async fn an_answer_ends_the_execution_in_one_invocation() {
        let journal = Memory::default();
        let result = execute(&journal, FakeProvider::answers("txn-1"), 1).await;
        assert!(result.is_success());
        assert_eq!(result.output().unwrap().transaction_id, "txn-1");
        assert_eq!(result.operations()[0].name(), Some(STEP));
        assert_eq!(result.invocation_count(), 1);
    }

    #[tokio::test]
    async fn the_second_attempt_happens_inside_the_same_execution_and_repeats_no_record() {
        let journal = Memory::default();
        let provider = FakeProvider::times_out().then(CallOutcome::Answered {
            answer: ProviderAnswer { transaction_id: "txn-2".to_owned() },
            elapsed_ms: 9,
        });
        let result = execute(&journal, provider.clone(), 1).await;
        assert!(result.is_success());
        assert_eq!((result.invocation_count(), provider.calls()), (2, 2));
        assert_eq!(provider.attempts(), [1, 2]);
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
    }

    #[tokio::test]
    async fn used_up_attempts_fail_the_execution_and_only_the_last_delivery_finishes() {
        let journal = Memory::default();
        let result = execute(&journal, FakeProvider::times_out(), 1).await;
        assert!(result.is_failure());
        let message = result.operations()[0].error_message().unwrap_or_default().to_owned();
        assert!(message.contains("the outcome is unknown"), "{message}");
        assert_eq!(result.operations()[0].error_type(), Some("ProviderTimeout"));
        assert!(!kinds(&journal).iter().any(|kind| kind.contains("FINISHED")));
        let second = execute(&journal, FakeProvider::times_out(), 2).await;
        assert!(second.is_failure());
        assert_eq!(kinds(&journal).last().unwrap(), "state_changed:FINISHED:FAILED");
        assert_eq!(kinds(&journal).iter().filter(|kind| *kind == "dispatch_started").count(), 4);
    }

    #[tokio::test]
    async fn an_event_that_is_no_refund_request_fails_before_any_step() {
        let journal = Memory::default();
        let caller = Arc::new(caller(journal.clone(), FakeProvider::answers("txn"), TestClock::default()));
        let handler = move |event, ctx| handle(Arc::clone(&caller), RETRY, event, ctx);
        let result = LocalRunner::new().run(handler, SqsEvent { records: Vec::new() }).await;
        assert!(result.is_failure());
        assert!(result.operations().is_empty());
        assert!(kinds(&journal).is_empty());
    }
}
