//! Undoing a creation that failed.

use super::super::record::{Record, Records};
use super::super::status::Status;
use super::super::template::DeletionPolicy;
use super::schedule::{self, AfterFailure, reversed};
use super::{Run, delete, resource};
use crate::fault::Effect;
use std::sync::Arc;

/// Deletes what a failed creation has made, except what is retained.
pub(super) async fn roll_back_creation(run: &Arc<Run>) {
    let records: Records = run.with(|stack| stack.resources.clone());
    let victim = scripted_victim(run, &records);
    let retain_on_create = !run.with(|stack| stack.settings.retain_except_on_create);
    let waits = reversed(&delete::waits(&records));
    let failed = schedule::run(waits, AfterFailure::GoOn, |logical_id| {
        let (run, record) = (Arc::clone(run), records.get(&logical_id).cloned());
        let broken = victim.as_ref() == Some(&logical_id);
        async move {
            match record {
                Some(record) => undo(&run, &logical_id, &record, retain_on_create, broken).await,
                None => true,
            }
        }
    })
    .await;
    if !run.owns_stack() {
        return;
    }
    match delete::failed_names(&failed) {
        None => run.stack_is(Status::RollbackComplete, None),
        Some(names) => {
            let reason = format!("The following resource(s) failed to delete: [{names}].");
            run.stack_is(Status::RollbackFailed, Some(reason));
        }
    }
}

/// The resource that a scripted `rollback_failed` hits: the last one that was made.
fn scripted_victim(run: &Run, records: &Records) -> Option<String> {
    let made = records.iter().filter(|(_, record)| record.physical_id.is_some());
    let last = made.max_by_key(|(_, record)| record.changed_ms);
    last.filter(|_| run.suffers(&Effect::RollbackFailed)).map(|(name, _)| name.clone())
}

async fn undo(run: &Run, logical_id: &str, record: &Record, retain_on_create: bool, broken: bool) -> bool {
    if record.deletion_policy == DeletionPolicy::Retain && retain_on_create && record.physical_id.is_some() {
        run.resource_is(logical_id, Status::DeleteSkipped, None);
        return true;
    }
    if record.physical_id.is_some() {
        run.resource_is(logical_id, Status::DeleteInProgress, None);
        run.pause().await;
    }
    let removed = if broken {
        Err("Resource handler returned message: \"scripted fault\" (HandlerErrorCode: GeneralServiceException)"
            .to_owned())
    } else {
        resource::remove(run, logical_id, record).await
    };
    match removed {
        Ok(()) => {
            run.resource_is(logical_id, Status::DeleteComplete, None);
            true
        }
        Err(reason) => {
            run.resource_is(logical_id, Status::DeleteFailed, Some(&reason));
            false
        }
    }
}

/// RollbackStack on a stack whose creation failed without a rollback.
pub(crate) async fn rollback_failed_creation(run: Arc<Run>) {
    run.alone().await;
    roll_back_creation(&run).await;
    run.finish();
}

/// ContinueUpdateRollback: the resources in `skip` are taken as they are.
pub(crate) async fn continue_update_rollback(run: Arc<Run>, skip: Vec<String>) {
    run.alone().await;
    for logical_id in skip {
        run.resource_is(&logical_id, Status::UpdateComplete, Some("Resource update skipped by user"));
    }
    let stuck: Vec<String> = run.with(|stack| {
        let failed = stack.resources.iter().filter(|(_, record)| record.status == Status::UpdateFailed);
        failed.map(|(name, _)| name.clone()).collect()
    });
    if stuck.is_empty() {
        run.stack_is(Status::UpdateRollbackCompleteCleanupInProgress, None);
        run.stack_is(Status::UpdateRollbackComplete, None);
    } else {
        let reason = format!("The following resource(s) failed to update: [{}].", stuck.join(", "));
        run.stack_is(Status::UpdateRollbackFailed, Some(reason));
    }
    run.finish();
}
