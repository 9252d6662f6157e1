//! Change sets: make, look at, execute, drop.

use super::super::change_set::{ChangeSet, ChangeSetStatus};
use super::super::engine::{self, Run, Target, findings};
use super::super::input::{Input, constraint, quoted};
use super::super::page::page;
use super::super::plan::changes;
use super::super::stack::{OnFailure, Operation, OperationKind, Stack};
use super::super::state::State;
use super::super::status::Status;
use super::super::template::{Inputs, Template, invalid};
use super::create::{already_exists, effects, environment, stack_id};
use super::start::{Beginning, begin};
use super::{Answer, intake, no_stack_with_id, update};
use crate::cloud::{ACCOUNT, Cloud, Context};
use crate::error::ApiError;
use crate::service::tagging;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

const NO_CHANGES: &str =
    "The submitted information didn't contain changes. Submit different information to create a change set.";

pub(super) fn create_change_set(cloud: &Cloud, ctx: &Context, input: &Input<'_>) -> Answer {
    let (name, stack) = (input.required("ChangeSetName")?, input.stack_name()?);
    check_name(name)?;
    let token = input.token("ClientToken")?;
    let creates = creates(input)?;
    let validate = intake::validates(input)?;
    let shell = if creates { Some(shell(cloud, ctx, stack)?) } else { None };
    let (id, target) = match &shell {
        Some((id, plain)) => (id.clone(), new_target(cloud, ctx, input, id, plain)?),
        None => {
            let target = update::target(cloud, ctx, input, stack).map_err(|error| missing(error, stack))?;
            (target.inputs.environment.stack_id.clone(), target)
        }
    };
    let operation =
        Operation { id: cloud.uuid(), kind: OperationKind::CreateChangeSet, token: token.map(str::to_owned) };
    let set = ChangeSet {
        id: format!("arn:aws:cloudformation:{}:{ACCOUNT}:changeSet/{name}/{}", ctx.region, cloud.uuid()),
        name: name.to_owned(),
        description: input.text("Description").map(str::to_owned),
        created_ms: cloud.clock().now_ms(),
        status: ChangeSetStatus::Creating,
        creates,
        body: target.body,
        inputs: target.inputs,
        settings: target.settings,
        changes: Vec::new(),
        operation_id: operation.id.clone(),
    };
    add(cloud, ctx, &id, stack, set, operation, validate)
}

fn missing(error: ApiError, stack: &str) -> ApiError {
    let expected = super::no_stack(stack);
    if error == expected { invalid(format!("Stack [{stack}] does not exist")) } else { error }
}

fn check_name(name: &str) -> Result<(), ApiError> {
    let ok = name.len() <= 128
        && name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if ok || name.starts_with("arn:") {
        return Ok(());
    }
    let rule = "Member must satisfy regular expression pattern: [a-zA-Z][-a-zA-Z0-9]*";
    Err(constraint(&quoted(name), "ChangeSetName", rule))
}

fn creates(input: &Input<'_>) -> Result<bool, ApiError> {
    match input.text("ChangeSetType") {
        Some("CREATE") => Ok(true),
        None | Some("UPDATE") => Ok(false),
        Some("IMPORT") => Err(ApiError::not_emulated("cloudformation CreateChangeSet of type IMPORT")),
        Some(other) => {
            let rule = "Member must satisfy enum value set: [IMPORT, UPDATE, CREATE]";
            Err(constraint(&quoted(other), "ChangeSetType", rule))
        }
    }
}

/// Id and name of the stack that the change set will create: one under review, or a new one.
fn shell(cloud: &Cloud, ctx: &Context, name: &str) -> Result<(String, String), ApiError> {
    let found = cloud.with(&ctx.region, |state| {
        state.cloudformation.find(name).map(|stack| (stack.id.clone(), stack.name.clone(), stack.status))
    });
    match found {
        Some((id, name, Status::ReviewInProgress)) => Ok((id, name)),
        Some((_, name, _)) => Err(already_exists(&name)),
        None => {
            super::super::input::check_stack_name(name)?;
            Ok((stack_id(cloud, ctx, name), name.to_owned()))
        }
    }
}

fn new_target(cloud: &Cloud, ctx: &Context, input: &Input<'_>, id: &str, name: &str) -> Result<Target, ApiError> {
    let body = intake::body(cloud, input, None)?;
    let settings = intake::settings(input)?;
    let template = Template::parse(&body)?;
    intake::check_capabilities(&template, &settings)?;
    let environment = environment(ctx, id, name, &settings);
    let inputs = Inputs::resolve(template, &input.parameters()?, &BTreeMap::new(), environment)?;
    Ok(Target { body, inputs: Arc::new(inputs), settings, validate: false, keep_on_failure: false })
}

