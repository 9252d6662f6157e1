//! Operations on single messages as clients call them.

use super::errors::{invalid, missing};
use super::queue::name_of;
use super::send::Send;
use super::{Receive, delivery, parse, send as sending};
use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct SendInput {
    queue_url: String,
    #[serde(flatten)]
    send: Send,
}

pub(super) fn send(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let input: SendInput = parse(input)?;
    let (id, now_ms) = (cloud.uuid(), cloud.clock().now_ms());
    let queue = name_of(&input.queue_url);
    let answer = cloud.with(&ctx.region, |state| sending::send(&mut state.sqs, queue, input.send, id, now_ms))?;
    cloud.touch();
    Ok(answer)
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ReceiveInput {
    queue_url: String,
    max_number_of_messages: Option<usize>,
    visibility_timeout: Option<i64>,
    wait_time_seconds: Option<i64>,
    #[serde(default)]
    attribute_names: Vec<String>,
    #[serde(default)]
    message_system_attribute_names: Vec<String>,
    #[serde(default)]
    message_attribute_names: Vec<String>,
}

impl ReceiveInput {
    fn check(&self) -> Result<(), ApiError> {
        let wrong = |value: i64, name: &str, range: &str| {
            Err(invalid(format!(
                "Value {value} for parameter {name} is invalid. Reason: must be {range}, if provided."
            )))
        };
        match (self.max_number_of_messages, self.wait_time_seconds, self.visibility_timeout) {
            (Some(max), _, _) if !(1..=10).contains(&max) => {
                wrong(i64::try_from(max).unwrap_or(i64::MAX), "MaxNumberOfMessages", "between 1 and 10")
            }
            (_, Some(wait), _) if !(0..=20).contains(&wait) => wrong(wait, "WaitTimeSeconds", ">= 0 and <= 20"),
            (_, _, Some(time)) if !(0..=43_200).contains(&time) => {
                wrong(time, "VisibilityTimeout", ">= 0 and <= 43200")
            }
            _ => Ok(()),
        }
    }
}

/// Waits, if asked to, until there is a message. Nothing is received by a client that has gone.
pub(super) async fn receive(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let mut input: ReceiveInput = parse(input)?;
    input.check()?;
    let queue = name_of(&input.queue_url);
    let wait_ms = match input.wait_time_seconds {
        Some(seconds) => seconds.saturating_mul(1000),
        None => cloud.with(&ctx.region, |state| {
            state.sqs.queue(queue).map(|queue| queue.settings.millis("ReceiveMessageWaitTimeSeconds"))
        })?,
    };
    let until_ms = cloud.clock().now_ms().saturating_add(wait_ms);
    let mut changes = cloud.changes();
    let deliveries = loop {
        let now_ms = cloud.clock().now_ms();
        let asked = Receive {
            queue,
            max: input.max_number_of_messages.unwrap_or(1),
            visibility_ms: input.visibility_timeout.map(|seconds| seconds.saturating_mul(1000)),
            now_ms,
        };
        let (deliveries, next_ms) = cloud.with(&ctx.region, |state| {
            let deliveries = delivery::receive(&mut state.sqs, asked)?;
            Ok::<_, ApiError>((deliveries, delivery::next_change_ms(&state.sqs, queue, now_ms)))
        })?;
        if !deliveries.is_empty() || now_ms >= until_ms {
            break deliveries;
        }
        cloud.wait(&mut changes, next_ms.unwrap_or(until_ms).min(until_ms)).await;
    };
    input.attribute_names.append(&mut input.message_system_attribute_names);
    let messages: Vec<Value> =
        deliveries.iter().map(|d| d.to_json(&input.attribute_names, &input.message_attribute_names)).collect();
    Ok(if messages.is_empty() { json!({}) } else { json!({ "Messages": messages }) })
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ReceiptInput {
    queue_url: String,
    receipt_handle: String,
    visibility_timeout: Option<i64>,
}

pub(super) fn delete(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let input: ReceiptInput = parse(input)?;
    let (queue, now_ms) = (name_of(&input.queue_url), cloud.clock().now_ms());
    cloud.with(&ctx.region, |state| delivery::delete(&mut state.sqs, queue, &input.receipt_handle, now_ms))?;
    // The message's group may go on.
    cloud.touch();
    Ok(json!({}))
}

pub(super) fn change_visibility(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let input: ReceiptInput = parse(input)?;
    let (queue, now_ms) = (name_of(&input.queue_url), cloud.clock().now_ms());
    let timeout_s = input.visibility_timeout.ok_or_else(|| missing("VisibilityTimeout"))?;
    cloud.with(&ctx.region, |state| {
        delivery::change_visibility(&mut state.sqs, queue, &input.receipt_handle, timeout_s, now_ms)
    })?;
    cloud.touch();
    Ok(json!({}))
}
