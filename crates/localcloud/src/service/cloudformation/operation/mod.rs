//! The operations: checks and answers.

mod change_set;
mod create;
mod delete;
mod describe;
mod events;
mod intake;
mod resources;
mod rollback;
mod start;
mod template;
mod update;

use super::input::Input;
use super::template::invalid;
use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use serde_json::Value;

type Answer = Result<Value, ApiError>;

/// Dispatches by name.
pub(super) fn call(cloud: &Cloud, ctx: &Context, operation: &str, input: &Value) -> Answer {
    let input = &Input(input);
    match operation {
        "CreateStack" => create::create_stack(cloud, ctx, input),
        "UpdateStack" => update::update_stack(cloud, ctx, input),
        "DeleteStack" => delete::delete_stack(cloud, ctx, input),
        "UpdateTerminationProtection" => delete::update_termination_protection(cloud, ctx, input),
        "CancelUpdateStack" => rollback::cancel_update(cloud, ctx, input),
        "RollbackStack" => rollback::rollback_stack(cloud, ctx, input),
        "ContinueUpdateRollback" => rollback::continue_update_rollback(cloud, ctx, input),
        "DescribeStacks" => describe::describe_stacks(cloud, ctx, input),
        "DescribeAccountLimits" => describe::describe_account_limits(),
        "ListStacks" => describe::list_stacks(cloud, ctx, input),
        "ListExports" => describe::list_exports(cloud, ctx, input),
        "DescribeStackEvents" => events::describe_stack_events(cloud, ctx, input),
        "DescribeEvents" => events::describe_events(cloud, ctx, input),
        "DescribeStackResource" => resources::describe_stack_resource(cloud, ctx, input),
        "DescribeStackResources" => resources::describe_stack_resources(cloud, ctx, input),
        "ListStackResources" => resources::list_stack_resources(cloud, ctx, input),
        "GetTemplate" => template::get_template(cloud, ctx, input),
        "GetTemplateSummary" => template::get_template_summary(cloud, ctx, input),
        "ValidateTemplate" => template::validate_template(cloud, input),
        "CreateChangeSet" => change_set::create_change_set(cloud, ctx, input),
        "DescribeChangeSet" => change_set::describe_change_set(cloud, ctx, input),
        "ExecuteChangeSet" => change_set::execute_change_set(cloud, ctx, input),
        "DeleteChangeSet" => change_set::delete_change_set(cloud, ctx, input),
        "ListChangeSets" => change_set::list_change_sets(cloud, ctx, input),
        _ => Err(ApiError::not_emulated(format!("cloudformation {operation}"))),
    }
}

/// There is no such stack, as most operations say it.
fn no_stack_with_id(name: &str) -> ApiError {
    invalid(format!("Stack with id {name} does not exist"))
}

/// There is no such stack, as updates and events say it.
fn no_stack(name: &str) -> ApiError {
    invalid(format!("Stack [{name}] does not exist"))
}
