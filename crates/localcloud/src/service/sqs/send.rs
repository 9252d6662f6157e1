//! Sending, with the deduplication of FIFO queues.

use super::checksum;
use super::errors::{invalid, missing};
use super::message::Message;
use super::queue::{Queue, Recent, State};
use crate::error::ApiError;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// "Exactly-once processing" (SQS developer guide): a repeated send within five minutes is not delivered.
const DEDUPLICATION_MS: i64 = 5 * 60 * 1000;
/// Sequence numbers have 20 digits; AWS leaves gaps, here they only grow.
const FIRST_SEQUENCE: u128 = 18_870_000_000_000_000_000;

/// A message to be sent.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Send {
    pub(super) message_body: Option<String>,
    pub(super) delay_seconds: Option<i64>,
    #[serde(default)]
    pub(super) message_attributes: Map<String, Value>,
    #[serde(default)]
    pub(super) message_system_attributes: Map<String, Value>,
    pub(super) message_deduplication_id: Option<String>,
    pub(super) message_group_id: Option<String>,
}

/// Sends a message under this id; the answer is `SendMessage`'s output.
pub(super) fn send(state: &mut State, queue: &str, send: Send, id: String, now_ms: i64) -> Result<Value, ApiError> {
    let queue = state.queue_mut(queue)?;
    queue.expire(now_ms);
    let body = send.message_body.clone().filter(|body| !body.is_empty()).ok_or_else(|| missing("MessageBody"))?;
    check(queue, &send, &body)?;
    let mut answer = Map::from_iter([("MD5OfMessageBody".to_owned(), json!(checksum::of_text(&body)))]);
    if let Some(digest) = checksum::of_attributes(&send.message_attributes) {
        answer.insert("MD5OfMessageAttributes".to_owned(), json!(digest));
    }
    if let Some(digest) = checksum::of_attributes(&send.message_system_attributes) {
        answer.insert("MD5OfMessageSystemAttributes".to_owned(), json!(digest));
    }
    let (id, sequence) = if queue.is_fifo() {
        let (id, sequence) = enqueue_once(queue, send, body, id, now_ms)?;
        (id, Some(sequence))
    } else {
        queue.push(message(queue, send, body, id.clone(), None, now_ms));
        (id, None)
    };
    answer.insert("MessageId".to_owned(), json!(id));
    answer.extend(sequence.map(|sequence| ("SequenceNumber".to_owned(), json!(sequence))));
    Ok(Value::Object(answer))
}

/// Enqueues unless it is a duplicate; answers the id and sequence number of the message that counts.
fn enqueue_once(
    queue: &mut Queue,
    mut send: Send,
    body: String,
    id: String,
    now_ms: i64,
) -> Result<(String, String), ApiError> {
    let group = send.message_group_id.clone().ok_or_else(|| missing("MessageGroupId"))?;
    let deduplication = match send.message_deduplication_id.take() {
        Some(id) => id,
        None if queue.settings.dedups_by_content() => hex::encode(Sha256::digest(body.as_bytes())),
        None => {
            return Err(invalid(
                "The queue should either have ContentBasedDeduplication enabled or MessageDeduplicationId provided explicitly",
            ));
        }
    };
    let scope = if queue.settings.dedups_per_group() { group } else { String::new() };
    let key = (scope, deduplication.clone());
    if let Some(first) = queue.recent.get(&key) {
        return Ok((first.message_id.clone(), first.sequence.clone()));
    }
    let sequence = format!("{:020}", FIRST_SEQUENCE + u128::from(queue.arrivals + 1));
    send.message_deduplication_id = Some(deduplication);
    let until_ms = now_ms.saturating_add(DEDUPLICATION_MS);
    queue.recent.insert(key, Recent { until_ms, message_id: id.clone(), sequence: sequence.clone() });
    queue.push(message(queue, send, body, id.clone(), Some(sequence.clone()), now_ms));
    Ok((id, sequence))
}

fn message(queue: &Queue, send: Send, body: String, id: String, sequence: Option<String>, now_ms: i64) -> Message {
    let delay_s = send.delay_seconds.unwrap_or_else(|| queue.settings.number("DelaySeconds"));
    Message {
        id,
        body,
        attributes: send.message_attributes,
        system: send.message_system_attributes,
        group: send.message_group_id,
        deduplication: send.message_deduplication_id,
        sequence,
        sent_ms: now_ms,
        first_received_ms: None,
        receive_count: 0,
        visible_at_ms: now_ms.saturating_add(delay_s.saturating_mul(1000)),
        receipt: None,
        source_arn: None,
    }
}

fn check(queue: &Queue, send: &Send, body: &str) -> Result<(), ApiError> {
    let max = queue.settings.number("MaximumMessageSize");
    if i64::try_from(body.len()).unwrap_or(i64::MAX) > max {
        let reason = format!("One or more parameters are invalid. Reason: Message must be shorter than {max} bytes.");
        return Err(invalid(reason));
    }
    if let Some(c) = body.chars().find(|c| !is_allowed(*c)) {
        let message =
            format!("Invalid characters found. Valid unicode characters are those of XML 1.0, not {:#x}", u32::from(c));
        return Err(ApiError::bad("InvalidMessageContents", message));
    }
    match send.delay_seconds {
        Some(delay) if queue.is_fifo() && delay != 0 => Err(invalid(format!(
            "Value {delay} for parameter DelaySeconds is invalid. Reason: The request include parameter that is not valid for this queue type."
        ))),
        Some(delay) if !(0..=900).contains(&delay) => Err(invalid(format!(
            "Value {delay} for parameter DelaySeconds is invalid. Reason: DelaySeconds must be >= 0 and <= 900."
        ))),
        _ => Ok(()),
    }
}

/// Characters that bodies may have ("SendMessage", SQS API reference).
fn is_allowed(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}
