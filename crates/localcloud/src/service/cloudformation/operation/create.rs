//! CreateStack.

use super::super::engine;
use super::super::input::{Input, check_stack_name};
use super::super::stack::{OperationKind, Settings, Stack};
use super::super::status::Status;
use super::super::template::{Environment, Inputs, Template};
use super::start::{Beginning, begin};
use super::{Answer, intake};
use crate::cloud::{ACCOUNT, Cloud, Context};
use crate::error::ApiError;
use crate::fault::Effect;
use crate::service::{Service, tagging};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A new stack's id.
pub(super) fn stack_id(cloud: &Cloud, ctx: &Context, name: &str) -> String {
    format!("arn:aws:cloudformation:{}:{ACCOUNT}:stack/{name}/{}", ctx.region, cloud.uuid())
}

/// What pseudo parameters answer in a stack.
pub(super) fn environment(ctx: &Context, id: &str, name: &str, settings: &Settings) -> Environment {
    Environment {
        region: ctx.region.clone(),
        stack_id: id.to_owned(),
        stack_name: name.to_owned(),
        notification_arns: settings.notification_arns.clone(),
    }
}

pub(super) fn create_stack(cloud: &Cloud, ctx: &Context, input: &Input<'_>) -> Answer {
    let name = input.stack_name()?;
    check_stack_name(name)?;
    let token = input.token("ClientRequestToken")?;
    if let Some(answer) = answered_before(cloud, ctx, name, token)? {
        return Ok(answer);
    }
    let body = intake::body(cloud, input, None)?;
    let settings = intake::settings(input)?;
    let validate = intake::validates(input)?;
    let template = Template::parse(&body)?;
    intake::check_capabilities(&template, &settings)?;
    let id = stack_id(cloud, ctx, name);
    let given = input.parameters()?;
    let inputs = Inputs::resolve(template, &given, &BTreeMap::new(), environment(ctx, &id, name, &settings))?;
    let mut stack = Stack::new(id, name.to_owned(), cloud.clock().now_ms(), settings);
    stack.body = body;
    stack.inputs = Some(Arc::new(inputs));
    stack.termination_protection = input.flag("EnableTerminationProtection").unwrap_or(false);
    start(cloud, ctx, stack, token, validate)
}

/// The answer to an earlier request with the same token.
fn answered_before(cloud: &Cloud, ctx: &Context, name: &str, token: Option<&str>) -> Result<Option<Value>, ApiError> {
    let seen = cloud.with(&ctx.region, |state| state.cloudformation.repeated(token, OperationKind::Create, name))?;
    Ok(seen.map(|(stack, operation)| json!({ "StackId": stack, "OperationId": operation })))
}

fn start(cloud: &Cloud, ctx: &Context, stack: Stack, token: Option<&str>, validate: bool) -> Answer {
    let (id, name, tags) = (stack.id.clone(), stack.name.clone(), stack.settings.tags.clone());
    let inputs = stack.inputs.clone();
    let effects = effects(cloud, "CreateStack", &stack.name);
    let run = cloud.with(&ctx.region, |state| {
        let stacks = &mut state.cloudformation;
        // The same request may have come in twice at once.
        if stacks.repeated(token, OperationKind::Create, &stack.name)?.is_some() {
            return Ok(None);
        }
        if stacks.find(&stack.name).is_some() {
            return Err(already_exists(&stack.name));
        }
        stacks.add(stack);
        let beginning = Beginning { kind: OperationKind::Create, token, status: Status::CreateInProgress, effects };
        let run = begin(cloud, ctx, stacks, &id, beginning);
        tagging::put(state, &id, &tags);
        Ok(run)
    })?;
    let (Some(run), Some(inputs)) = (run, inputs) else {
        let before = answered_before(cloud, ctx, &name, token)?;
        return before.ok_or_else(|| ApiError::new(500, "InternalFailure", "the stack has vanished"));
    };
    let answer = json!({ "StackId": id, "OperationId": run.operation.id });
    cloud.spawn(engine::create(run, inputs, validate));
    cloud.touch();
    Ok(answer)
}

/// The name is taken.
pub(super) fn already_exists(name: &str) -> ApiError {
    ApiError::bad("AlreadyExistsException", format!("Stack [{name}] already exists"))
}

/// Faults that outlast the request.
pub(super) fn effects(cloud: &Cloud, operation: &str, stack: &str) -> Vec<Effect> {
    cloud.faults().next_on(Service::CloudFormation, operation, stack)
}
