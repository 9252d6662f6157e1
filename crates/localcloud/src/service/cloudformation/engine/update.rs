//! UpdateStack, and change sets that update.

use super::super::plan::present;
use super::super::record::{Record, Records, Tags};
use super::super::resource;
use super::super::stack::{OnFailure, Settings};
use super::super::status::Status;
use super::super::template::{DeletionPolicy, Inputs, dependencies};
use super::create::refused_early;
use super::resource::{Step, Wanted, create, make, remove, step, work};
use super::schedule::{self, AfterFailure, reversed};
use super::{Run, delete, outputs};
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};

/// What the stack shall become.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) body: String,
    pub(crate) inputs: Arc<Inputs>,
    pub(crate) settings: Settings,
    /// Look for mistakes before the first change.
    pub(crate) validate: bool,
    /// Leave things as they are when the update fails.
    pub(crate) keep_on_failure: bool,
}

/// Physical resources that the update leaves without a place in the stack.
type Leftovers = Arc<Mutex<Vec<(String, Record)>>>;

/// Updates a stack that has just entered `UPDATE_IN_PROGRESS`.
pub(crate) async fn update(run: Arc<Run>, target: Target) {
    run.alone().await;
    if let Some(reason) = refused_early(&run, &target.inputs, target.validate).await {
        run.stack_is(Status::UpdateRollbackInProgress, Some(reason));
        run.stack_is(Status::UpdateRollbackComplete, None);
        return run.finish();
    }
    let before: Records = run.with(|stack| stack.resources.clone());
    let replaced = Leftovers::default();
    match change_all(&run, &target, &replaced).await {
        Ok(()) => complete(&run, target, &before, replaced).await,
        Err(reason) if target.keep_on_failure => run.stack_is(Status::UpdateFailed, Some(reason)),
        Err(reason) => roll_back(&run, &before, reason).await,
    }
    run.finish();
}

async fn change_all(run: &Arc<Run>, target: &Target, replaced: &Leftovers) -> Result<(), String> {
    let tags = Arc::new(target.settings.tags.clone());
    let mut failed = schedule::run(dependencies(&target.inputs), AfterFailure::Stop, |logical_id| {
        let (run, inputs, tags) = (Arc::clone(run), Arc::clone(&target.inputs), Arc::clone(&tags));
        let replaced = Arc::clone(replaced);
        async move { change_one(&run, &inputs, &logical_id, &tags, &replaced).await }
    })
    .await;
    if !failed.is_empty() {
        failed.sort();
        return Err(format!("The following resource(s) failed to update: [{}].", failed.join(", ")));
    }
    outputs::publish(run, &target.inputs).map_err(|error| error.message)
}

async fn change_one(run: &Run, inputs: &Inputs, logical_id: &str, tags: &Tags, replaced: &Leftovers) -> bool {
    if run.with(|stack| stack.cancelling) {
        return false;
    }
    let done = match step(run, inputs, logical_id, tags) {
        Ok(Step::Keep) => return true,
        Ok(Step::Create) => {
            let created = create(run, inputs, logical_id, tags).await;
            if created.is_ok() {
                run.resource_is(logical_id, Status::CreateComplete, None);
            }
            return created.is_ok();
        }
        Ok(Step::Modify(old, wanted)) => modify(run, logical_id, &old, wanted).await,
        Ok(Step::Replace(old, wanted)) => replace(run, logical_id, *old, wanted, replaced).await,
        Err(reason) => Err(reason),
    };
    match done {
        Ok(()) => run.resource_is(logical_id, Status::UpdateComplete, None),
        Err(reason) => {
            run.resource_is(logical_id, Status::UpdateFailed, Some(&reason));
            return false;
        }
    }
    true
}

async fn modify(run: &Run, logical_id: &str, old: &Record, wanted: Wanted) -> Result<(), String> {
    run.resource_is(logical_id, Status::UpdateInProgress, None);
    run.pause().await;
    let physical_id = old.physical_id.clone().unwrap_or_default();
    let before = work(run, logical_id, wanted.kind, &old.properties, &old.tags);
    let after = work(run, logical_id, wanted.kind, &wanted.properties, &wanted.tags);
    let updated = resource::update(wanted.kind, &after, &physical_id, &before).await;
    let attributes = updated.map_err(|failure| failure.reason)?;
    run.record(logical_id, |record| {
        record.attributes = attributes;
        record.properties = wanted.properties;
        record.tags = wanted.tags;
    });
    Ok(())
}

async fn replace(run: &Run, logical_id: &str, old: Record, wanted: Wanted, replaced: &Leftovers) -> Result<(), String> {
    run.resource_is(
        logical_id,
        Status::UpdateInProgress,
        Some("Requested update requires the creation of a new physical resource; hence creating one."),
    );
    let fixed = wanted.kind.name_property().and_then(|(property, _, _)| wanted.properties.get(property));
    let same = fixed.is_some()
        && wanted.kind.name() == old.kind
        && fixed.and_then(|name| name.as_str()) == old.physical_id.as_deref();
    if same {
        return Err("CloudFormation cannot update a stack when a custom-named resource requires replacing. Rename it and update the stack again.".to_owned());
    }
    replaced.lock().unwrap_or_else(PoisonError::into_inner).push((logical_id.to_owned(), old));
    run.record(logical_id, |record| {
        record.kind = wanted.kind.name().to_owned();
        record.properties.clone_from(&wanted.properties);
        record.tags.clone_from(&wanted.tags);
    });
    make(run, logical_id, &wanted).await
}

