//! The provider client that both callers share: one Lambda `Invoke` under the application's deadline, SDK retries
//! off, so that the only retry in play is the architecture's.

use aws_sdk_lambda::Client;
use aws_sdk_lambda::config::StalledStreamProtectionConfig;
use aws_sdk_lambda::error::{DisplayErrorContext, SdkError};
use aws_sdk_lambda::operation::invoke::{InvokeError, InvokeOutput};
use aws_sdk_lambda::primitives::Blob;
use aws_smithy_types::retry::RetryConfig;
use aws_smithy_types::timeout::TimeoutConfig;
use evidence::record::RefundRequest;
use serde::{Deserialize, Serialize};
use std::time::{Duration, Instant};

/// What the caller hands to the provider. There is no idempotency key, on purpose: it is what the study is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderCall {
    /// The approved refund.
    pub request: RefundRequest,
    /// Delivery of the caller's message, from 1.
    pub delivery: u32,
    /// Call within the delivery, from 1.
    pub attempt: u32,
}

/// The provider's answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProviderAnswer {
    /// Ledger transaction of this call.
    pub transaction_id: String,
}

/// What the caller can know after a call. A deadline that passes after dispatch says only that the caller stopped
/// waiting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallOutcome {
    /// The provider answered in time.
    Answered {
        /// Its answer.
        answer: ProviderAnswer,
        /// Since dispatch, milliseconds.
        elapsed_ms: u32,
    },
    /// The call failed before the deadline.
    Failed {
        /// Why, without payloads.
        reason: String,
        /// Whether the provider may have acted all the same.
        effect: Effect,
    },
    /// The deadline passed after dispatch: the outcome is unknown.
    TimedOut {
        /// Since dispatch, milliseconds; never less than the deadline.
        elapsed_ms: u32,
    },
}

/// Whether a failed call may have had its effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// It never left, or the service refused it.
    Excluded,
    /// It left; the failure does not say how far it came.
    Possible,
}

/// The one way to the provider.
pub trait Provider: Send + Sync {
    /// Calls once; no retry of any kind.
    fn call(&self, call: &ProviderCall, deadline: Duration) -> impl Future<Output = CallOutcome> + Send;
}

/// The provider behind Lambda `Invoke`, `RequestResponse`.
#[derive(Clone, Debug)]
pub struct LambdaProvider {
    client: Client,
    function: String,
}

impl LambdaProvider {
    /// A client for the function with this name or ARN. Retries, SDK timeouts and stalled-stream protection are
    /// off: the deadline given to [`Provider::call`] is the only clock.
    #[must_use]
    pub fn new(config: &aws_config::SdkConfig, function: String) -> Self {
        let config = aws_sdk_lambda::config::Builder::from(config)
            .retry_config(RetryConfig::standard().with_max_attempts(1))
            .timeout_config(TimeoutConfig::disabled())
            .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
            .build();
        Self { client: Client::from_conf(config), function }
    }
}

impl Provider for LambdaProvider {
    async fn call(&self, call: &ProviderCall, deadline: Duration) -> CallOutcome {
        let payload = match serde_json::to_vec(call) {
            Ok(payload) => Blob::new(payload),
            Err(error) => return excluded(format!("the call could not be written: {error}")),
        };
        let invoke = self.client.invoke().function_name(&self.function).payload(payload).send();
        let started = Instant::now();
        let outcome = tokio::time::timeout(deadline, invoke).await;
        let elapsed_ms = u32::try_from(started.elapsed().as_millis()).unwrap_or(u32::MAX);
        match outcome {
            Err(_) => CallOutcome::TimedOut { elapsed_ms },
            Ok(Ok(output)) => answered(&output, elapsed_ms),
            Ok(Err(error)) => failed(&error),
        }
    }
}

fn answered(output: &InvokeOutput, elapsed_ms: u32) -> CallOutcome {
    if let Some(error) = output.function_error() {
        // The provider's process may have ended after its commit, so its failure excludes nothing.
        return possible(format!("the provider function failed ({error})"));
    }
    let payload = output.payload().map(Blob::as_ref).unwrap_or_default();
    match serde_json::from_slice(payload) {
        Ok(answer) => CallOutcome::Answered { answer, elapsed_ms },
        Err(error) => possible(format!("the provider's answer is not readable: {error}")),
    }
}

fn failed(error: &SdkError<InvokeError>) -> CallOutcome {
    let reason = DisplayErrorContext(error).to_string();
    match error {
        SdkError::ConstructionFailure(_) => excluded(reason),
        SdkError::DispatchFailure(failure) if failure.is_user() => excluded(reason),
        SdkError::ServiceError(refusal) if refusal.raw().status().is_client_error() => excluded(reason),
        // A broken connection or a 5xx leaves open whether the function ran.
        _ => possible(reason),
    }
}

fn excluded(reason: String) -> CallOutcome {
    CallOutcome::Failed { reason, effect: Effect::Excluded }
}

fn possible(reason: String) -> CallOutcome {
    CallOutcome::Failed { reason, effect: Effect::Possible }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_error_leaves_the_effect_open() {
        let output = InvokeOutput::builder().status_code(200).function_error("Unhandled").build();
        assert!(matches!(answered(&output, 5), CallOutcome::Failed { effect: Effect::Possible, .. }));
    }

    #[test]
    fn an_answer_that_is_no_answer_leaves_the_effect_open() {
        let output = InvokeOutput::builder().status_code(200).payload(Blob::new("null")).build();
        assert!(matches!(answered(&output, 5), CallOutcome::Failed { effect: Effect::Possible, .. }));
    }

    #[test]
    fn a_call_that_never_left_excludes_the_effect() {
        let outcome = failed(&SdkError::construction_failure("no region"));
        assert!(matches!(outcome, CallOutcome::Failed { effect: Effect::Excluded, .. }));
        let outcome = failed(&SdkError::timeout_error("connect"));
        assert!(matches!(outcome, CallOutcome::Failed { effect: Effect::Possible, .. }));
    }
}
