//! Creating, finding, tagging and deleting queues.

use super::attributes::{check_target, texts};
use super::errors::{invalid, no_such_queue};
use super::queue::{Queue, State, name_of};
use super::settings::Settings;
use super::{OfQueue, parse};
use crate::cloud::{ACCOUNT, Cloud, Context};
use crate::error::ApiError;
use crate::service::{self, tagging};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A name is free again so long after the deletion ("DeleteQueue", SQS API reference).
const REUSE_MS: i64 = 60_000;
/// "PurgeQueue" (SQS API reference): one purge in sixty seconds.
const PURGE_MS: i64 = 60_000;
/// "ListQueues" (SQS API reference): at most so many at once.
const MAX_LIST: usize = 1000;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct CreateInput {
    queue_name: String,
    #[serde(default)]
    attributes: Map<String, Value>,
    // The model writes this one member in lower case.
    #[serde(default, alias = "tags")]
    tags: BTreeMap<String, String>,
}

/// Creates a queue. The same call again answers the queue that is there.
pub(super) fn create(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let input: CreateInput = parse(input)?;
    let attributes = texts(&input.attributes);
    let fifo = attributes.get("FifoQueue").is_some_and(|value| value == "true");
    check_name(&input.queue_name, fifo)?;
    let mut settings = Settings::new(fifo);
    settings.apply(&attributes)?;
    let now_ms = cloud.clock().now_ms();
    cloud.with(&ctx.region, |state| {
        insert(&mut state.sqs, &ctx.region, &input, &attributes, settings, now_ms)?;
        index_tags(state, &input.queue_name)
    })?;
    Ok(json!({ "QueueUrl": queue_url(cloud, &input.queue_name) }))
}

fn insert(
    state: &mut State,
    region: &str,
    input: &CreateInput,
    attributes: &BTreeMap<String, String>,
    settings: Settings,
    now_ms: i64,
) -> Result<(), ApiError> {
    let name = &input.queue_name;
    if let Some(queue) = state.queues.get(name) {
        let differs = attributes.iter().find(|(name, value)| queue.settings.values().get(*name) != Some(value));
        return differs.map_or(Ok(()), |(attribute, _)| {
            let message = "A queue already exists with the same name and a different value for attribute";
            Err(ApiError::bad("QueueNameExists", format!("{message} {attribute}")))
        });
    }
    if state.deleted.get(name).is_some_and(|at_ms| now_ms.saturating_sub(*at_ms) < REUSE_MS) {
        let message =
            "You must wait 60 seconds after deleting a queue before you can create another with the same name.";
        return Err(ApiError::bad("QueueDeletedRecently", message));
    }
    check_target(state, &settings)?;
    let mut queue = Queue::new(region, name, settings, now_ms);
    queue.tags.clone_from(&input.tags);
    state.deleted.remove(name);
    state.queues.insert(name.clone(), queue);
    Ok(())
}

fn check_name(name: &str, fifo: bool) -> Result<(), ApiError> {
    let stem = name.strip_suffix(".fifo");
    if fifo && stem.is_none() {
        return Err(invalid(
            "The name of a FIFO queue can only include alphanumeric characters, hyphens, or underscores, must end with .fifo suffix and be 1 to 80 in length.",
        ));
    }
    let plain = if fifo { stem.unwrap_or(name) } else { name };
    let legal = plain.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
    if !legal || plain.is_empty() || name.len() > 80 {
        return Err(invalid("Can only include alphanumeric characters, hyphens, or underscores. 1 to 80 in length"));
    }
    Ok(())
}

pub(super) fn queue_url(cloud: &Cloud, name: &str) -> String {
    format!("{}/{ACCOUNT}/{name}", cloud.endpoint())
}