async fn complete(run: &Arc<Run>, target: Target, before: &Records, replaced: Leftovers) {
    let wanted: BTreeSet<String> = target.inputs.active().cloned().collect();
    let waits = dependencies(&target.inputs);
    run.with(|stack| {
        for (name, record) in &mut stack.resources {
            if let Some(definition) = target.inputs.template.resources.get(name) {
                record.deletion_policy = definition.deletion_policy;
                record.update_replace_policy = definition.update_replace_policy;
                record.metadata.clone_from(&definition.metadata);
                record.waits_for = waits.get(name).cloned().unwrap_or_default();
            }
        }
        stack.body.clone_from(&target.body);
        stack.inputs = Some(Arc::clone(&target.inputs));
        // How creations fail is not an update's to change.
        let on_failure = stack.settings.on_failure;
        stack.settings = Settings { on_failure, ..target.settings.clone() };
    });
    run.stack_is(Status::UpdateCompleteCleanupInProgress, None);
    for (logical_id, record) in take(&replaced) {
        if record.update_replace_policy == DeletionPolicy::Delete {
            // A leftover that cannot be deleted stays, and the update is still complete.
            let _ = remove(run, &logical_id, &record).await;
        }
    }
    remove_absent(run, before, &wanted).await;
    run.stack_is(Status::UpdateComplete, None);
}

fn take(leftovers: &Leftovers) -> Vec<(String, Record)> {
    std::mem::take(&mut *leftovers.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Deletes what is no longer in the template, each after what depends on it.
async fn remove_absent(run: &Arc<Run>, records: &Records, wanted: &BTreeSet<String>) {
    let mut waits = reversed(&delete::waits(records));
    waits.retain(|name, _| !wanted.contains(name));
    for names in waits.values_mut() {
        names.retain(|name| !wanted.contains(name));
    }
    schedule::run(waits, AfterFailure::GoOn, |logical_id| {
        let (run, record) = (Arc::clone(run), records.get(&logical_id).cloned());
        async move {
            match record {
                Some(record) => drop_one(&run, &logical_id, &record).await,
                None => true,
            }
        }
    })
    .await;
}

async fn drop_one(run: &Run, logical_id: &str, record: &Record) -> bool {
    if record.deletion_policy != DeletionPolicy::Delete {
        run.resource_is(logical_id, Status::DeleteSkipped, None);
        return true;
    }
    run.resource_is(logical_id, Status::DeleteInProgress, None);
    match remove(run, logical_id, record).await {
        Ok(()) => run.resource_is(logical_id, Status::DeleteComplete, None),
        Err(reason) => run.resource_is(logical_id, Status::DeleteFailed, Some(&reason)),
    }
    true
}

/// Brings every touched resource back to what it was.
async fn roll_back(run: &Arc<Run>, before: &Records, reason: String) {
    run.stack_is(Status::UpdateRollbackInProgress, Some(reason));
    let now: Records = run.with(|stack| stack.resources.clone());
    let mut stuck = Vec::new();
    let mut new = Vec::new();
    for (logical_id, record) in &now {
        match present(before, logical_id) {
            Some(old) if old.physical_id == record.physical_id => {
                let touched = record.properties != old.properties || record.tags != old.tags;
                let attempted = record.status == Status::UpdateFailed;
                if (touched || attempted) && !restore(run, logical_id, record, old).await {
                    stuck.push(logical_id.clone());
                }
            }
            Some(old) => {
                new.push((logical_id.clone(), record.clone()));
                run.track(logical_id, old.clone());
                run.resource_is(logical_id, Status::UpdateComplete, None);
            }
            None if record.status.is_present() => new.push((logical_id.clone(), record.clone())),
            None => {}
        }
    }
    if !stuck.is_empty() {
        let reason = format!("The following resource(s) failed to update: [{}].", stuck.join(", "));
        return run.stack_is(Status::UpdateRollbackFailed, Some(reason));
    }
    run.stack_is(Status::UpdateRollbackCompleteCleanupInProgress, None);
    for (logical_id, record) in new {
        if present(before, &logical_id).is_some() {
            let _ = remove(run, &logical_id, &record).await;
        } else {
            drop_one(run, &logical_id, &record).await;
        }
    }
    run.stack_is(Status::UpdateRollbackComplete, None);
}

async fn restore(run: &Run, logical_id: &str, record: &Record, old: &Record) -> bool {
    let Some(kind) = resource::Kind::from_name(&old.kind) else { return true };
    run.resource_is(logical_id, Status::UpdateInProgress, None);
    let now = work(run, logical_id, kind, &record.properties, &record.tags);
    let back = work(run, logical_id, kind, &old.properties, &old.tags);
    let physical_id = old.physical_id.clone().unwrap_or_default();
    match resource::update(kind, &back, &physical_id, &now).await {
        Ok(_) => {
            run.track(logical_id, old.clone());
            run.resource_is(logical_id, Status::UpdateComplete, None);
            true
        }
        Err(failure) => {
            run.resource_is(logical_id, Status::UpdateFailed, Some(&failure.reason));
            false
        }
    }
}

impl Target {
    /// Whether a failure shall leave things as they are.
    pub(crate) fn keeps(disable_rollback: bool, on_failure: OnFailure) -> bool {
        disable_rollback || on_failure == OnFailure::DoNothing
    }
}
