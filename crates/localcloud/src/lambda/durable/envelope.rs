//! What the service sends to a durable function, and what it gets back.

use super::execution::{Execution, Status};
use crate::time::epoch_seconds;
use serde_json::{Value, json};

/// Most bytes of operations that travel inside an invocation; the SDK fetches the rest.
const INLINE_LIMIT: usize = 4 * 1024 * 1024;

/// A function's answer.
#[derive(Debug, PartialEq)]
pub(super) enum Reply {
    Succeeded(Option<String>),
    Failed(Value),
    Pending,
    /// Not an answer of a durable function.
    Invalid(String),
}

impl Execution {
    /// The log as the SDK sees it, led by the execution itself.
    pub(super) fn rendered_operations(&self) -> Vec<Value> {
        let own = json!({
            "Id": self.id,
            "Name": self.name,
            "Type": "EXECUTION",
            "Status": if self.status == Status::Running { "STARTED" } else { self.status.wire() },
            "StartTimestamp": epoch_seconds(self.started_ms),
            "ExecutionDetails": {"InputPayload": self.input},
        });
        std::iter::once(own).chain(self.operations.iter().map(super::operation::Operation::render)).collect()
    }

    /// The invocation's payload.
    pub(super) fn envelope(&self, token: &str) -> Value {
        let mut inline = Vec::new();
        let mut size = 0;
        let mut state = json!({});
        for (place, operation) in self.rendered_operations().into_iter().enumerate() {
            size += operation.to_string().len();
            if place > 0 && size > INLINE_LIMIT {
                state["NextMarker"] = place.to_string().into();
                break;
            }
            inline.push(operation);
        }
        state["Operations"] = Value::Array(inline);
        json!({"DurableExecutionArn": self.arn, "CheckpointToken": token, "InitialExecutionState": state})
    }
}

/// Reads a function's answer.
pub(super) fn reply(body: &[u8]) -> Reply {
    let Ok(value) = serde_json::from_slice::<Value>(body) else {
        return Reply::Invalid("Invalid JSON in invocation output.".to_owned());
    };
    match value.get("Status").and_then(Value::as_str) {
        Some("SUCCEEDED") => Reply::Succeeded(value.get("Result").and_then(Value::as_str).map(str::to_owned)),
        Some("FAILED") => Reply::Failed(value.get("Error").cloned().unwrap_or_else(|| json!({}))),
        Some("PENDING") => Reply::Pending,
        _ => Reply::Invalid("Invalid Status in invocation output.".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_by_status() {
        assert_eq!(reply(br#"{"Status":"SUCCEEDED","Result":"1"}"#), Reply::Succeeded(Some("1".into())));
        assert_eq!(reply(br#"{"Status":"PENDING"}"#), Reply::Pending);
        assert_eq!(
            reply(br#"{"Status":"FAILED","Error":{"ErrorType":"E"}}"#),
            Reply::Failed(json!({"ErrorType": "E"}))
        );
        assert!(matches!(reply(b"\"hello\""), Reply::Invalid(_)));
        assert!(matches!(reply(b"{"), Reply::Invalid(_)));
    }
}
