//! Simple Queue Service: standard and FIFO queues.
//!
//! Times of queues are exact here: what AWS calls approximate (counts, receive counts) is right at once.

mod attributes;
mod batch;
mod checksum;
mod delivery;
mod errors;
mod manage;
mod message;
mod queue;
mod redrive;
mod send;
mod settings;
mod wire;

#[cfg(test)]
mod tests;

pub(crate) use delivery::{Receive, delete, next_change_ms, receive};
pub(crate) use queue::{Queue, State};

use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Answers one operation; input and output are in the service model's JSON form.
pub(crate) async fn call(cloud: &Cloud, ctx: &Context, operation: &str, input: Value) -> Result<Value, ApiError> {
    match operation {
        "CreateQueue" => manage::create(cloud, ctx, input),
        "DeleteQueue" => manage::delete(cloud, ctx, input),
        "GetQueueUrl" => manage::url(cloud, ctx, input),
        "ListQueues" => manage::list(cloud, ctx, input),
        "PurgeQueue" => manage::purge(cloud, ctx, input),
        "GetQueueAttributes" => attributes::get(cloud, ctx, input),
        "SetQueueAttributes" => attributes::set(cloud, ctx, input),
        "TagQueue" => manage::tag(cloud, ctx, input),
        "UntagQueue" => manage::untag(cloud, ctx, input),
        "ListQueueTags" => manage::tags(cloud, ctx, input),
        "SendMessage" => wire::send(cloud, ctx, input),
        "ReceiveMessage" => wire::receive(cloud, ctx, input).await,
        "DeleteMessage" => wire::delete(cloud, ctx, input),
        "ChangeMessageVisibility" => wire::change_visibility(cloud, ctx, input),
        "SendMessageBatch" => batch::send(cloud, ctx, input),
        "DeleteMessageBatch" => batch::delete(cloud, ctx, input),
        "ChangeMessageVisibilityBatch" => batch::change_visibility(cloud, ctx, input),
        _ => Err(ApiError::not_emulated(format!("sqs {operation}"))),
    }
}

/// Inputs that name a queue and nothing else of interest.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct OfQueue {
    queue_url: String,
}

fn parse<T: DeserializeOwned>(input: Value) -> Result<T, ApiError> {
    serde_json::from_value(input).map_err(|error| ApiError::bad("InvalidParameterValue", error.to_string()))
}
