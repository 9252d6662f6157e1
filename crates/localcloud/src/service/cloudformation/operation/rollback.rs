//! Operations on stacks that are stuck.

use super::super::engine;
use super::super::input::Input;
use super::super::stack::OperationKind;
use super::super::status::Status;
use super::super::template::invalid;
use super::create::effects;
use super::start::{Beginning, begin};
use super::{Answer, no_stack};
use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use crate::service::cloudformation::engine::Run;
use serde_json::json;
use std::sync::Arc;

pub(super) fn cancel_update(cloud: &Cloud, ctx: &Context, input: &Input<'_>) -> Answer {
    let name = input.stack_name()?;
    cloud.with(&ctx.region, |state| {
        let stack = state.cloudformation.find_mut(name).ok_or_else(|| no_stack(name))?;
        if stack.status != Status::UpdateInProgress {
            return Err(invalid("CancelUpdateStack cannot be called from current stack status"));
        }
        stack.cancelling = true;
        Ok(json!({}))
    })
}

pub(super) fn rollback_stack(cloud: &Cloud, ctx: &Context, input: &Input<'_>) -> Answer {
    let (kind, next) = (OperationKind::Rollback, Status::RollbackInProgress);
    let run = take_over(cloud, ctx, input, kind, next, Status::CreateFailed, "RollbackStack")?;
    let answer = json!({ "StackId": run.stack_id, "OperationId": run.operation.id });
    cloud.spawn(engine::rollback_failed_creation(run));
    Ok(answer)
}

pub(super) fn continue_update_rollback(cloud: &Cloud, ctx: &Context, input: &Input<'_>) -> Answer {
    let (kind, next) = (OperationKind::ContinueRollback, Status::UpdateRollbackInProgress);
    let run = take_over(cloud, ctx, input, kind, next, Status::UpdateRollbackFailed, "ContinueUpdateRollback")?;
    let answer = json!({ "OperationId": run.operation.id });
    cloud.spawn(engine::continue_update_rollback(run, input.texts("ResourcesToSkip")));
    Ok(answer)
}

fn take_over(
    cloud: &Cloud,
    ctx: &Context,
    input: &Input<'_>,
    kind: OperationKind,
    next: Status,
    from: Status,
    operation: &str,
) -> Result<Arc<Run>, ApiError> {
    let name = input.stack_name()?;
    let token = input.token("ClientRequestToken")?;
    let effects = effects(cloud, operation, name);
    cloud.with(&ctx.region, |state| {
        let stacks = &mut state.cloudformation;
        let stack = stacks.find(name).ok_or_else(|| no_stack(name))?;
        if stack.status != from {
            let (id, status) = (&stack.id, stack.status.name());
            return Err(invalid(format!("Stack:{id} is in {status} state and {operation} needs {}", from.name())));
        }
        let id = stack.id.clone();
        begin(cloud, ctx, stacks, &id, Beginning { kind, token, status: next, effects }).ok_or_else(|| no_stack(name))
    })
}
