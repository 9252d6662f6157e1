//! Queue attributes as clients read and set them.

use super::errors::{invalid, unknown_attribute};
use super::parse;
use super::queue::{Queue, State, name_of};
use super::settings::Settings;
use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct GetInput {
    queue_url: String,
    #[serde(default)]
    attribute_names: Vec<String>,
}

/// Attributes that a queue may lack; asking for one is fine.
const OPTIONAL: [&str; 9] = [
    "ContentBasedDeduplication",
    "DeduplicationScope",
    "FifoQueue",
    "FifoThroughputLimit",
    "KmsDataKeyReusePeriodSeconds",
    "KmsMasterKeyId",
    "Policy",
    "RedriveAllowPolicy",
    "RedrivePolicy",
];

/// Without names the answer is empty ("GetQueueAttributes", SQS API reference).
pub(super) fn get(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let input: GetInput = parse(input)?;
    let now_ms = cloud.clock().now_ms();
    let all = cloud.with(&ctx.region, |state| {
        let queue = state.sqs.queue_mut(name_of(&input.queue_url))?;
        queue.expire(now_ms);
        Ok::<_, ApiError>(shown(queue, now_ms))
    })?;
    if input.attribute_names.is_empty() {
        return Ok(json!({}));
    }
    if input.attribute_names.iter().any(|name| name == "All") {
        return Ok(json!({ "Attributes": all }));
    }
    let mut asked = Map::new();
    for name in input.attribute_names {
        match all.get(&name) {
            Some(value) => drop(asked.insert(name, value.clone())),
            None if OPTIONAL.contains(&name.as_str()) => {}
            None => return Err(unknown_attribute(&name)),
        }
    }
    Ok(json!({ "Attributes": asked }))
}

fn shown(queue: &Queue, now_ms: i64) -> Map<String, Value> {
    let mut all: Map<String, Value> =
        queue.settings.values().iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    let counts = queue.counts(now_ms);
    for (name, value) in [
        ("QueueArn", queue.arn.clone()),
        ("CreatedTimestamp", (queue.created_ms / 1000).to_string()),
        ("LastModifiedTimestamp", (queue.modified_ms / 1000).to_string()),
        ("ApproximateNumberOfMessages", counts.visible.to_string()),
        ("ApproximateNumberOfMessagesNotVisible", counts.in_flight.to_string()),
        ("ApproximateNumberOfMessagesDelayed", counts.delayed.to_string()),
    ] {
        all.insert(name.to_owned(), json!(value));
    }
    all
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct SetInput {
    queue_url: String,
    #[serde(default)]
    attributes: Map<String, Value>,
}

pub(super) fn set(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let input: SetInput = parse(input)?;
    let (attributes, now_ms) = (texts(&input.attributes), cloud.clock().now_ms());
    let name = name_of(&input.queue_url);
    cloud.with(&ctx.region, |state| {
        let mut settings = state.sqs.queue(name)?.settings.clone();
        settings.apply(&attributes)?;
        check_target(&state.sqs, &settings)?;
        let queue = state.sqs.queue_mut(name)?;
        queue.settings = settings;
        queue.modified_ms = now_ms;
        Ok::<_, ApiError>(())
    })?;
    cloud.touch();
    Ok(json!({}))
}

/// Attribute values are text; numbers and booleans are taken as theirs.
pub(super) fn texts(attributes: &Map<String, Value>) -> BTreeMap<String, String> {
    attributes
        .iter()
        .map(|(name, value)| (name.clone(), value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
        .collect()
}

/// The dead-letter queue has to exist and to be of the same kind.
pub(super) fn check_target(state: &State, settings: &Settings) -> Result<(), ApiError> {
    let Some(redrive) = settings.redrive() else { return Ok(()) };
    let wrong = |reason: &str| Err(invalid(format!("Value for parameter RedrivePolicy is invalid. Reason: {reason}")));
    match state.queues.get(name_of(&redrive.target_arn)) {
        None => wrong("Dead letter target does not exist."),
        Some(target) if target.arn != redrive.target_arn => wrong("Dead letter target does not exist."),
        Some(target) if target.is_fifo() != settings.is_fifo() => {
            wrong("Dead-letter queue must be same type of queue as the source.")
        }
        Some(_) => Ok(()),
    }
}
