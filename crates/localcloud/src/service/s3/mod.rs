//! Simple Storage Service.

use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use crate::wire::Output;
use hyper::body::Bytes;
use serde_json::Value;

/// One region's state of this service.
#[derive(Debug, Default)]
pub(crate) struct State {}

/// Answers one operation; input and output are in the service model's JSON form.
pub(crate) async fn call(cloud: &Cloud, ctx: &Context, operation: &str, input: Value) -> Result<Value, ApiError> {
    Ok(call_with_body(cloud, ctx, operation, input, Bytes::new()).await?.value)
}

/// As [`call`], with the object apart from its metadata.
pub(crate) async fn call_with_body(
    _cloud: &Cloud,
    _ctx: &Context,
    operation: &str,
    _input: Value,
    _body: Bytes,
) -> Result<Output, ApiError> {
    Err(ApiError::not_emulated(format!("s3 {operation}")))
}
