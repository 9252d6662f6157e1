//! `DescribeLogGroups` and `DescribeLogStreams`, in pages.

use super::state::{self, Group, Stream};
use super::{invalid, read};
use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use crate::service::input;
use serde::Deserialize;
use serde_json::{Value, json};

/// "The maximum number of items returned … default … up to 50 items" (API reference, `DescribeLogGroups`).
const PER_PAGE: usize = 50;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct DescribeLogGroups {
    log_group_name_prefix: Option<String>,
    log_group_name_pattern: Option<String>,
    next_token: Option<String>,
    limit: Option<usize>,
    #[serde(default)]
    log_group_identifiers: Vec<String>,
    log_group_class: Option<String>,
    #[serde(default)]
    include_linked_accounts: bool,
}

impl DescribeLogGroups {
    fn matches(&self, name: &str, group: &Group) -> bool {
        let lower = |text: &str| text.to_lowercase();
        self.log_group_name_prefix.as_ref().is_none_or(|prefix| name.starts_with(prefix))
            && self.log_group_name_pattern.as_ref().is_none_or(|part| lower(name).contains(&lower(part)))
            && self.log_group_class.as_ref().is_none_or(|class| group.class == *class)
            && (self.log_group_identifiers.is_empty()
                || self.log_group_identifiers.iter().any(|identifier| state::name_of(identifier) == name))
    }
}

pub(super) fn groups(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let input: DescribeLogGroups = read(input)?;
    if input.include_linked_accounts {
        return Err(ApiError::not_emulated("log groups of linked accounts"));
    }
    if input.log_group_name_prefix.is_some() && input.log_group_name_pattern.is_some() {
        return Err(invalid("logGroupNamePrefix and logGroupNamePattern exclude each other"));
    }
    let size = page_size(input.limit)?;
    let after = position(input.next_token.as_deref())?;
    cloud.with(&ctx.region, |state| {
        let mut rest = state
            .logs
            .groups
            .iter()
            .filter(|(name, group)| after.as_ref().is_none_or(|after| *name > after) && input.matches(name, group));
        let page: Vec<_> = rest.by_ref().take(size).collect();
        let more = page.last().filter(|_| rest.next().is_some());
        let token = more.map(|(name, _)| input::token(&[name]));
        let found: Vec<Value> = page.iter().map(|(name, group)| describe_group(&ctx.region, name, group)).collect();
        Ok(with_token(json!({ "logGroups": found }), token))
    })
}

fn describe_group(region: &str, name: &str, group: &Group) -> Value {
    let arn = state::arn(region, name);
    let stored: usize = group.streams.values().map(Stream::stored_bytes).sum();
    let mut out = json!({
        "logGroupName": name,
        "creationTime": group.created_ms,
        "metricFilterCount": 0,
        "arn": format!("{arn}:*"),
        "storedBytes": stored,
        "logGroupClass": group.class,
        "logGroupArn": arn,
    });
    if let Some(days) = group.retention_days {
        out["retentionInDays"] = json!(days);
    }
    out
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct DescribeLogStreams {
    log_group_name: Option<String>,
    log_group_identifier: Option<String>,
    log_stream_name_prefix: Option<String>,
    order_by: Option<String>,
    #[serde(default)]
    descending: bool,
    next_token: Option<String>,
    limit: Option<usize>,
}

pub(super) fn streams(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let input: DescribeLogStreams = read(input)?;
    let name = input.log_group_name.as_deref().or(input.log_group_identifier.as_deref().map(state::name_of));
    let name = name.ok_or_else(|| invalid("logGroupName is missing"))?;
    let by_time = input.order_by.as_deref() == Some("LastEventTime");
    if by_time && input.log_stream_name_prefix.is_some() {
        return Err(invalid("Cannot order by LastEventTime with a logStreamNamePrefix."));
    }
    let size = page_size(input.limit)?;
    let after = position(input.next_token.as_deref())?;
    cloud.with(&ctx.region, |state| {
        let group = state.logs.group(name)?;
        let prefix = input.log_stream_name_prefix.as_deref().unwrap_or_default();
        let mut found: Vec<(&String, &Stream)> =
            group.streams.iter().filter(|(name, _)| name.starts_with(prefix)).collect();
        if by_time {
            found.sort_by_key(|(_, stream)| stream.events.back().map(|event| event.at_ms));
        }
        if input.descending {
            found.reverse();
        }
        let start = after.map_or(0, |after| found.iter().position(|(name, _)| **name == after).map_or(0, |at| at + 1));
        let page: Vec<_> = found.iter().skip(start).take(size).collect();
        let more = page.last().filter(|_| start + page.len() < found.len());
        let token = more.map(|(name, _)| input::token(&[name]));
        let arn = state::arn(&ctx.region, name_of_group(&input));
        let streams: Vec<Value> = page.iter().map(|(name, stream)| describe_stream(&arn, name, stream)).collect();
        Ok(with_token(json!({ "logStreams": streams }), token))
    })
}

fn name_of_group(input: &DescribeLogStreams) -> &str {
    let identifier = input.log_group_identifier.as_deref().map(state::name_of);
    input.log_group_name.as_deref().or(identifier).unwrap_or_default()
}

fn describe_stream(group: &str, name: &str, stream: &Stream) -> Value {
    let mut out = json!({
        "logStreamName": name,
        "creationTime": stream.created_ms,
        "arn": format!("{group}:log-stream:{name}"),
        "storedBytes": 0,
        "uploadSequenceToken": "1",
    });
    if let (Some(first), Some(last)) = (stream.events.front(), stream.events.back()) {
        out["firstEventTimestamp"] = json!(first.at_ms);
        out["lastEventTimestamp"] = json!(last.at_ms);
        out["lastIngestionTime"] = json!(last.ingested_ms);
    }
    out
}

fn page_size(limit: Option<usize>) -> Result<usize, ApiError> {
    match limit.unwrap_or(PER_PAGE) {
        size @ 1..=PER_PAGE => Ok(size),
        size => Err(invalid(format!("limit is {size}; it has to be from 1 to {PER_PAGE}"))),
    }
}

fn position(token: Option<&str>) -> Result<Option<String>, ApiError> {
    let Some(token) = token else { return Ok(None) };
    match input::open_token::<1>(token) {
        Some([after]) => Ok(Some(after)),
        None => Err(invalid("The specified nextToken is invalid.")),
    }
}

fn with_token(mut output: Value, token: Option<String>) -> Value {
    if let Some(token) = token {
        output["nextToken"] = Value::String(token);
    }
    output
}
