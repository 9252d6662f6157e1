//! `ListStreams` and `DescribeStream`.

use super::invalid;
use super::state::{State, Stream, sequence_text};
use crate::error::ApiError;
use crate::service::input;
use crate::time;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ListStreams {
    table_name: Option<String>,
    limit: Option<usize>,
    exclusive_start_stream_arn: Option<String>,
}

/// Lists disabled streams too, whether or not their table is still there.
pub(super) fn list(state: &State, input: Value) -> Result<Value, ApiError> {
    let input: ListStreams = input::read(input, "ValidationException")?;
    let size = page_size(input.limit)?;
    let after = input.exclusive_start_stream_arn.as_deref();
    let mut rest = state.iter().filter(|(arn, stream)| {
        input.table_name.as_ref().is_none_or(|table| *table == stream.table) && after.is_none_or(|after| *arn > after)
    });
    let page: Vec<_> = rest.by_ref().take(size).collect();
    let streams: Vec<Value> = page
        .iter()
        .map(|(arn, stream)| json!({ "StreamArn": arn, "StreamLabel": stream.label, "TableName": stream.table }))
        .collect();
    let mut output = json!({ "Streams": streams });
    if let Some((arn, _)) = page.last().filter(|_| rest.next().is_some()) {
        output["LastEvaluatedStreamArn"] = json!(arn);
    }
    Ok(output)
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct DescribeStream {
    stream_arn: String,
    limit: Option<usize>,
    exclusive_start_shard_id: Option<String>,
}

pub(super) fn describe(state: &State, input: Value) -> Result<Value, ApiError> {
    let input: DescribeStream = input::read(input, "ValidationException")?;
    page_size(input.limit)?;
    let stream = state.get(&input.stream_arn)?;
    // There is one shard, so a page that starts after a shard is empty.
    let shards = if input.exclusive_start_shard_id.is_some() { vec![] } else { vec![shard(stream)] };
    Ok(json!({ "StreamDescription": {
        "StreamArn": input.stream_arn,
        "StreamLabel": stream.label,
        "StreamStatus": if stream.disabled_ms.is_some() { "DISABLED" } else { "ENABLED" },
        "StreamViewType": stream.view,
        "CreationRequestDateTime": time::epoch_seconds(stream.created_ms),
        "TableName": stream.table,
        "KeySchema": stream.key_schema,
        "Shards": shards,
    }}))
}

fn shard(stream: &Stream) -> Value {
    let mut range = json!({ "StartingSequenceNumber": sequence_text(stream.before + 1) });
    if stream.disabled_ms.is_some() {
        range["EndingSequenceNumber"] = json!(sequence_text(stream.last.max(stream.before + 1)));
    }
    json!({ "ShardId": stream.shard, "SequenceNumberRange": range })
}

/// "Limit … the upper limit is 100" (DynamoDB Streams API reference).
fn page_size(limit: Option<usize>) -> Result<usize, ApiError> {
    match limit.unwrap_or(100) {
        size @ 1..=100 => Ok(size),
        size => Err(invalid(format!("Limit is {size}; it has to be from 1 to 100"))),
    }
}
