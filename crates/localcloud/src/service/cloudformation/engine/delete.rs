//! DeleteStack.

use super::super::record::{Record, Records};
use super::super::status::Status;
use super::super::template::{DeletionPolicy, Dependencies};
use super::schedule::{self, AfterFailure, reversed};
use super::{Run, resource};
use std::collections::BTreeSet;
use std::sync::Arc;

/// How to delete.
#[derive(Clone, Debug, Default)]
pub(crate) struct Deletion {
    /// Logical ids to leave behind.
    pub(crate) retain: BTreeSet<String>,
    /// Leave behind what cannot be deleted.
    pub(crate) force: bool,
    /// The stack has never been complete, so `RetainExceptOnCreate` retains nothing.
    pub(crate) undoes_creation: bool,
}

/// Deletes a stack that has just entered `DELETE_IN_PROGRESS`.
pub(crate) async fn delete(run: Arc<Run>, deletion: Deletion) {
    run.alone().await;
    remove_all(&run, deletion).await;
    run.finish();
}

/// Deletes all resources, each after those that depend on it, then the stack.
pub(super) async fn remove_all(run: &Arc<Run>, deletion: Deletion) {
    let records: Records = run.with(|stack| stack.resources.clone());
    let deletion = Arc::new(deletion);
    let failed = schedule::run(reversed(&waits(&records)), AfterFailure::GoOn, |logical_id| {
        let (run, record, deletion) = (Arc::clone(run), records.get(&logical_id).cloned(), Arc::clone(&deletion));
        async move {
            match record {
                Some(record) => remove_one(&run, &logical_id, &record, &deletion).await,
                None => true,
            }
        }
    })
    .await;
    match failed_names(&failed) {
        None => {
            run.stack_is(Status::DeleteComplete, None);
        }
        Some(names) => {
            let reason = format!("The following resource(s) failed to delete: [{names}]. ");
            run.stack_is(Status::DeleteFailed, Some(reason));
        }
    }
}

async fn remove_one(run: &Run, logical_id: &str, record: &Record, deletion: &Deletion) -> bool {
    let keeps = match record.deletion_policy {
        DeletionPolicy::Delete => false,
        DeletionPolicy::Retain => true,
        DeletionPolicy::RetainExceptOnCreate => !deletion.undoes_creation,
    };
    let retained = keeps && record.physical_id.is_some();
    if retained || deletion.retain.contains(logical_id) {
        run.resource_is(logical_id, Status::DeleteSkipped, None);
        return true;
    }
    run.resource_is(logical_id, Status::DeleteInProgress, None);
    run.pause().await;
    match resource::remove(run, logical_id, record).await {
        Ok(()) => run.resource_is(logical_id, Status::DeleteComplete, None),
        Err(reason) => {
            run.resource_is(logical_id, Status::DeleteFailed, Some(&reason));
            if !deletion.force {
                return false;
            }
            run.resource_is(logical_id, Status::DeleteSkipped, Some("Left behind by FORCE_DELETE_STACK"));
        }
    }
    true
}

/// What each present resource waits for at creation, seen in their records.
pub(super) fn waits(records: &Records) -> Dependencies {
    let present = |name: &String| records.get(name).is_some_and(|record| record.status.is_present());
    let targets = |record: &Record| record.waits_for.iter().filter(|name| present(name)).cloned().collect();
    records.iter().filter(|(name, _)| present(name)).map(|(name, record)| (name.clone(), targets(record))).collect()
}

/// Names for a stack's reason; none without failures.
pub(super) fn failed_names(failed: &[String]) -> Option<String> {
    let mut names = failed.to_vec();
    names.sort();
    (!names.is_empty()).then(|| names.join(", "))
}
