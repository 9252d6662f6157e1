//! Tags of log groups, by ARN and by the older operations by name.

use super::read;
use super::state;
use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use crate::service::tagging::{self, Tags};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ByArn {
    resource_arn: String,
    #[serde(default)]
    tags: Tags,
    #[serde(default)]
    tag_keys: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ByName {
    log_group_name: String,
    #[serde(default)]
    tags: Value,
}

pub(super) fn tag(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let input: ByArn = read(input)?;
    change(cloud, ctx, state::name_of(&input.resource_arn), |tags| tags.extend(input.tags))
}

pub(super) fn untag(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let input: ByArn = read(input)?;
    change(cloud, ctx, state::name_of(&input.resource_arn), |tags| tags.retain(|key, _| !input.tag_keys.contains(key)))
}

pub(super) fn list(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let input: ByArn = read(input)?;
    tags_of(cloud, ctx, state::name_of(&input.resource_arn))
}

pub(super) fn tag_group(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let input: ByName = read(input)?;
    let new: Tags = read(input.tags)?;
    change(cloud, ctx, &input.log_group_name, |tags| tags.extend(new))
}

pub(super) fn untag_group(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let input: ByName = read(input)?;
    let keys: Vec<String> = read(input.tags)?;
    change(cloud, ctx, &input.log_group_name, |tags| tags.retain(|key, _| !keys.contains(key)))
}

pub(super) fn list_group(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let input: ByName = read(input)?;
    tags_of(cloud, ctx, &input.log_group_name)
}

fn tags_of(cloud: &Cloud, ctx: &Context, group: &str) -> Result<Value, ApiError> {
    cloud.with(&ctx.region, |state| Ok(json!({ "tags": state.logs.group(group)?.tags })))
}

fn change(cloud: &Cloud, ctx: &Context, group: &str, act: impl FnOnce(&mut Tags)) -> Result<Value, ApiError> {
    cloud.with(&ctx.region, |state| {
        let tags = &mut state.logs.group(group)?.tags;
        act(tags);
        let tags = tags.clone();
        tagging::put(state, &state::arn(&ctx.region, group), &tags);
        Ok(json!({}))
    })
}
