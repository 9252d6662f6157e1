//! Listings of a stack's resources.

use super::super::input::Input;
use super::super::page::page;
use super::super::record::Record;
use super::super::stack::Stack;
use super::super::template::invalid;
use super::create::effects;
use super::{Answer, no_stack_with_id};
use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use crate::fault::Effect;
use crate::time;
use serde_json::{Value, json};

const PER_PAGE: usize = 100;

pub(super) fn list_stack_resources(cloud: &Cloud, ctx: &Context, input: &Input<'_>) -> Answer {
    let name = input.stack_name()?;
    let late = is_late(cloud, "ListStackResources", name);
    cloud.with(&ctx.region, |state| {
        let stack = state.cloudformation.find(name).ok_or_else(|| no_stack_with_id(name))?;
        let shown = visible(stack, late).map(|(name, record)| summary(name, record)).collect();
        page("StackResourceSummaries", &stack.id, input.text("NextToken"), shown, PER_PAGE)
    })
}

/// Up to 100 resources, of a stack or of the stack that a physical id belongs to.
pub(super) fn describe_stack_resources(cloud: &Cloud, ctx: &Context, input: &Input<'_>) -> Answer {
    let (name, physical, logical) =
        (input.text("StackName"), input.text("PhysicalResourceId"), input.text("LogicalResourceId"));
    let late = is_late(cloud, "DescribeStackResources", name.unwrap_or_default());
    cloud.with(&ctx.region, |state| {
        let stacks = &state.cloudformation;
        let stack = match (name, physical) {
            (Some(name), None) => stacks.find(name).ok_or_else(|| no_stack_with_id(name))?,
            (None, Some(physical)) => {
                let mut live = stacks.stacks().filter(|stack| stack.is_live());
                let owner = live.find(|stack| stack.resources.values().any(|record| is(record, physical)));
                owner.ok_or_else(|| invalid(format!("Stack for {physical} does not exist")))?
            }
            _ => return Err(invalid("Exactly one of StackName and PhysicalResourceId must be specified.")),
        };
        let wanted = visible(stack, late).filter(|(name, _)| logical.is_none_or(|logical| logical == *name));
        let shown: Vec<Value> = wanted.take(PER_PAGE).map(|(name, record)| described(stack, name, record)).collect();
        Ok(json!({ "StackResources": shown }))
    })
}

pub(super) fn describe_stack_resource(cloud: &Cloud, ctx: &Context, input: &Input<'_>) -> Answer {
    let (name, logical) = (input.stack_name()?, input.required("LogicalResourceId")?);
    cloud.with(&ctx.region, |state| {
        let stack = state.cloudformation.find(name).ok_or_else(|| no_stack_with_id(name))?;
        let Some(record) = stack.resources.get(logical) else {
            return Err::<Value, ApiError>(invalid(format!(
                "Resource {logical} does not exist for stack {}",
                stack.name
            )));
        };
        let mut detail = summary(logical, record);
        detail["StackName"] = json!(stack.name);
        detail["StackId"] = json!(stack.id);
        detail["Metadata"] = json!(record.metadata.as_ref().map(ToString::to_string));
        Ok(json!({ "StackResourceDetail": detail }))
    })
}

fn is(record: &Record, physical: &str) -> bool {
    record.physical_id.as_deref() == Some(physical)
}

/// A scripted `late_resource` hides the resource that changed last from one answer.
fn is_late(cloud: &Cloud, operation: &str, stack: &str) -> bool {
    effects(cloud, operation, stack).contains(&Effect::LateResource)
}

fn visible(stack: &Stack, late: bool) -> impl Iterator<Item = (&String, &Record)> {
    let newest = stack.resources.iter().max_by_key(|(_, record)| record.changed_ms).filter(|_| late);
    let hidden = newest.map(|(name, _)| name);
    stack.resources.iter().filter(move |(name, _)| Some(*name) != hidden)
}

fn summary(logical_id: &str, record: &Record) -> Value {
    json!({
        "LogicalResourceId": logical_id,
        "PhysicalResourceId": record.physical_id,
        "ResourceType": record.kind,
        "LastUpdatedTimestamp": time::epoch_seconds(record.changed_ms),
        "ResourceStatus": record.status.name(),
        "ResourceStatusReason": record.reason,
        "DriftInformation": { "StackResourceDriftStatus": "NOT_CHECKED" },
    })
}

fn described(stack: &Stack, logical_id: &str, record: &Record) -> Value {
    json!({
        "StackName": stack.name,
        "StackId": stack.id,
        "LogicalResourceId": logical_id,
        "PhysicalResourceId": record.physical_id,
        "ResourceType": record.kind,
        "Timestamp": time::epoch_seconds(record.changed_ms),
        "ResourceStatus": record.status.name(),
        "ResourceStatusReason": record.reason,
        "DriftInformation": { "StackResourceDriftStatus": "NOT_CHECKED" },
    })
}
