//! Writing and reading log events.

use super::filter::Pattern;
use super::state::{self, Event};
use super::{invalid, read};
use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use crate::service::input;
use serde::Deserialize;
use serde_json::{Value, json};

/// "up to … 10,000 log events" in one page (API reference, `GetLogEvents`, `FilterLogEvents`, `PutLogEvents`).
const PER_PAGE: usize = 10_000;

/// Bytes of a page and of a batch: "1 MB (up to 10,000 log events)".
const PAGE_BYTES: usize = 1_048_576;

/// Events older or newer than this are refused (API reference, `PutLogEvents`).
const TOO_OLD_MS: i64 = 14 * 24 * 3_600_000;
const TOO_NEW_MS: i64 = 2 * 3_600_000;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PutLogEvents {
    log_group_name: String,
    log_stream_name: String,
    log_events: Vec<InputEvent>,
}

#[derive(Debug, Deserialize)]
struct InputEvent {
    timestamp: i64,
    message: String,
}

pub(super) fn put(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let input: PutLogEvents = read(input)?;
    let bytes: usize = input.log_events.iter().map(|event| event.message.len() + 26).sum();
    if input.log_events.is_empty() || input.log_events.len() > PER_PAGE || bytes > PAGE_BYTES {
        return Err(invalid("a batch has 1 to 10000 events and at most 1048576 bytes"));
    }
    if !input.log_events.is_sorted_by_key(|event| event.timestamp) {
        return Err(invalid("Log events in a single PutLogEvents request must be in chronological order."));
    }
    let now_ms = cloud.clock().now_ms();
    let old = input.log_events.iter().take_while(|event| event.timestamp < now_ms - TOO_OLD_MS).count();
    let new = input.log_events.iter().take_while(|event| event.timestamp <= now_ms + TOO_NEW_MS).count();
    let mut output = json!({ "nextSequenceToken": "1" });
    if old > 0 {
        output["rejectedLogEventsInfo"]["tooOldLogEventEndIndex"] = json!(old);
    }
    if new < input.log_events.len() {
        output["rejectedLogEventsInfo"]["tooNewLogEventStartIndex"] = json!(new);
    }
    cloud.with(&ctx.region, |state| {
        let stream = state.logs.group(&input.log_group_name)?.stream(&input.log_stream_name)?;
        let kept = input.log_events.into_iter().take(new).skip(old);
        stream.append(now_ms, kept.map(|event| (event.timestamp, event.message)));
        Ok(output)
    })
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct GetLogEvents {
    log_group_name: Option<String>,
    log_group_identifier: Option<String>,
    log_stream_name: String,
    start_time: Option<i64>,
    end_time: Option<i64>,
    next_token: Option<String>,
    limit: Option<usize>,
    #[serde(default)]
    start_from_head: bool,
}

pub(super) fn get(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let input: GetLogEvents = read(input)?;
    let limit = page_size(input.limit)?;
    let group = group_name(input.log_group_name.as_deref(), input.log_group_identifier.as_deref())?;
    cloud.with(&ctx.region, |state| {
        let stream = state.logs.group(group)?.stream(&input.log_stream_name)?;
        let found: Vec<&Event> =
            stream.events.iter().filter(|event| is_within(event, input.start_time, input.end_time)).collect();
        let (start, end) = window(&found, &input, limit)?;
        let page = found.get(start..end).unwrap_or_default();
        let events: Vec<Value> = page
            .iter()
            .map(|event| {
                json!({ "timestamp": event.at_ms, "message": event.message, "ingestionTime": event.ingested_ms })
            })
            .collect();
        Ok(json!({
            "events": events,
            "nextForwardToken": format!("f/{end:056}"),
            "nextBackwardToken": format!("b/{start:056}"),
        }))
    })
}

/// The page as a range: tokens say where the next one starts (`f/`) or ends (`b/`); without one it is the newest
/// events, or the oldest with `startFromHead`.
fn window(found: &[&Event], input: &GetLogEvents, limit: usize) -> Result<(usize, usize), ApiError> {
    let forward = |start: usize| {
        let fits = fitting(found.get(start..).unwrap_or_default().iter().copied(), limit);
        (start.min(found.len()), (start + fits).min(found.len()))
    };
    let backward = |end: usize| {
        let end = end.min(found.len());
        let fits = fitting(found.get(..end).unwrap_or_default().iter().rev().copied(), limit);
        (end - fits, end)
    };
    let Some(token) = &input.next_token else {
        return Ok(if input.start_from_head { forward(0) } else { backward(found.len()) });
    };
    let refused = || invalid("The specified nextToken is invalid.");
    let (way, at) = token.split_once('/').ok_or_else(refused)?;
    let at: usize = at.parse().map_err(|_| refused())?;
    match way {
        "f" => Ok(forward(at)),
        "b" => Ok(backward(at)),
        _ => Err(refused()),
    }
}

fn fitting<'a>(events: impl Iterator<Item = &'a Event>, limit: usize) -> usize {
    let mut bytes = 0;
    events
        .take(limit)
        .take_while(|event| {
            bytes += event.message.len() + 26;
            bytes <= PAGE_BYTES
        })
        .count()
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct FilterLogEvents {
    log_group_name: Option<String>,
    log_group_identifier: Option<String>,
    #[serde(default)]
    log_stream_names: Vec<String>,
    log_stream_name_prefix: Option<String>,
    start_time: Option<i64>,
    end_time: Option<i64>,
    filter_pattern: Option<String>,
    next_token: Option<String>,
    limit: Option<usize>,
}

impl FilterLogEvents {
    fn wants(&self, stream: &str) -> bool {
        let named = self.log_stream_names.is_empty() || self.log_stream_names.iter().any(|name| name == stream);
        named && self.log_stream_name_prefix.as_ref().is_none_or(|prefix| stream.starts_with(prefix))
    }
}

pub(super) fn filter(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let input: FilterLogEvents = read(input)?;
    let limit = page_size(input.limit)?;
    let pattern = Pattern::parse(input.filter_pattern.as_deref().unwrap_or_default())?;
    let group = group_name(input.log_group_name.as_deref(), input.log_group_identifier.as_deref())?;
    let start = match &input.next_token {
        None => None,
        Some(token) => Some(cursor(token)?),
    };
    cloud.with(&ctx.region, |state| {
        let mut found: Vec<((i64, &str, u64), &Event)> = Vec::new();
        for (name, stream) in state.logs.group(group)?.streams.iter().filter(|(name, _)| input.wants(name)) {
            let events = stream
                .events
                .iter()
                .filter(|event| is_within(event, input.start_time, input.end_time) && pattern.matches(&event.message));
            found.extend(events.map(|event| ((event.at_ms, name.as_str(), event.number), event)));
        }
        found.sort_unstable_by_key(|(key, _)| *key);
        let from =
            start.map_or(0, |(at, name, number)| found.partition_point(|(key, _)| *key <= (at, name.as_str(), number)));
        let rest = found.get(from..).unwrap_or_default();
        let page = rest.get(..fitting(rest.iter().map(|(_, event)| *event), limit)).unwrap_or_default();
        let mut output = json!({ "events": page.iter().map(filtered).collect::<Vec<_>>(), "searchedLogStreams": [] });
        if let Some(((at, name, number), _)) = page.last().filter(|_| page.len() < rest.len()) {
            output["nextToken"] = json!(input::token(&[&at.to_string(), name, &number.to_string()]));
        }
        Ok(output)
    })
}

fn filtered(((at_ms, stream, number), event): &((i64, &str, u64), &Event)) -> Value {
    json!({
        "logStreamName": stream,
        "timestamp": at_ms,
        "message": event.message,
        "ingestionTime": event.ingested_ms,
        "eventId": format!("{at_ms:020}{number:036}"),
    })
}

fn cursor(token: &str) -> Result<(i64, String, u64), ApiError> {
    let refused = || invalid("The specified nextToken is invalid.");
    let [at, name, number] = input::open_token::<3>(token).ok_or_else(refused)?;
    Ok((at.parse().map_err(|_| refused())?, name, number.parse().map_err(|_| refused())?))
}

fn is_within(event: &Event, start: Option<i64>, end: Option<i64>) -> bool {
    start.is_none_or(|start| event.at_ms >= start) && end.is_none_or(|end| event.at_ms < end)
}

fn group_name<'a>(name: Option<&'a str>, identifier: Option<&'a str>) -> Result<&'a str, ApiError> {
    name.or(identifier.map(state::name_of)).ok_or_else(|| invalid("logGroupName is missing"))
}

fn page_size(limit: Option<usize>) -> Result<usize, ApiError> {
    match limit.unwrap_or(PER_PAGE) {
        size @ 1..=PER_PAGE => Ok(size),
        size => Err(invalid(format!("limit is {size}; it has to be from 1 to {PER_PAGE}"))),
    }
}
