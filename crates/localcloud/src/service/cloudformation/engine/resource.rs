//! One resource through one operation.

use super::super::plan::{changed, present};
use super::super::record::{Record, Tags};
use super::super::resource::{self, Kind, Work, own_tags, with_system_tags};
use super::super::schema;
use super::super::state::merged;
use super::super::status::Status;
use super::super::template::{Definition, DeletionPolicy, Inputs, Scope, dependencies};
use super::Run;
use crate::error::ApiError;
use crate::fault::Effect;
use serde_json::{Map, Value};

/// A resource as the template wants it, evaluated.
pub(super) struct Wanted {
    pub(super) kind: Kind,
    pub(super) properties: Map<String, Value>,
    pub(super) tags: Tags,
}

/// Evaluates a resource's properties now that all it depends on exists.
pub(super) fn wanted(run: &Run, inputs: &Inputs, logical_id: &str, stack_tags: &Tags) -> Result<Wanted, String> {
    let Some(definition) = inputs.template.resources.get(logical_id) else {
        return Err(format!("no resource {logical_id} in the template"));
    };
    let Some(kind) = Kind::from_name(&definition.kind) else {
        return Err(ApiError::not_emulated(format!("the resource type {}", definition.kind)).message);
    };
    let evaluated = evaluate(run, inputs, definition).map_err(|error| error.message)?;
    let properties = schema::conform(kind, &evaluated).map_err(|refusal| refusal.reason(logical_id))?;
    let tags = merged(stack_tags, &own_tags(&properties));
    Ok(Wanted { kind, properties, tags })
}

fn evaluate(run: &Run, inputs: &Inputs, definition: &Definition) -> Result<Map<String, Value>, ApiError> {
    run.cloud.with(run.region(), |state| {
        let exports = state.cloudformation.exports();
        let Some(stack) = state.cloudformation.find(&run.stack_id) else { return Ok(Map::new()) };
        Scope { inputs, resources: &stack.resources, exports: &exports }.object(&definition.properties)
    })
}

/// The record of a resource whose creation begins.
fn beginning(run: &Run, inputs: &Inputs, logical_id: &str, wanted: Option<&Wanted>) -> Record {
    let definition = inputs.template.resources.get(logical_id);
    Record {
        kind: definition.map(|definition| definition.kind.clone()).unwrap_or_default(),
        physical_id: None,
        attributes: Map::new(),
        properties: wanted.map(|wanted| wanted.properties.clone()).unwrap_or_default(),
        tags: wanted.map(|wanted| wanted.tags.clone()).unwrap_or_default(),
        waits_for: dependencies(inputs).remove(logical_id).unwrap_or_default(),
        deletion_policy: definition.map_or(DeletionPolicy::Delete, |definition| definition.deletion_policy),
        update_replace_policy: definition.map_or(DeletionPolicy::Delete, |definition| definition.update_replace_policy),
        metadata: definition.and_then(|definition| definition.metadata.clone()),
        status: Status::CreateInProgress,
        reason: None,
        changed_ms: run.now_ms(),
    }
}

/// Creates a resource, with its events. The error is the reason, which is in the last event too.
pub(super) async fn create(run: &Run, inputs: &Inputs, logical_id: &str, stack_tags: &Tags) -> Result<(), String> {
    let wanted = wanted(run, inputs, logical_id, stack_tags);
    run.track(logical_id, beginning(run, inputs, logical_id, wanted.as_ref().ok()));
    run.resource_is(logical_id, Status::CreateInProgress, None);
    let created = match wanted {
        Ok(wanted) => make(run, logical_id, &wanted).await,
        Err(reason) => Err(reason),
    };
    if let Err(reason) = &created {
        run.resource_is(logical_id, Status::CreateFailed, Some(reason));
    }
    created
}

/// Calls the service, then waits until the resource is ready. Does not say that it is complete.
pub(super) async fn make(run: &Run, logical_id: &str, wanted: &Wanted) -> Result<(), String> {
    if run.suffers(&Effect::CreateFailed { logical_id: logical_id.to_owned() }) {
        return Err(format!(
            "Resource handler returned message: \"scripted fault on {logical_id}\" (HandlerErrorCode: GeneralServiceException)"
        ));
    }
    let work = work(run, logical_id, wanted.kind, &wanted.properties, &wanted.tags);
    let physical_id = resource::create(wanted.kind, &work).await.map_err(|failure| failure.reason)?;
    run.record(logical_id, |record| record.physical_id = Some(physical_id.clone()));
    run.resource_is(logical_id, Status::CreateInProgress, Some("Resource creation Initiated"));
    let attributes = resource::settle(wanted.kind, &work, &physical_id).await.map_err(|failure| failure.reason)?;
    run.record(logical_id, |record| record.attributes = attributes);
    Ok(())
}

/// A resource's work, with all tags that its type takes.
pub(super) fn work<'a>(
    run: &'a Run,
    logical_id: &'a str,
    kind: Kind,
    properties: &'a Map<String, Value>,
    tags: &Tags,
) -> Work<'a> {
    let tags = with_system_tags(kind, tags, &run.stack_name, &run.stack_id, logical_id);
    Work { run, kind, logical_id, properties, tags }
}

/// Deletes a resource by its record, without events.
pub(super) async fn remove(run: &Run, logical_id: &str, record: &Record) -> Result<(), String> {
    let (Some(physical_id), Some(kind)) = (&record.physical_id, Kind::from_name(&record.kind)) else {
        return Ok(());
    };
    if run.suffers(&Effect::DeleteFailed { logical_id: logical_id.to_owned() }) {
        return Err(format!(
            "Resource handler returned message: \"scripted fault on {logical_id}\" (HandlerErrorCode: GeneralServiceException)"
        ));
    }
    let work = work(run, logical_id, kind, &record.properties, &record.tags);
    resource::delete(kind, &work, physical_id).await.map_err(|failure| failure.reason)
}

/// What an update has to do to a resource.
pub(super) enum Step {
    Create,
    Keep,
    /// Change it from this record.
    Modify(Box<Record>, Wanted),
    /// Make a new one beside this record's.
    Replace(Box<Record>, Wanted),
}

/// Compares a resource with what the template wants now.
pub(super) fn step(run: &Run, inputs: &Inputs, logical_id: &str, stack_tags: &Tags) -> Result<Step, String> {
    let record = run.with(|stack| present(&stack.resources, logical_id).cloned());
    let Some(record) = record else { return Ok(Step::Create) };
    let wanted = wanted(run, inputs, logical_id, stack_tags)?;
    if wanted.kind.name() != record.kind {
        return Ok(Step::Replace(Box::new(record), wanted));
    }
    if changed(wanted.kind, &record, &wanted.properties, stack_tags).is_empty() {
        return Ok(Step::Keep);
    }
    if schema::replaces(wanted.kind, &record.properties, &wanted.properties) {
        return Ok(Step::Replace(Box::new(record), wanted));
    }
    Ok(Step::Modify(Box::new(record), wanted))
}
