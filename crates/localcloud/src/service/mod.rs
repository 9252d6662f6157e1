//! The services, each in a module of its own with its own slice of state.

use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use serde_json::Value;

/// The services that the cloud knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Service {
    CloudFormation,
    CostExplorer,
    DynamoDb,
    DynamoDbStreams,
    Iam,
    Lambda,
    Logs,
    S3,
    Sqs,
    Sts,
    Tagging,
}

/// One region's state: a slice for each service.
#[derive(Debug, Default)]
pub(crate) struct State {}

/// Dispatches an operation to its service.
pub(crate) async fn call(
    _cloud: &Cloud,
    _ctx: &Context,
    service: Service,
    operation: &str,
    _input: Value,
) -> Result<Value, ApiError> {
    Err(ApiError::not_emulated(format!("{service:?}.{operation}")))
}
