//! CreateStack, and change sets that create.

use super::super::record::Tags;
use super::super::stack::OnFailure;
use super::super::status::Status;
use super::super::template::{Dependencies, Inputs, dependencies};
use super::rollback::roll_back_creation;
use super::schedule::{self, AfterFailure};
use super::{Deletion, Run, delete, early, outputs, resource};
use crate::fault::Effect;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Creates all resources of a stack that has just been added, or rolls back.
pub(crate) async fn create(run: Arc<Run>, inputs: Arc<Inputs>, validate: bool) {
    run.alone().await;
    let failure = match refused_early(&run, &inputs, validate).await {
        Some(reason) => Some(reason),
        None if run.suffers(&Effect::HalfCreatedStack) => {
            provision(&run, &inputs, first_half(&inputs)).await;
            return run.finish();
        }
        None => provision_in_time(&run, &inputs).await,
    };
    if run.owns_stack() {
        match failure {
            None => run.stack_is(Status::CreateComplete, None),
            Some(reason) => fail(&run, reason).await,
        }
    }
    run.finish();
}

/// Why validation before the deployment stops the operation; tells its findings.
pub(super) async fn refused_early(run: &Run, inputs: &Inputs, validate: bool) -> Option<String> {
    if !validate {
        return None;
    }
    let findings = early::findings(run, inputs).await;
    let reason = early::reason(&findings)?;
    early::report(run, findings);
    run.with(|stack| stack.detailed = Some("VALIDATION_FAILED"));
    Some(reason)
}

/// As [`provision`], within the `TimeoutInMinutes` of the stack.
async fn provision_in_time(run: &Arc<Run>, inputs: &Arc<Inputs>) -> Option<String> {
    let work = provision(run, inputs, dependencies(inputs));
    let minutes = run.with(|stack| stack.settings.timeout_minutes).and_then(|minutes| u64::try_from(minutes).ok());
    let Some(minutes) = minutes else { return work.await };
    tokio::select! {
        failure = work => failure,
        () = run.cloud.clock().sleep(Duration::from_secs(minutes.saturating_mul(60))) => {
            Some("Stack creation time exceeded the specified timeout.".to_owned())
        }
    }
}

/// Creates resources and outputs; answers why not.
async fn provision(run: &Arc<Run>, inputs: &Arc<Inputs>, waits: Dependencies) -> Option<String> {
    let tags: Arc<Tags> = Arc::new(run.with(|stack| stack.settings.tags.clone()));
    let whole = waits.len() == inputs.active().count();
    let cancelled = Arc::new(AtomicBool::new(false));
    let mut failed = schedule::run(waits, AfterFailure::Stop, |logical_id| {
        let (run, inputs, tags) = (Arc::clone(run), Arc::clone(inputs), Arc::clone(&tags));
        let cancelled = Arc::clone(&cancelled);
        async move { create_one(&run, &inputs, &logical_id, &tags, &cancelled).await }
    })
    .await;
    if !failed.is_empty() {
        failed.sort();
        let names = failed.join(", ");
        return Some(format!("The following resource(s) failed to create: [{names}]."));
    }
    if !whole {
        return None;
    }
    outputs::publish(run, inputs).err().map(|error| error.message)
}

async fn create_one(run: &Run, inputs: &Inputs, logical_id: &str, tags: &Tags, cancelled: &AtomicBool) -> bool {
    if !run.owns_stack() {
        return false;
    }
    run.pause().await;
    if resource::create(run, inputs, logical_id, tags).await.is_err() {
        cancelled.store(true, Ordering::SeqCst);
        return false;
    }
    // Another resource has failed meanwhile: what is made is made, but it counts as cancelled.
    if cancelled.load(Ordering::SeqCst) {
        run.resource_is(logical_id, Status::CreateFailed, Some("Resource creation cancelled"));
        return false;
    }
    run.resource_is(logical_id, Status::CreateComplete, None);
    true
}

/// The half of the resources that comes first.
fn first_half(inputs: &Inputs) -> Dependencies {
    let order = super::super::plan::ordered(inputs);
    let half: Vec<&String> = order.iter().take(order.len().div_ceil(2)).collect();
    let mut waits = dependencies(inputs);
    waits.retain(|name, _| half.contains(&name));
    waits
}

async fn fail(run: &Arc<Run>, reason: String) {
    match run.with(|stack| stack.settings.on_failure) {
        OnFailure::DoNothing => run.stack_is(Status::CreateFailed, Some(reason)),
        OnFailure::Rollback => {
            let reason = format!("{reason} Rollback requested by user.");
            run.stack_is(Status::RollbackInProgress, Some(reason));
            roll_back_creation(run).await;
        }
        OnFailure::Delete => {
            let reason = format!("{reason} Delete requested by user.");
            run.stack_is(Status::DeleteInProgress, Some(reason));
            delete::remove_all(run, Deletion { undoes_creation: true, ..Deletion::default() }).await;
        }
    }
}
