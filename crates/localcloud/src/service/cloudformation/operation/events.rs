//! DescribeStackEvents and DescribeEvents.

use super::super::event::Event;
use super::super::input::Input;
use super::super::page::page;
use super::super::stack::Stack;
use super::super::template::invalid;
use super::{Answer, no_stack};
use crate::cloud::{Cloud, Context};
use serde_json::Value;

const PER_PAGE: usize = 100;

/// Newest first.
pub(super) fn describe_stack_events(cloud: &Cloud, ctx: &Context, input: &Input<'_>) -> Answer {
    let name = input.stack_name()?;
    cloud.with(&ctx.region, |state| {
        let stack = state.cloudformation.find(name).ok_or_else(|| no_stack(name))?;
        let newest_first = stack.events.iter().rev();
        let shown = newest_first.filter_map(|event| event.stack_event(&stack.id, &stack.name)).collect();
        page("StackEvents", &stack.id, input.text("NextToken"), shown, PER_PAGE)
    })
}

/// Newest first; of one operation, of one change set, or of a stack.
pub(super) fn describe_events(cloud: &Cloud, ctx: &Context, input: &Input<'_>) -> Answer {
    let (name, operation, change_set) =
        (input.text("StackName"), input.text("OperationId"), input.text("ChangeSetName"));
    let failures = input.0.get("Filters").map(Input).and_then(|filters| filters.flag("FailedEvents")).unwrap_or(false);
    cloud.with(&ctx.region, |state| {
        let stacks = &state.cloudformation;
        let (stack, operation) = match (name, operation, change_set) {
            (_, Some(operation), _) => {
                let owner = stacks.stacks().find(|stack| has_operation(stack, operation));
                let owner = owner.ok_or_else(|| invalid(format!("Operation [{operation}] does not exist")))?;
                (owner, Some(operation.to_owned()))
            }
            (_, None, Some(change_set)) => {
                let (owner, operation) = stacks
                    .stacks()
                    .filter(|stack| name.is_none_or(|name| stack.name == name || stack.id == name))
                    .find_map(|stack| Some((stack, operation_of(stack, change_set)?)))
                    .ok_or_else(|| invalid(format!("ChangeSet [{change_set}] does not exist")))?;
                (owner, Some(operation))
            }
            (Some(name), None, None) => (stacks.find(name).ok_or_else(|| no_stack(name))?, None),
            (None, None, None) => {
                return Err(invalid("One of StackName, ChangeSetName and OperationId must be specified."));
            }
        };
        let wanted = |event: &&Event| {
            operation.as_ref().is_none_or(|id| *id == event.operation_id) && (!failures || event.is_failure())
        };
        let newest_first = stack.events.iter().rev().filter(wanted);
        let shown: Vec<Value> = newest_first
            .map(|event| event.operation_event(&stack.id, stack.operation_name(&event.operation_id)))
            .collect();
        let anchor = format!("{} {} {failures}", stack.id, operation.unwrap_or_default());
        page("OperationEvents", &anchor, input.text("NextToken"), shown, PER_PAGE)
    })
}

fn has_operation(stack: &Stack, id: &str) -> bool {
    stack.operations.iter().any(|operation| operation.id == id)
}

fn operation_of(stack: &Stack, change_set: &str) -> Option<String> {
    let found = stack.change_sets.values().find(|set| set.name == change_set || set.id == change_set)?;
    Some(found.operation_id.clone())
}