/// Adds the change set, with a stack under review where there is none, and works it out in the background.
fn add(
    cloud: &Cloud,
    ctx: &Context,
    id: &str,
    name: &str,
    set: ChangeSet,
    operation: Operation,
    validate: bool,
) -> Answer {
    let answer = json!({ "Id": set.id, "StackId": id });
    let (set_name, now_ms) = (set.name.clone(), cloud.clock().now_ms());
    let names = cloud.with(&ctx.region, |state| {
        let stacks = &mut state.cloudformation;
        if stacks.find(id).is_none() {
            let mut stack = Stack::new(id.to_owned(), name.to_owned(), now_ms, set.settings.clone());
            let reason = Some("User Initiated".to_owned());
            stack.enter(&operation, cloud.uuid(), now_ms, Status::ReviewInProgress, reason);
            stacks.add(stack);
        }
        let Some(stack) = stacks.find_mut(id) else { return Err(no_stack_with_id(name)) };
        if stack.change_sets.contains_key(&set.name) {
            return Err(ApiError::bad("AlreadyExistsException", format!("ChangeSet {} already exists", set.name)));
        }
        stack.operations.push(operation.clone());
        stack.change_sets.insert(set.name.clone(), set);
        Ok((stack.id.clone(), stack.name.clone()))
    })?;
    let run = Run::new(cloud, &ctx.region, (&names.0, &names.1), operation, Vec::new());
    cloud.spawn(work_out(run, set_name, validate));
    cloud.touch();
    Ok(answer)
}

async fn work_out(run: Run, name: String, validate: bool) {
    let set = run.with(|stack| stack.change_sets.get(&name).map(|set| (Arc::clone(&set.inputs), set.settings.clone())));
    let Some((inputs, settings)) = set else { return };
    let findings = if validate { findings(&run, &inputs).await } else { Vec::new() };
    let refused = engine::early_reason(&findings);
    engine::report(&run, findings);
    let planned = run.cloud.with(run.region(), |state| {
        let exports = state.cloudformation.exports();
        let Some(stack) = state.cloudformation.find(&run.stack_id) else { return Ok((Vec::new(), false)) };
        let changes = changes(&stack.resources, &inputs, &settings.tags, &exports)?;
        let target = Target {
            body: String::new(),
            inputs: Arc::clone(&inputs),
            settings: settings.clone(),
            validate: false,
            keep_on_failure: false,
        };
        let any = !changes.is_empty() || update::has_changes(&state.cloudformation, stack, &target)?;
        Ok::<_, ApiError>((changes, any))
    });
    run.with(|stack| {
        let Some(set) = stack.change_sets.get_mut(&name) else { return };
        set.status = match (refused, planned) {
            (Some(reason), _) => ChangeSetStatus::Failed(reason),
            (None, Err(error)) => ChangeSetStatus::Failed(error.message),
            (None, Ok((_, false))) => ChangeSetStatus::Failed(NO_CHANGES.to_owned()),
            (None, Ok((changes, true))) => {
                set.changes = changes;
                ChangeSetStatus::Ready
            }
        };
    });
    run.cloud.touch();
}

/// A change set by its ARN, or by its name in a stack.
pub(super) fn find<'a>(
    stacks: &'a State,
    wanted: &str,
    stack: Option<&str>,
) -> Result<(&'a Stack, &'a ChangeSet), ApiError> {
    let not_found = || ApiError::new(404, "ChangeSetNotFound", format!("ChangeSet [{wanted}] does not exist"));
    if wanted.starts_with("arn:") {
        let mut sets = stacks.stacks().flat_map(|stack| stack.change_sets.values().map(move |set| (stack, set)));
        return sets.find(|(_, set)| set.id == wanted).ok_or_else(not_found);
    }
    let Some(name) = stack else {
        return Err(invalid("StackName must be specified if ChangeSetName is not specified as an ARN."));
    };
    let stack = stacks.find(name).ok_or_else(|| super::no_stack(name))?;
    stack.change_sets.get(wanted).map(|set| (stack, set)).ok_or_else(not_found)
}

pub(super) fn describe_change_set(cloud: &Cloud, ctx: &Context, input: &Input<'_>) -> Answer {
    let wanted = input.required("ChangeSetName")?;
    cloud.with(&ctx.region, |state| {
        let (stack, set) = find(&state.cloudformation, wanted, input.text("StackName"))?;
        let mut shown = set.describe(stack);
        let changes = shown["Changes"].as_array().cloned().unwrap_or_default();
        let paged = page("Changes", &set.id, input.text("NextToken"), changes, 100)?;
        shown["Changes"] = paged["Changes"].clone();
        shown["NextToken"] = paged["NextToken"].clone();
        Ok(shown)
    })
}

