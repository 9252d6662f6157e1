//! Events of an execution's history, in the shapes of the service model.

use super::operation::Operation;
use crate::time::epoch_seconds;
use serde_json::{Map, Value, json};

/// One event; its id is its place in the history, from 1.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) at_ms: i64,
    /// `EventType`, for example `StepStarted`.
    pub(crate) kind: String,
    /// Id, Name, SubType and ParentId, where the event belongs to an operation.
    subject: Map<String, Value>,
    details: Value,
}

impl Event {
    /// An event of the execution as a whole.
    pub(crate) fn of_execution(at_ms: i64, kind: &str, name: Option<(&str, &str)>, details: Value) -> Self {
        let mut subject = Map::new();
        if let Some((id, name)) = name {
            subject.insert("Id".into(), id.into());
            subject.insert("Name".into(), name.into());
        }
        Self { at_ms, kind: kind.to_owned(), subject, details }
    }

    /// An event of an operation.
    pub(crate) fn of_operation(at_ms: i64, operation: &Operation, change: &str, details: Value) -> Self {
        let mut subject = Map::new();
        subject.insert("Id".into(), operation.id.as_str().into());
        let optional = [("Name", &operation.name), ("SubType", &operation.sub_type), ("ParentId", &operation.parent)];
        for (key, value) in optional {
            if let Some(text) = value {
                subject.insert(key.into(), text.as_str().into());
            }
        }
        Self { at_ms, kind: format!("{}{change}", operation.kind.event_prefix()), subject, details }
    }

    /// The `Event` shape. Without data, inputs, results and errors lose their payloads.
    pub(crate) fn render(&self, id: usize, with_data: bool) -> Value {
        let mut details = self.details.clone();
        if !with_data {
            for key in ["Input", "Result", "Error"] {
                if let Some(data) = details.get_mut(key).and_then(Value::as_object_mut) {
                    data.remove("Payload");
                    data.insert("Truncated".into(), true.into());
                }
            }
        }
        let mut out = self.subject.clone();
        out.insert("EventType".into(), self.kind.as_str().into());
        out.insert("EventId".into(), id.into());
        out.insert("EventTimestamp".into(), epoch_seconds(self.at_ms));
        out.insert(format!("{}Details", self.kind), details);
        Value::Object(out)
    }
}

/// `EventInput` or `EventResult`.
pub(super) fn data(payload: Option<&str>) -> Value {
    match payload {
        Some(payload) => json!({"Payload": payload, "Truncated": false}),
        None => json!({"Truncated": false}),
    }
}

/// `EventError`.
pub(super) fn error(error: &Value) -> Value {
    json!({"Payload": error, "Truncated": false})
}
