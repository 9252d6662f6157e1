//! Batches: every entry succeeds or fails for itself.

use super::parse;
use super::queue::{State, name_of};
use super::send::Send;
use super::{delivery, send as sending};
use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// "SendMessageBatch" (SQS API reference): at most ten entries.
const MAX_ENTRIES: usize = 10;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Batch<T> {
    queue_url: String,
    entries: Vec<Entry<T>>,
}

#[derive(Deserialize)]
struct Entry<T> {
    #[serde(rename = "Id")]
    id: String,
    #[serde(flatten)]
    entry: T,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Receipt {
    receipt_handle: String,
    #[serde(default)]
    visibility_timeout: i64,
}

pub(super) fn send(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    each(cloud, ctx, input, |state, queue, send: Send, now_ms| sending::send(state, queue, send, cloud.uuid(), now_ms))
}

pub(super) fn delete(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    each(cloud, ctx, input, |state, queue, entry: Receipt, now_ms| {
        delivery::delete(state, queue, &entry.receipt_handle, now_ms).map(|()| json!({}))
    })
}

pub(super) fn change_visibility(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    each(cloud, ctx, input, |state, queue, entry: Receipt, now_ms| {
        let timeout_s = entry.visibility_timeout;
        delivery::change_visibility(state, queue, &entry.receipt_handle, timeout_s, now_ms).map(|()| json!({}))
    })
}

fn each<T: DeserializeOwned>(
    cloud: &Cloud,
    ctx: &Context,
    input: Value,
    act: impl Fn(&mut State, &str, T, i64) -> Result<Value, ApiError>,
) -> Result<Value, ApiError> {
    let batch: Batch<T> = parse(input)?;
    check(&batch)?;
    let (queue, now_ms) = (name_of(&batch.queue_url), cloud.clock().now_ms());
    let (mut successful, mut failed) = (Vec::new(), Vec::new());
    cloud.with(&ctx.region, |state| {
        state.sqs.queue(queue)?;
        for Entry { id, entry } in batch.entries {
            match act(&mut state.sqs, queue, entry, now_ms) {
                Ok(mut answer) => {
                    answer["Id"] = json!(id);
                    successful.push(answer);
                }
                Err(error) => failed.push(json!({
                    "Id": id, "Code": error.code, "Message": error.message, "SenderFault": error.status < 500,
                })),
            }
        }
        Ok::<_, ApiError>(())
    })?;
    cloud.touch();
    Ok(json!({ "Successful": successful, "Failed": failed }))
}

fn check<T>(batch: &Batch<T>) -> Result<(), ApiError> {
    if batch.entries.is_empty() {
        return Err(ApiError::bad("EmptyBatchRequest", "There should be at least one entry in the request."));
    }
    if batch.entries.len() > MAX_ENTRIES {
        let message = format!("Maximum number of entries per request are {MAX_ENTRIES}.");
        return Err(ApiError::bad("TooManyEntriesInBatchRequest", message));
    }
    let ids: BTreeSet<&str> = batch.entries.iter().map(|entry| entry.id.as_str()).collect();
    if ids.len() < batch.entries.len() {
        return Err(ApiError::bad("BatchEntryIdsNotDistinct", "Two or more batch entries have the same Id."));
    }
    Ok(())
}
