//! Making and deleting log groups and streams; retention.

use super::state::{self, Group, Stream};
use super::{invalid, read};
use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use crate::service::tagging::{self, Tags};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::btree_map::Entry;

/// Days that a retention policy may have (API reference, `PutRetentionPolicy`).
const RETENTION_DAYS: [u32; 22] =
    [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288, 3653];

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct CreateLogGroup {
    log_group_name: String,
    #[serde(default)]
    tags: Tags,
    log_group_class: Option<String>,
    kms_key_id: Option<String>,
    #[serde(default)]
    deletion_protection_enabled: bool,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Named {
    log_group_name: String,
    retention_in_days: Option<u32>,
    log_stream_name: Option<String>,
}

impl Named {
    fn stream(&self) -> Result<&str, ApiError> {
        self.log_stream_name.as_deref().ok_or_else(|| invalid("logStreamName is missing"))
    }
}

pub(super) fn create(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let input: CreateLogGroup = read(input)?;
    if input.kms_key_id.is_some() || input.deletion_protection_enabled {
        return Err(ApiError::not_emulated("log groups with a KMS key or deletion protection"));
    }
    check_name(&input.log_group_name)?;
    let now_ms = cloud.clock().now_ms();
    cloud.with(&ctx.region, |state| {
        let Entry::Vacant(place) = state.logs.groups.entry(input.log_group_name.clone()) else {
            return Err(ApiError::bad("ResourceAlreadyExistsException", "The specified log group already exists"));
        };
        let group = place.insert(Group::new(now_ms));
        group.class = input.log_group_class.unwrap_or_else(|| group.class.clone());
        group.tags.clone_from(&input.tags);
        tagging::put(state, &state::arn(&ctx.region, &input.log_group_name), &input.tags);
        Ok(json!({}))
    })
}

pub(super) fn delete(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let input: Named = read(input)?;
    let now_ms = cloud.clock().now_ms();
    cloud.with(&ctx.region, |state| {
        state.logs.groups.remove(&input.log_group_name).ok_or_else(state::no_group)?;
        tagging::deleted(state, &state::arn(&ctx.region, &input.log_group_name), now_ms);
        Ok(json!({}))
    })
}

pub(super) fn put_retention(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let input: Named = read(input)?;
    let days = input.retention_in_days.filter(|days| RETENTION_DAYS.contains(days));
    let days = days.ok_or_else(|| invalid("retentionInDays is not one of the periods that can be had"))?;
    cloud.with(&ctx.region, |state| {
        state.logs.group(&input.log_group_name)?.retention_days = Some(days);
        Ok(json!({}))
    })
}

pub(super) fn delete_retention(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let input: Named = read(input)?;
    cloud.with(&ctx.region, |state| {
        state.logs.group(&input.log_group_name)?.retention_days = None;
        Ok(json!({}))
    })
}

pub(super) fn create_stream(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let input: Named = read(input)?;
    let name = input.stream()?;
    if name.is_empty() || name.len() > 512 || name.contains([':', '*']) {
        return Err(invalid("logStreamName takes 1 to 512 characters without : and *"));
    }
    let now_ms = cloud.clock().now_ms();
    cloud.with(&ctx.region, |state| match state.logs.group(&input.log_group_name)?.streams.entry(name.to_owned()) {
        Entry::Vacant(place) => {
            place.insert(Stream::new(now_ms));
            Ok(json!({}))
        }
        Entry::Occupied(_) => {
            Err(ApiError::bad("ResourceAlreadyExistsException", "The specified log stream already exists"))
        }
    })
}

pub(super) fn delete_stream(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let input: Named = read(input)?;
    cloud.with(&ctx.region, |state| {
        let group = state.logs.group(&input.log_group_name)?;
        group.stream(input.stream()?)?;
        group.streams.remove(input.stream()?);
        Ok(json!({}))
    })
}

fn check_name(name: &str) -> Result<(), ApiError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "_-/.#".contains(c);
    if name.is_empty() || name.len() > 512 || !name.chars().all(allowed) || name.starts_with("aws/") {
        return Err(invalid(format!("{name:?} is not a name that a log group can have")));
    }
    Ok(())
}
