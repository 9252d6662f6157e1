//! DescribeStacks and ListStacks.

use super::super::input::Input;
use super::super::page::page;
use super::super::stack::Stack;
use super::{Answer, no_stack_with_id};
use crate::cloud::{Cloud, Context};
use serde_json::{Value, json};

/// Stacks on one page of `DescribeStacks`; the service cuts at a size instead.
const DESCRIBED_PER_PAGE: usize = 50;
const LISTED_PER_PAGE: usize = 100;

/// By name only live stacks are found, by id also deleted ones; without a name, all live ones.
pub(super) fn describe_stacks(cloud: &Cloud, ctx: &Context, input: &Input<'_>) -> Answer {
    cloud.with(&ctx.region, |state| {
        let stacks = &state.cloudformation;
        if let Some(name) = input.text("StackName") {
            let stack = stacks.find(name).ok_or_else(|| no_stack_with_id(name))?;
            return Ok(json!({ "Stacks": [stack.describe()] }));
        }
        let live = stacks.stacks().filter(|stack| stack.is_live()).map(Stack::describe).collect();
        page("Stacks", "all", input.text("NextToken"), live, DESCRIBED_PER_PAGE)
    })
}

/// All stacks, deleted ones too, or those with the given statuses.
pub(super) fn list_stacks(cloud: &Cloud, ctx: &Context, input: &Input<'_>) -> Answer {
    let filter = input.texts("StackStatusFilter");
    cloud.with(&ctx.region, |state| {
        let wanted = |stack: &&Stack| filter.is_empty() || filter.iter().any(|status| status == stack.status.name());
        let found = state.cloudformation.stacks().filter(wanted).map(Stack::summary).collect();
        page("StackSummaries", &filter.join(","), input.text("NextToken"), found, LISTED_PER_PAGE)
    })
}

/// The quotas that a new account has (CloudFormation quotas); nothing enforces them here.
pub(super) fn describe_account_limits() -> Answer {
    let limit = |name: &str, value: u32| json!({ "Name": name, "Value": value });
    Ok(json!({ "AccountLimits": [limit("StackLimit", 2000), limit("StackOutputsLimit", 200)] }))
}

pub(super) fn list_exports(cloud: &Cloud, ctx: &Context, input: &Input<'_>) -> Answer {
    cloud.with(&ctx.region, |state| {
        let live = state.cloudformation.stacks().filter(|stack| stack.is_live());
        let exports = live.flat_map(|stack| {
            stack.outputs.iter().filter_map(|output| {
                let name = output.export.as_ref()?;
                Some(json!({ "ExportingStackId": stack.id, "Name": name, "Value": output.value }))
            })
        });
        let exports: Vec<Value> = exports.collect();
        page("Exports", "exports", input.text("NextToken"), exports, LISTED_PER_PAGE)
    })
}
