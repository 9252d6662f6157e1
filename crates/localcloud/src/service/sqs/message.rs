//! One message and how receivers see it.

use super::checksum;
use crate::cloud::ACCOUNT;
use serde_json::{Map, Value, json};

/// A message in a queue.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) id: String,
    pub(crate) body: String,
    /// Message attributes in the service model's JSON form.
    pub(crate) attributes: Map<String, Value>,
    /// Message system attributes (`AWSTraceHeader`).
    pub(super) system: Map<String, Value>,
    pub(crate) group: Option<String>,
    pub(super) deduplication: Option<String>,
    /// Sequence number of FIFO messages.
    pub(super) sequence: Option<String>,
    pub(crate) sent_ms: i64,
    pub(super) first_received_ms: Option<i64>,
    pub(crate) receive_count: u32,
    /// Not to be received before this moment.
    pub(super) visible_at_ms: i64,
    /// Handle of the last receive.
    pub(super) receipt: Option<String>,
    /// The queue that this dead letter comes from.
    pub(super) source_arn: Option<String>,
}

/// A message as one receive got it.
#[derive(Clone, Debug)]
pub(crate) struct Delivery {
    pub(crate) message: Message,
    pub(crate) receipt_handle: String,
}

impl Message {
    /// System attributes by name ("ReceiveMessage", SQS API reference).
    fn system_attributes(&self) -> Map<String, Value> {
        let mut all = Map::new();
        let mut add = |name: &str, value: Option<String>| {
            all.extend(value.map(|value| (name.to_owned(), Value::String(value))));
        };
        add("SenderId", Some(ACCOUNT.to_owned()));
        add("SentTimestamp", Some(self.sent_ms.to_string()));
        add("ApproximateReceiveCount", Some(self.receive_count.to_string()));
        add("ApproximateFirstReceiveTimestamp", self.first_received_ms.map(|ms| ms.to_string()));
        add("MessageGroupId", self.group.clone());
        add("MessageDeduplicationId", self.deduplication.clone());
        add("SequenceNumber", self.sequence.clone());
        add("DeadLetterQueueSourceArn", self.source_arn.clone());
        let trace = self.system.get("AWSTraceHeader").and_then(|a| a.get("StringValue")).and_then(Value::as_str);
        add("AWSTraceHeader", trace.map(str::to_owned));
        all
    }
}

impl Delivery {
    /// The message as `ReceiveMessage` answers it, with the attributes that were asked for.
    pub(super) fn to_json(&self, system: &[String], attributes: &[String]) -> Value {
        let message = &self.message;
        let mut shown = Map::from_iter([
            ("MessageId".to_owned(), json!(message.id)),
            ("ReceiptHandle".to_owned(), json!(self.receipt_handle)),
            ("Body".to_owned(), json!(message.body)),
            ("MD5OfBody".to_owned(), json!(checksum::of_text(&message.body))),
        ]);
        let mut asked = message.system_attributes();
        asked.retain(|name, _| system.iter().any(|s| s == "All" || s == name));
        if !asked.is_empty() {
            shown.insert("Attributes".to_owned(), Value::Object(asked));
        }
        let mut asked = message.attributes.clone();
        asked.retain(|name, _| attributes.iter().any(|pattern| names(pattern, name)));
        if let Some(digest) = checksum::of_attributes(&asked) {
            shown.insert("MD5OfMessageAttributes".to_owned(), json!(digest));
            shown.insert("MessageAttributes".to_owned(), Value::Object(asked));
        }
        Value::Object(shown)
    }

    /// The message as a record of Lambda's event ("Using Lambda with Amazon SQS", Lambda developer guide).
    pub(crate) fn event_record(&self, queue_arn: &str) -> Value {
        let message = &self.message;
        let attributes: Map<String, Value> =
            message.attributes.iter().map(|(n, a)| (n.clone(), for_event(a))).collect();
        let mut record = json!({
            "messageId": message.id,
            "receiptHandle": self.receipt_handle,
            "body": message.body,
            "attributes": message.system_attributes(),
            "messageAttributes": attributes,
            "md5OfBody": checksum::of_text(&message.body),
            "eventSource": "aws:sqs",
            "eventSourceARN": queue_arn,
            "awsRegion": queue_arn.split(':').nth(3).unwrap_or_default(),
        });
        if let (Some(digest), Some(record)) = (checksum::of_attributes(&message.attributes), record.as_object_mut()) {
            record.insert("md5OfMessageAttributes".to_owned(), json!(digest));
        }
        record
    }
}

/// `All`, `.*`, a name, or `prefix.*`.
fn names(pattern: &str, name: &str) -> bool {
    pattern == "All" || pattern == name || pattern.strip_suffix(".*").is_some_and(|prefix| name.starts_with(prefix))
}

fn for_event(attribute: &Value) -> Value {
    let member = |name: &str| attribute.get(name).cloned().unwrap_or(Value::Null);
    json!({
        "stringValue": member("StringValue"),
        "binaryValue": member("BinaryValue"),
        "stringListValues": [],
        "binaryListValues": [],
        "dataType": member("DataType"),
    })
}
