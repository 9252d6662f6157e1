//! CloudWatch Logs.

mod event;
mod filter;
mod group;
mod list;
mod state;
mod tags;

pub(crate) use state::State;

use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use serde_json::Value;

/// Writes lines with their times (milliseconds) for a function; makes group and stream where they are missing.
pub(crate) fn append(cloud: &Cloud, region: &str, group: &str, stream: &str, lines: Vec<(i64, String)>) {
    let now_ms = cloud.clock().now_ms();
    cloud.with(region, |state| {
        let group = state.logs.groups.entry(group.to_owned()).or_insert_with(|| state::Group::new(now_ms));
        let stream = group.streams.entry(stream.to_owned()).or_insert_with(|| state::Stream::new(now_ms));
        stream.append(now_ms, lines);
    });
    cloud.touch();
}

/// Answers one operation; input and output are in the service model's JSON form.
pub(crate) async fn call(cloud: &Cloud, ctx: &Context, operation: &str, input: Value) -> Result<Value, ApiError> {
    match operation {
        "CreateLogGroup" => group::create(cloud, ctx, input),
        "DeleteLogGroup" => group::delete(cloud, ctx, input),
        "PutRetentionPolicy" => group::put_retention(cloud, ctx, input),
        "DeleteRetentionPolicy" => group::delete_retention(cloud, ctx, input),
        "CreateLogStream" => group::create_stream(cloud, ctx, input),
        "DeleteLogStream" => group::delete_stream(cloud, ctx, input),
        "DescribeLogGroups" => list::groups(cloud, ctx, input),
        "DescribeLogStreams" => list::streams(cloud, ctx, input),
        "PutLogEvents" => event::put(cloud, ctx, input),
        "GetLogEvents" => event::get(cloud, ctx, input),
        "FilterLogEvents" => event::filter(cloud, ctx, input),
        "TagResource" => tags::tag(cloud, ctx, input),
        "UntagResource" => tags::untag(cloud, ctx, input),
        "ListTagsForResource" => tags::list(cloud, ctx, input),
        "TagLogGroup" => tags::tag_group(cloud, ctx, input),
        "UntagLogGroup" => tags::untag_group(cloud, ctx, input),
        "ListTagsLogGroup" => tags::list_group(cloud, ctx, input),
        _ => Err(ApiError::not_emulated(format!("logs {operation}"))),
    }
}

fn read<T: serde::de::DeserializeOwned>(input: Value) -> Result<T, ApiError> {
    super::input::read(input, "InvalidParameterException")
}

fn invalid(message: impl Into<String>) -> ApiError {
    ApiError::bad("InvalidParameterException", message)
}
