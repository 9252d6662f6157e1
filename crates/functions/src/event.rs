//! The events that Lambda hands over, as far as the handlers read them.

use evidence::record::RefundRequest;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// An event that this function cannot act on.
#[derive(Debug, thiserror::Error)]
pub enum EventError {
    /// The mapping's batch size must be 1: a batch shares one fate.
    #[error("expected exactly one message, got {0}; set the event source mapping's batch size to 1")]
    NotOneMessage(usize),
    /// SQS always sends the receive count.
    #[error("the message has no usable attribute ApproximateReceiveCount")]
    NoReceiveCount,
    /// The body is no refund request.
    #[error("the message body is not a refund request: {0}")]
    Body(serde_json::Error),
}

/// An SQS event ("Using Lambda with Amazon SQS", Lambda developer guide).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SqsEvent {
    /// Messages of the batch.
    #[serde(rename = "Records")]
    pub records: Vec<SqsMessage>,
}

/// One message. Members that no handler reads are skipped, so the event may grow.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SqsMessage {
    /// Message id.
    pub message_id: String,
    /// Body as sent.
    pub body: String,
    /// System attributes, numbers as text.
    #[serde(default)]
    pub attributes: BTreeMap<String, String>,
}

/// One delivery of one refund request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// SQS message id.
    pub message_id: String,
    /// `ApproximateReceiveCount`, from 1.
    pub number: u32,
    /// What is asked for.
    pub request: RefundRequest,
}

impl SqsEvent {
    /// An event as the mapping would send it, for a direct invocation without a queue (the transport probe).
    ///
    /// # Errors
    /// When the request cannot be written as JSON.
    pub fn synthetic(message_id: &str, request: &RefundRequest) -> Result<Self, serde_json::Error> {
        let attributes = BTreeMap::from([("ApproximateReceiveCount".to_owned(), "1".to_owned())]);
        let body = serde_json::to_string(request)?;
        Ok(Self { records: vec![SqsMessage { message_id: message_id.to_owned(), body, attributes }] })
    }

    /// The event's one delivery.
    ///
    /// # Errors
    /// When there is not exactly one message, or it is no refund request.
    pub fn delivery(&self) -> Result<Delivery, EventError> {
        let [message] = self.records.as_slice() else {
            return Err(EventError::NotOneMessage(self.records.len()));
        };
        let count = message.attributes.get("ApproximateReceiveCount").and_then(|count| count.parse().ok());
        let number = count.filter(|n| *n > 0).ok_or(EventError::NoReceiveCount)?;
        let request = serde_json::from_str(&message.body).map_err(EventError::Body)?;
        Ok(Delivery { message_id: message.message_id.clone(), number, request })
    }
}

/// A DynamoDB stream event ("Using AWS Lambda with Amazon DynamoDB", Lambda developer guide).
#[derive(Clone, Debug, Deserialize)]
pub struct StreamEvent {
    /// Changes in the order of their shard.
    #[serde(rename = "Records")]
    pub records: Vec<StreamRecord>,
}

/// One change of an item.
#[derive(Clone, Debug, Deserialize)]
pub struct StreamRecord {
    /// `INSERT`, `MODIFY` or `REMOVE`.
    #[serde(rename = "eventName")]
    pub event_name: String,
    /// The change.
    pub dynamodb: Change,
}

/// What changed, with the stream view `NEW_IMAGE`.
#[derive(Clone, Debug, Deserialize)]
pub struct Change {
    /// The item after the change, in DynamoDB's JSON form; absent for a removal.
    #[serde(rename = "NewImage", default)]
    pub new_image: Option<Map<String, Value>>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::request;
    use evidence::record::Scenario;

    #[test]
    fn a_synthetic_event_reads_as_the_first_delivery() {
        let request = request("probe-1", Scenario::Control);
        let delivery = SqsEvent::synthetic("m-1", &request).unwrap().delivery().unwrap();
        assert_eq!(delivery, Delivery { message_id: "m-1".to_owned(), number: 1, request });
    }

    #[test]
    fn anything_but_one_message_with_a_count_and_a_request_is_refused() {
        let good = SqsEvent::synthetic("m-1", &request("probe-1", Scenario::Control)).unwrap();
        let two = SqsEvent { records: vec![good.records[0].clone(), good.records[0].clone()] };
        assert!(matches!(two.delivery(), Err(EventError::NotOneMessage(2))));
        let mut uncounted = good.clone();
        uncounted.records[0].attributes.clear();
        assert!(matches!(uncounted.delivery(), Err(EventError::NoReceiveCount)));
        let mut strange = good;
        strange.records[0].body = r#"{"amount_minor": 1}"#.to_owned();
        assert!(matches!(strange.delivery(), Err(EventError::Body(_))));
    }
}