pub(super) fn delete(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let input: OfQueue = parse(input)?;
    let (name, now_ms) = (name_of(&input.queue_url), cloud.clock().now_ms());
    cloud.with(&ctx.region, |state| {
        let queue = state.sqs.queues.remove(name).ok_or_else(no_such_queue)?;
        tagging::deleted(state, queue.arn(), now_ms);
        state.sqs.deleted.insert(name.to_owned(), now_ms);
        Ok::<_, ApiError>(())
    })?;
    cloud.touch();
    Ok(json!({}))
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct UrlInput {
    queue_name: String,
}

pub(super) fn url(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let input: UrlInput = parse(input)?;
    cloud.with(&ctx.region, |state| state.sqs.queue(&input.queue_name).map(drop))?;
    Ok(json!({ "QueueUrl": queue_url(cloud, &input.queue_name) }))
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ListInput {
    #[serde(default)]
    queue_name_prefix: String,
    max_results: Option<usize>,
    next_token: Option<String>,
}

/// Lists queues by name. Only with `MaxResults` is there a token for more ("ListQueues", SQS API reference).
pub(super) fn list(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let input: ListInput = parse(input)?;
    let limit = input.max_results.unwrap_or(MAX_LIST);
    if !(1..=MAX_LIST).contains(&limit) {
        return Err(invalid("Value for parameter MaxResults is invalid. Reason: must be between 1 and 1000."));
    }
    let mut names: Vec<String> = cloud.with(&ctx.region, |state| {
        let after = input.next_token.as_deref().unwrap_or_default();
        let names = state.sqs.queues.keys().filter(|name| name.starts_with(&input.queue_name_prefix));
        names.filter(|name| name.as_str() > after).take(limit + 1).cloned().collect()
    });
    let more = names.len() > limit;
    names.truncate(limit);
    let mut answer = json!({ "QueueUrls": names.iter().map(|name| queue_url(cloud, name)).collect::<Vec<_>>() });
    if more && input.max_results.is_some() {
        answer["NextToken"] = json!(names.last());
    }
    Ok(if names.is_empty() { json!({}) } else { answer })
}

pub(super) fn purge(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let input: OfQueue = parse(input)?;
    let now_ms = cloud.clock().now_ms();
    cloud.with(&ctx.region, |state| {
        let queue = state.sqs.queue_mut(name_of(&input.queue_url))?;
        if queue.purged_ms.is_some_and(|at_ms| now_ms.saturating_sub(at_ms) < PURGE_MS) {
            let message = "Only one PurgeQueue operation is allowed every 60 seconds.";
            return Err(ApiError::new(403, "PurgeQueueInProgress", message));
        }
        queue.purged_ms = Some(now_ms);
        queue.messages.clear();
        Ok(json!({}))
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct TagInput {
    queue_url: String,
    #[serde(default)]
    tags: BTreeMap<String, String>,
    #[serde(default)]
    tag_keys: Vec<String>,
}

pub(super) fn tag(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    retag(cloud, ctx, input)
}

pub(super) fn untag(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    retag(cloud, ctx, input)
}

fn retag(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let input: TagInput = parse(input)?;
    cloud.with(&ctx.region, |state| {
        let queue = state.sqs.queue_mut(name_of(&input.queue_url))?;
        queue.tags.extend(input.tags);
        queue.tags.retain(|key, _| !input.tag_keys.contains(key));
        index_tags(state, name_of(&input.queue_url))?;
        Ok(json!({}))
    })
}

/// Tells the tag index which tags a queue has now.
fn index_tags(state: &mut service::State, name: &str) -> Result<(), ApiError> {
    let queue = state.sqs.queue(name)?;
    let (arn, tags) = (queue.arn.clone(), queue.tags.clone());
    tagging::put(state, &arn, &tags);
    Ok(())
}

pub(super) fn tags(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let input: OfQueue = parse(input)?;
    let tags = cloud.with(&ctx.region, |state| state.sqs.queue(name_of(&input.queue_url)).map(|q| q.tags.clone()))?;
    Ok(if tags.is_empty() { json!({}) } else { json!({ "Tags": tags }) })
}
