//! Reading records: for clients by shard iterator, for Lambda's pollers by number.

use super::state::{State, Stream, sequence_number};
use super::{invalid, not_found};
use crate::error::ApiError;
use crate::service::{self, input};
use serde::Deserialize;
use serde_json::{Value, json};

/// "A shard iterator expires 15 minutes after it is retrieved" (API reference, `GetShardIterator`).
const ITERATOR_MS: i64 = 15 * 60 * 1000;

/// "up to a maximum of 1 MB of data or 1000 stream records" (API reference, `GetRecords`).
const PAGE_RECORDS: usize = 1000;
const PAGE_BYTES: usize = 1_048_576;

/// Records with a number greater than `after`, oldest first, at most `limit`; `None` when the stream is gone.
/// They are in the form of `GetRecords`, without `eventSourceARN`.
pub(crate) fn read_after(state: &service::State, arn: &str, after: u64, limit: usize) -> Option<Vec<(u64, Value)>> {
    let stream = state.streams.get(arn).ok()?;
    Some(behind(stream, after).take(limit).map(|record| (record.sequence, record.json.clone())).collect())
}

/// The number of a stream's last record: where `LATEST` starts; `None` when the stream is gone.
pub(crate) fn latest(state: &service::State, arn: &str) -> Option<u64> {
    state.streams.get(arn).ok().map(|stream| stream.last)
}

fn behind(stream: &Stream, after: u64) -> impl Iterator<Item = &super::state::Record> {
    let start = stream.records.partition_point(|record| record.sequence <= after);
    stream.records.iter().skip(start)
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct GetShardIterator {
    stream_arn: String,
    shard_id: String,
    shard_iterator_type: String,
    sequence_number: Option<String>,
}

pub(super) fn iterator(state: &State, input: Value, now_ms: i64) -> Result<Value, ApiError> {
    let input: GetShardIterator = input::read(input, "ValidationException")?;
    let stream = state.get(&input.stream_arn)?;
    if stream.shard != input.shard_id {
        return Err(ApiError::bad(
            "ResourceNotFoundException",
            format!("Requested resource not found: Shard does not exist: {}", input.shard_id),
        ));
    }
    let named = || {
        let number = input.sequence_number.as_deref().and_then(sequence_number);
        let number = number.ok_or_else(|| invalid("SequenceNumber is missing or is none of this stream"))?;
        if number <= stream.trimmed && number > stream.before { Err(trimmed()) } else { Ok(number) }
    };
    let after = match input.shard_iterator_type.as_str() {
        "TRIM_HORIZON" => stream.trimmed,
        "LATEST" => state.last(),
        "AT_SEQUENCE_NUMBER" => named()?.saturating_sub(1),
        "AFTER_SEQUENCE_NUMBER" => named()?,
        other => return Err(invalid(format!("{other:?} is not a type of shard iterator"))),
    };
    Ok(json!({ "ShardIterator": token(&input.stream_arn, after, now_ms) }))
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct GetRecords {
    shard_iterator: String,
    limit: Option<usize>,
}

pub(super) fn records(state: &State, input: Value, now_ms: i64) -> Result<Value, ApiError> {
    let input: GetRecords = input::read(input, "ValidationException")?;
    let limit = match input.limit.unwrap_or(PAGE_RECORDS) {
        limit @ 1..=PAGE_RECORDS => limit,
        limit => return Err(invalid(format!("Limit is {limit}; it has to be from 1 to {PAGE_RECORDS}"))),
    };
    let (arn, after) = position(&input.shard_iterator, now_ms)?;
    let stream = state.get(&arn).map_err(|_| not_found(&arn))?;
    if after < stream.trimmed {
        return Err(trimmed());
    }
    let mut bytes = 0;
    let page: Vec<_> = behind(stream, after)
        .take(limit)
        .enumerate()
        .take_while(|(index, record)| {
            bytes += record.bytes;
            *index == 0 || bytes <= PAGE_BYTES
        })
        .map(|(_, record)| record)
        .collect();
    let next = page.last().map_or(after, |record| record.sequence);
    let mut output = json!({ "Records": page.iter().map(|record| record.json.clone()).collect::<Vec<_>>() });
    // A closed shard ends; an open one goes on for ever.
    if stream.disabled_ms.is_none() || next < stream.last {
        output["NextShardIterator"] = json!(token(&arn, next, now_ms));
    }
    Ok(output)
}

fn token(arn: &str, after: u64, now_ms: i64) -> String {
    input::token(&[arn, &after.to_string(), &now_ms.to_string()])
}

fn position(iterator: &str, now_ms: i64) -> Result<(String, u64), ApiError> {
    let refused = || invalid("Invalid ShardIterator");
    let [arn, after, issued_ms] = input::open_token::<3>(iterator).ok_or_else(refused)?;
    let (after, issued_ms) = (after.parse().map_err(|_| refused())?, issued_ms.parse::<i64>().map_err(|_| refused())?);
    if now_ms.saturating_sub(issued_ms) > ITERATOR_MS {
        return Err(ApiError::bad("ExpiredIteratorException", "Iterator expired"));
    }
    Ok((arn, after))
}

fn trimmed() -> ApiError {
    ApiError::bad(
        "TrimmedDataAccessException",
        "The operation attempted to read past the oldest stream record in a shard.",
    )
}
