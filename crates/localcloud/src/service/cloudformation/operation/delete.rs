//! DeleteStack and the protection against it.

use super::super::engine::{self, Deletion, Run};
use super::super::input::{Input, constraint, quoted};
use super::super::stack::{Operation, OperationKind, Stack};
use super::super::state::State;
use super::super::status::Status;
use super::super::template::invalid;
use super::create::effects;
use super::start::{Beginning, begin};
use super::{Answer, no_stack};
use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use serde_json::json;
use std::sync::Arc;

pub(super) fn delete_stack(cloud: &Cloud, ctx: &Context, input: &Input<'_>) -> Answer {
    let name = input.stack_name()?;
    let token = input.token("ClientRequestToken")?;
    let deletion = Deletion {
        retain: input.texts("RetainResources").into_iter().collect(),
        force: force(input)?,
        undoes_creation: false,
    };
    let effects = effects(cloud, "DeleteStack", name);
    let run = cloud.with(&ctx.region, |state| {
        let stacks = &mut state.cloudformation;
        if stacks.repeated(token, OperationKind::Delete, name)?.is_some() {
            return Ok(None);
        }
        // Deleting what is gone or going is a success.
        let Some(stack) = stacks.find(name).filter(|stack| stack.is_live()) else { return Ok(None) };
        if stack.status == Status::DeleteInProgress {
            return Ok(None);
        }
        refuse(stack, &deletion)?;
        let id = stack.id.clone();
        if refused_for_exports(cloud, stacks, &id, token) {
            return Ok(None);
        }
        if let Some(stack) = stacks.find_mut(&id) {
            stack.deletion_mode = deletion.force.then(|| "FORCE_DELETE_STACK".to_owned());
        }
        let beginning = Beginning { kind: OperationKind::Delete, token, status: Status::DeleteInProgress, effects };
        Ok::<Option<Arc<Run>>, ApiError>(begin(cloud, ctx, stacks, &id, beginning))
    })?;
    if let Some(run) = run {
        cloud.spawn(engine::delete(run, deletion));
    }
    cloud.touch();
    Ok(json!({}))
}

fn force(input: &Input<'_>) -> Result<bool, ApiError> {
    match input.text("DeletionMode") {
        None | Some("STANDARD") => Ok(false),
        Some("FORCE_DELETE_STACK") => Ok(true),
        Some(other) => {
            let rule = "Member must satisfy enum value set: [FORCE_DELETE_STACK, STANDARD]";
            Err(constraint(&quoted(other), "DeletionMode", rule))
        }
    }
}

fn refuse(stack: &Stack, deletion: &Deletion) -> Result<(), ApiError> {
    let (name, id, status) = (&stack.name, &stack.id, stack.status);
    if stack.termination_protection {
        return Err(invalid(format!("Stack [{name}] cannot be deleted while TerminationProtection is enabled")));
    }
    let updating = matches!(
        status,
        Status::UpdateInProgress
            | Status::UpdateCompleteCleanupInProgress
            | Status::UpdateRollbackInProgress
            | Status::UpdateRollbackCompleteCleanupInProgress
    );
    if updating {
        return Err(invalid(format!("Stack [{id}] cannot be deleted while in status {}", status.name())));
    }
    if (deletion.force || !deletion.retain.is_empty()) && status != Status::DeleteFailed {
        let status = status.name();
        return Err(invalid(format!(
            "Invalid operation on stack [{id}]. RetainResources and FORCE_DELETE_STACK need a stack in DELETE_FAILED; \
             this one is in {status}"
        )));
    }
    match deletion.retain.iter().find(|name| !stack.resources.contains_key(*name)) {
        Some(unknown) => Err(invalid(format!("The resource {unknown} to retain does not exist in stack [{name}]"))),
        None => Ok(()),
    }
}

/// An export in use cancels the deletion after the request has been accepted: the stack keeps its status, and an
/// event with that same status tells why.
fn refused_for_exports(cloud: &Cloud, stacks: &mut State, id: &str, token: Option<&str>) -> bool {
    let exports: Vec<String> = stacks
        .find(id)
        .map(|stack| stack.outputs.iter().filter_map(|output| output.export.clone()).collect())
        .unwrap_or_default();
    let reason = stacks
        .export_in_use(id, &exports)
        .map(|(export, user)| format!("Export {export} cannot be deleted as it is in use by {user}"));
    let Some(reason) = reason else { return false };
    if let Some(stack) = stacks.find_mut(id) {
        let operation = Operation { id: cloud.uuid(), kind: OperationKind::Delete, token: token.map(str::to_owned) };
        let status = stack.status;
        stack.operations.push(operation.clone());
        stack.enter(&operation, cloud.uuid(), cloud.clock().now_ms(), status, Some(reason));
    }
    true
}

pub(super) fn update_termination_protection(cloud: &Cloud, ctx: &Context, input: &Input<'_>) -> Answer {
    let name = input.stack_name()?;
    let Some(enable) = input.flag("EnableTerminationProtection") else {
        return Err(constraint("null", "EnableTerminationProtection", "Member must not be null"));
    };
    cloud.with(&ctx.region, |state| {
        let stack = state.cloudformation.find_mut(name).ok_or_else(|| no_stack(name))?;
        if matches!(stack.status, Status::DeleteInProgress | Status::DeleteComplete) {
            let (id, status) = (&stack.id, stack.status.name());
            return Err(invalid(format!("Stack [{id}] is in status {status}; its protection cannot be changed")));
        }
        stack.termination_protection = enable;
        Ok(json!({ "StackId": stack.id }))
    })
}
