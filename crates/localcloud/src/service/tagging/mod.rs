//! Resource Groups Tagging API: an index of tags that the services feed and that lags behind deletions.
//!
//! "Returns all the tagged or previously tagged resources" of a region (Resource Groups Tagging API Reference,
//! `GetResources`); never IAM ("Services that support the Resource Groups Tagging API").

mod arn;
mod get;
mod index;
mod write;

pub(crate) use index::{DEFAULT_LAG, State};

use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use crate::service;
use serde_json::Value;
use std::collections::BTreeMap;

/// Tags by key.
pub(crate) type Tags = BTreeMap<String, String>;

/// A service tells which tags a resource has now. Resources that never had one are not indexed.
pub(crate) fn put(state: &mut service::State, arn: &str, tags: &Tags) {
    state.tagging.put(arn, tags);
}

/// A service tells that a resource is gone since `now_ms`, which may lie ahead; the index learns of it later.
pub(crate) fn deleted(state: &mut service::State, arn: &str, now_ms: i64) {
    state.tagging.deleted(arn, now_ms);
}

/// Answers one operation; input and output are in the service model's JSON form.
pub(crate) async fn call(cloud: &Cloud, ctx: &Context, operation: &str, input: Value) -> Result<Value, ApiError> {
    match operation {
        "GetResources" => get::resources(cloud, ctx, input),
        "GetTagKeys" => get::keys(cloud, ctx, input),
        "GetTagValues" => get::values(cloud, ctx, input),
        "TagResources" => write::tag(cloud, ctx, input).await,
        "UntagResources" => write::untag(cloud, ctx, input).await,
        _ => Err(ApiError::not_emulated(format!("tagging {operation}"))),
    }
}

fn invalid(message: impl Into<String>) -> ApiError {
    ApiError::bad("InvalidParameterException", message)
}