pub(super) fn list_change_sets(cloud: &Cloud, ctx: &Context, input: &Input<'_>) -> Answer {
    let name = input.stack_name()?;
    cloud.with(&ctx.region, |state| {
        let stack = state.cloudformation.find(name).ok_or_else(|| super::no_stack(name))?;
        let shown: Vec<Value> = stack.change_sets.values().map(|set| set.summary(stack)).collect();
        page("Summaries", &stack.id, input.text("NextToken"), shown, 100)
    })
}

/// Deleting a change set leaves the stack under review behind, as AWS does.
pub(super) fn delete_change_set(cloud: &Cloud, ctx: &Context, input: &Input<'_>) -> Answer {
    let wanted = input.required("ChangeSetName")?;
    cloud.with(&ctx.region, |state| {
        let stacks = &mut state.cloudformation;
        let (stack_id, name) = match find(stacks, wanted, input.text("StackName")) {
            Ok((stack, set)) => (stack.id.clone(), set.name.clone()),
            Err(error) if error.code == "ChangeSetNotFound" => return Ok(json!({})),
            Err(error) => return Err(error),
        };
        if let Some(stack) = stacks.find_mut(&stack_id) {
            stack.change_sets.remove(&name);
        }
        Ok(json!({}))
    })
}

pub(super) fn execute_change_set(cloud: &Cloud, ctx: &Context, input: &Input<'_>) -> Answer {
    let wanted = input.required("ChangeSetName")?;
    let token = input.token("ClientRequestToken")?;
    let (stack, set) = cloud.with(&ctx.region, |state| {
        let (stack, set) = find(&state.cloudformation, wanted, input.text("StackName"))?;
        if set.status != ChangeSetStatus::Ready {
            let status = set.summary(stack);
            return Err(ApiError::bad(
                "InvalidChangeSetStatus",
                format!("ChangeSet [{}] cannot be executed in its current status of [{}]", set.id, status["Status"]),
            ));
        }
        Ok::<_, ApiError>((stack.id.clone(), set.clone()))
    })?;
    let keep = input.flag("DisableRollback").unwrap_or(false);
    if set.creates {
        execute_creation(cloud, ctx, &stack, &set, token, keep)?;
    } else {
        let keep_on_failure = Target::keeps(keep, set.settings.on_failure);
        let target = Target {
            body: set.body.clone(),
            inputs: Arc::clone(&set.inputs),
            settings: set.settings.clone(),
            // The change set has been validated when it was made.
            validate: false,
            keep_on_failure,
        };
        update::start(cloud, ctx, &stack, token, target, "ExecuteChangeSet")?;
    }
    cloud.with(&ctx.region, |state| {
        if let Some(stack) = state.cloudformation.find_mut(&stack) {
            stack.change_set_id = Some(set.id.clone());
            stack.change_sets.retain(|name, _| *name == set.name);
            stack.change_sets.values_mut().for_each(|set| set.status = ChangeSetStatus::Executed);
        }
    });
    Ok(json!({}))
}

fn execute_creation(
    cloud: &Cloud,
    ctx: &Context,
    id: &str,
    set: &ChangeSet,
    token: Option<&str>,
    keep: bool,
) -> Result<(), ApiError> {
    let run = cloud.with(&ctx.region, |state| {
        let stacks = &mut state.cloudformation;
        let stack = stacks.find_mut(id).ok_or_else(|| no_stack_with_id(id))?;
        if stack.status != Status::ReviewInProgress {
            return Err(already_exists(&stack.name));
        }
        stack.body.clone_from(&set.body);
        stack.inputs = Some(Arc::clone(&set.inputs));
        stack.settings = set.settings.clone();
        if keep {
            stack.settings.on_failure = OnFailure::DoNothing;
        }
        let effects = effects(cloud, "ExecuteChangeSet", &stack.name);
        let beginning = Beginning { kind: OperationKind::Create, token, status: Status::CreateInProgress, effects };
        let run = begin(cloud, ctx, stacks, id, beginning).ok_or_else(|| no_stack_with_id(id))?;
        tagging::put(state, id, &set.settings.tags);
        Ok(run)
    })?;
    // The change set has been validated when it was made.
    cloud.spawn(engine::create(run, Arc::clone(&set.inputs), false));
    cloud.touch();
    Ok(())
}
