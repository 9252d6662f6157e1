//! Events as functions get them ("Using Lambda with Amazon SQS", "Using Lambda with Amazon DynamoDB").

use serde_json::{Value, json};

/// The event of some records.
pub(super) fn of(records: &[Value]) -> Value {
    json!({"Records": records})
}

/// A stream's record as a function gets it.
pub(super) fn stream_record(mut record: Value, stream_arn: &str) -> Value {
    if let Some(members) = record.as_object_mut() {
        members.insert("eventSourceARN".into(), stream_arn.into());
    }
    record
}

/// What `batchItemFailures` calls a record: a message by its id, a stream's record by its sequence number.
pub(super) fn item_id(record: &Value) -> &str {
    let sequence = || record.get("dynamodb")?.get("SequenceNumber")?.as_str();
    record.get("messageId").and_then(Value::as_str).or_else(sequence).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_called_by_message_or_sequence_number() {
        assert_eq!(item_id(&json!({"messageId": "m"})), "m");
        let record = stream_record(json!({"dynamodb": {"SequenceNumber": "7"}}), "arn:s");
        assert_eq!((item_id(&record), &record["eventSourceARN"]), ("7", &json!("arn:s")));
    }
}
