//! DynamoDB Streams: what tables write, readable for 24 hours, also after the table is gone.
//!
//! "If you disable a stream on a table, the data in the stream continues to be readable for 24 hours"; there is no
//! way to delete one ("Change data capture for DynamoDB Streams", DynamoDB developer guide).

mod describe;
mod read;
mod state;

pub(crate) use read::{latest, read_after};
pub(crate) use state::{Change, State, close, open, record, retag, tags_of};

use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use serde_json::Value;

/// Answers one operation; input and output are in the service model's JSON form.
pub(crate) async fn call(cloud: &Cloud, ctx: &Context, operation: &str, input: Value) -> Result<Value, ApiError> {
    let now_ms = cloud.clock().now_ms();
    cloud.with(&ctx.region, |state| {
        state.streams.settle(now_ms);
        match operation {
            "ListStreams" => describe::list(&state.streams, input),
            "DescribeStream" => describe::describe(&state.streams, input),
            "GetShardIterator" => read::iterator(&state.streams, input, now_ms),
            "GetRecords" => read::records(&state.streams, input, now_ms),
            _ => Err(ApiError::not_emulated(format!("dynamodbstreams {operation}"))),
        }
    })
}

fn not_found(arn: &str) -> ApiError {
    ApiError::bad("ResourceNotFoundException", format!("Requested resource not found: Stream: {arn} not found"))
}

fn invalid(message: impl Into<String>) -> ApiError {
    ApiError::bad("ValidationException", message)
}
