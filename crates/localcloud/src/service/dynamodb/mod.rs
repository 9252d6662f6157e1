//! DynamoDB.

use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use serde_json::Value;

/// One region's state of this service.
#[derive(Debug, Default)]
pub(crate) struct State {}

/// Answers one operation; input and output are in the service model's JSON form.
pub(crate) async fn call(_cloud: &Cloud, _ctx: &Context, operation: &str, _input: Value) -> Result<Value, ApiError> {
    Err(ApiError::not_emulated(format!("dynamodb {operation}")))
}
