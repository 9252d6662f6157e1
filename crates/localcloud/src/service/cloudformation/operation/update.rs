//! UpdateStack.

use super::super::engine::{self, Target};
use super::super::input::Input;
use super::super::plan::changes;
use super::super::stack::{OperationKind, Output, Settings, Stack};
use super::super::state::State;
use super::super::status::Status;
use super::super::template::{Inputs, Scope, Template, invalid};
use super::create::{effects, environment};
use super::start::{Beginning, begin, id_of};
use super::{Answer, intake, no_stack};
use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use crate::service::tagging;
use serde_json::json;
use std::sync::Arc;

pub(super) fn update_stack(cloud: &Cloud, ctx: &Context, input: &Input<'_>) -> Answer {
    let name = input.stack_name()?;
    let token = input.token("ClientRequestToken")?;
    let repeated =
        cloud.with(&ctx.region, |state| state.cloudformation.repeated(token, OperationKind::Update, name))?;
    if let Some((stack, operation)) = repeated {
        return Ok(json!({ "StackId": stack, "OperationId": operation }));
    }
    let target = target(cloud, ctx, input, name)?;
    cloud.with(&ctx.region, |state| {
        let stacks = &state.cloudformation;
        let stack = stacks.find(name).ok_or_else(|| no_stack(name))?;
        refuse_unless_updatable(stack)?;
        refuse_without_changes(stacks, stack, &target)
    })?;
    start(cloud, ctx, name, token, target, "UpdateStack")
}

/// What a request wants a stack to become.
pub(super) fn target(cloud: &Cloud, ctx: &Context, input: &Input<'_>, name: &str) -> Result<Target, ApiError> {
    let present = cloud.with(&ctx.region, |state| {
        let stack = state.cloudformation.find(name)?;
        let texts = stack.inputs.as_ref().map(|inputs| inputs.texts()).unwrap_or_default();
        Some((stack.id.clone(), stack.name.clone(), stack.body.clone(), texts, stack.settings.clone()))
    });
    let (id, name, previous, texts, present) = present.ok_or_else(|| no_stack(name))?;
    let body = intake::body(cloud, input, Some(previous))?;
    let mut settings = intake::settings(input)?;
    keep_absent(&mut settings, present, input);
    let template = Template::parse(&body)?;
    intake::check_capabilities(&template, &settings)?;
    let inputs = Inputs::resolve(template, &input.parameters()?, &texts, environment(ctx, &id, &name, &settings))?;
    let keep_on_failure = input.flag("DisableRollback").unwrap_or(false);
    let validate = intake::validates(input)?;
    Ok(Target { body, inputs: Arc::new(inputs), settings, validate, keep_on_failure })
}

/// Tags and the role stay as they are when the request does not name them.
fn keep_absent(settings: &mut Settings, present: Settings, input: &Input<'_>) {
    if input.0.get("Tags").is_none() {
        settings.tags = present.tags;
    }
    settings.role_arn = settings.role_arn.take().or(present.role_arn);
    settings.timeout_minutes = present.timeout_minutes;
    settings.on_failure = present.on_failure;
}

pub(super) fn refuse_unless_updatable(stack: &Stack) -> Result<(), ApiError> {
    if stack.status.is_updatable() {
        return Ok(());
    }
    let (id, status) = (&stack.id, stack.status.name());
    Err(invalid(format!("Stack:{id} is in {status} state and can not be updated.")))
}

fn refuse_without_changes(stacks: &State, stack: &Stack, target: &Target) -> Result<(), ApiError> {
    if has_changes(stacks, stack, target)? {
        return Ok(());
    }
    Err(invalid("No updates are to be performed."))
}

/// Whether resources, stack tags or outputs would change.
pub(super) fn has_changes(stacks: &State, stack: &Stack, target: &Target) -> Result<bool, ApiError> {
    let exports = stacks.exports();
    let tags = &target.settings.tags;
    if *tags != stack.settings.tags || !changes(&stack.resources, &target.inputs, tags, &exports)?.is_empty() {
        return Ok(true);
    }
    let scope = Scope { inputs: &target.inputs, resources: &stack.resources, exports: &exports };
    let wanted =
        target.inputs.template.outputs.iter().filter(|(_, output)| target.inputs.holds(output.condition.as_ref()));
    let mut outputs = Vec::new();
    for (key, definition) in wanted {
        let export = match &definition.export {
            Some(name) => Some(scope.scalar(name, "the export name")?),
            None => None,
        };
        let value = scope.scalar(&definition.value, "the value of an output")?;
        outputs.push(Output { key: key.clone(), value, description: definition.description.clone(), export });
    }
    Ok(outputs != stack.outputs)
}

/// Takes the stack over and updates it in the background.
pub(super) fn start(
    cloud: &Cloud,
    ctx: &Context,
    name: &str,
    token: Option<&str>,
    target: Target,
    operation: &str,
) -> Answer {
    let effects = effects(cloud, operation, name);
    let started = cloud.with(&ctx.region, |state| {
        let id = id_of(&state.cloudformation, name);
        let stack = state.cloudformation.find_mut(&id).ok_or_else(|| no_stack(name))?;
        refuse_unless_updatable(stack)?;
        stack.updated_ms = Some(cloud.clock().now_ms());
        stack.cancelling = false;
        let beginning = Beginning { kind: OperationKind::Update, token, status: Status::UpdateInProgress, effects };
        let run = begin(cloud, ctx, &mut state.cloudformation, &id, beginning).ok_or_else(|| no_stack(name))?;
        tagging::put(state, &id, &target.settings.tags);
        Ok((id, run))
    });
    let (id, run) = started?;
    let answer = json!({ "StackId": id, "OperationId": run.operation.id });
    cloud.spawn(engine::update(run, target));
    cloud.touch();
    Ok(answer)
}
