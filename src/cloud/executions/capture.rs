//! Keeps the bytes of an answer, so that evidence holds what the service sent and not what a type kept of it.

use crate::cloud::outcome::{Failure, require};
use aws_smithy_runtime_api::box_error::BoxError;
use aws_smithy_runtime_api::client::interceptors::Intercept;
use aws_smithy_runtime_api::client::interceptors::context::AfterDeserializationInterceptorContextRef;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::config_bag::ConfigBag;
use evidence::trial::HistoryEvent;
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};

/// The body of the last answer.
#[derive(Clone, Debug, Default)]
pub(super) struct Capture(Arc<Mutex<Vec<u8>>>);

impl Capture {
    pub(super) fn take(&self) -> Vec<u8> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Intercept for Capture {
    fn name(&self) -> &'static str {
        "assay answer capture"
    }

    fn read_after_deserialization(
        &self,
        context: &AfterDeserializationInterceptorContextRef<'_>,
        _: &RuntimeComponents,
        _: &mut ConfigBag,
    ) -> Result<(), BoxError> {
        let bytes = context.response().body().bytes().unwrap_or_default().to_vec();
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = bytes;
        Ok(())
    }
}

/// Events of a `GetDurableExecutionHistory` answer.
pub(super) fn events(operation: &str, body: &[u8]) -> Result<Vec<HistoryEvent>, Failure> {
    let answer: Value = serde_json::from_slice(body).map_err(|e| Failure::unknown(operation, e.to_string()))?;
    let events = answer.get("Events").and_then(Value::as_array);
    require(operation, "Events", events)?.iter().map(|event| one(operation, event)).collect()
}

fn one(operation: &str, event: &Value) -> Result<HistoryEvent, Failure> {
    let text = |member: &str| event.get(member).and_then(Value::as_str).map(str::to_owned);
    let event_type = require(operation, "EventType", text("EventType"))?;
    let at = require(operation, "EventTimestamp", event.get("EventTimestamp").and_then(Value::as_f64))?;
    Ok(HistoryEvent {
        event_id: require(operation, "EventId", event.get("EventId").and_then(Value::as_i64))?,
        id: text("Id"),
        name: text("Name"),
        at_ms: seconds_to_millis(at),
        details: event.get(format!("{event_type}Details")).cloned().unwrap_or(Value::Null),
        event_type,
    })
}

/// Epoch seconds with a fraction, as REST-JSON writes timestamps.
#[allow(clippy::cast_possible_truncation, reason = "rounded, and far inside i64 for any date")]
fn seconds_to_millis(seconds: f64) -> i64 {
    (seconds * 1_000.0).round() as i64
}

#[cfg(test)]
mod tests {
    use super::events;

    #[test]
    fn events_keep_the_services_own_details() {
        let body = br#"{"Events":[{"EventType":"StepFailed","EventId":3,"Id":"a","Name":"refund-attempt",
            "EventTimestamp":1764532431.123,"StepFailedDetails":{"RetryDetails":{"NextAttemptDelaySeconds":60}}},
            {"EventType":"StepStarted","EventId":4,"EventTimestamp":1764532431,"StepStartedDetails":{}}]}"#;
        let events = events("X", body).expect("events");
        assert_eq!(events[0].at_ms, 1_764_532_431_123);
        assert_eq!(events[0].details["RetryDetails"]["NextAttemptDelaySeconds"], 60);
        assert_eq!((events[1].event_id, events[1].id.clone()), (4, None));
    }

    #[test]
    fn an_event_without_its_time_is_unknown() {
        assert!(events("X", br#"{"Events":[{"EventType":"StepStarted","EventId":1}]}"#).is_err());
        assert!(events("X", b"{}").is_err());
    }
}
