//! Tags of tables and of streams. A stream does not have its table's tags ("ABAC for DynamoDB Streams").

use super::invalid;
use super::request::read;
use crate::error::ApiError;
use crate::service::tagging::{self, Tags};
use crate::service::{State, streams};
use serde::Deserialize;
use serde_json::{Value, json};

/// Tags of one resource ("Quotas", developer guide).
const MAX_TAGS: usize = 50;

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Tag {
    key: String,
    value: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Request {
    resource_arn: String,
    #[serde(default)]
    tags: Vec<Tag>,
    #[serde(default)]
    tag_keys: Vec<String>,
}

pub(super) fn tag(state: &mut State, region: &str, input: Value, now_ms: i64) -> Result<Value, ApiError> {
    let input: Request = read(input)?;
    let new = checked(input.tags)?;
    let mut all = tags_of(state, &input.resource_arn, now_ms)?;
    all.extend(new);
    if all.len() > MAX_TAGS {
        return Err(invalid(format!("One or more parameter values were invalid: more than {MAX_TAGS} tags")));
    }
    set(state, region, &input.resource_arn, all, now_ms)
}

pub(super) fn untag(state: &mut State, region: &str, input: Value, now_ms: i64) -> Result<Value, ApiError> {
    let input: Request = read(input)?;
    let mut all = tags_of(state, &input.resource_arn, now_ms)?;
    all.retain(|key, _| !input.tag_keys.contains(key));
    set(state, region, &input.resource_arn, all, now_ms)
}

pub(super) fn list(state: &mut State, input: Value, now_ms: i64) -> Result<Value, ApiError> {
    let input: Request = read(input)?;
    let tags = tags_of(state, &input.resource_arn, now_ms)?;
    let tags: Vec<Value> = tags.iter().map(|(key, value)| json!({ "Key": key, "Value": value })).collect();
    Ok(json!({ "Tags": tags }))
}

/// Tags as they are given with a new table.
pub(super) fn checked(tags: Vec<Tag>) -> Result<Tags, ApiError> {
    let mut out = Tags::new();
    for Tag { key, value } in tags {
        if key.is_empty() || key.chars().count() > 128 || value.chars().count() > 256 || key.starts_with("aws:") {
            return Err(invalid(format!("One or more parameter values were invalid: the tag {key:?} is not allowed")));
        }
        if out.insert(key.clone(), value).is_some() {
            return Err(invalid(format!("One or more parameter values were invalid: the tag {key:?} is there twice")));
        }
    }
    Ok(out)
}

fn tags_of(state: &mut State, arn: &str, now_ms: i64) -> Result<Tags, ApiError> {
    if arn.contains("/stream/") {
        return streams::tags_of(state, arn, now_ms);
    }
    Ok(state.dynamodb.tables.get(name_of(arn)?).ok_or_else(|| missing(arn))?.tags.clone())
}

fn set(state: &mut State, region: &str, arn: &str, tags: Tags, now_ms: i64) -> Result<Value, ApiError> {
    if arn.contains("/stream/") {
        streams::retag(state, arn, now_ms, |known| *known = tags)?;
        return Ok(json!({}));
    }
    let name = name_of(arn)?;
    let table = state.dynamodb.tables.get_mut(name).ok_or_else(|| missing(arn))?;
    table.tags.clone_from(&tags);
    // A table that is on its way out must not come back to life in the index.
    if table.deleted_ms.is_none() {
        tagging::put(state, &super::table::arn(region, name), &tags);
    }
    Ok(json!({}))
}

fn name_of(arn: &str) -> Result<&str, ApiError> {
    let name = arn.strip_prefix("arn:").and_then(|rest| rest.split_once(":table/")).map(|(_, name)| name);
    name.ok_or_else(|| invalid(format!("Invalid TableArn: Invalid ResourceArn provided as input {arn}")))
}

fn missing(arn: &str) -> ApiError {
    ApiError::bad("ResourceNotFoundException", format!("Requested resource not found: ResourcArn: {arn} not found"))
}
