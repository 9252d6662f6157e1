//! Switches event source mappings off first, so that nothing new is delivered while the rest goes.

use super::Job;
use super::report::{Note, TeardownReport};
use crate::cloud::mappings;
use crate::cloud::poll::poll;
use crate::cloud::{Failure, RefusalKind};

pub(super) async fn disable(job: &Job, report: &mut TeardownReport) {
    if job.input.mappings.is_empty() {
        return;
    }
    job.observer.note(&Note::Step("disable event source mappings"));
    for id in &job.input.mappings {
        match one(job, id).await {
            Ok(true) => report.mappings_disabled.push(id.clone()),
            Ok(false) => {}
            Err(failure) => report.problem(id, format!("the mapping could not be disabled: {failure}"), None),
        }
    }
}

/// Whether the mapping was on and is off now. A lost reply is settled by reading.
async fn one(job: &Job, id: &str) -> Result<bool, Failure> {
    let Some(state) = current_state(job, id).await? else { return Ok(false) };
    if matches!(state.as_str(), "Disabled" | "Deleting") {
        return Ok(false);
    }
    match mappings::disable(&job.clients, id).await.into_result() {
        Err(failure) if failure.kind().is_some_and(is_final) => return Err(failure),
        Ok(()) | Err(_) => {}
    }
    let waited = poll(job.limits.settle, &job.cancel, || async {
        match current_state(job, id).await {
            Ok(Some(state)) if state != "Disabled" && state != "Deleting" => Ok(None),
            Ok(_) => Ok(Some(())),
            Err(failure) => Err(failure),
        }
        .into()
    });
    waited.await.into_result("UpdateEventSourceMapping").map(|()| true)
}

/// A mapping that is being changed, or a throttled call, is settled by the reads that follow.
fn is_final(kind: RefusalKind) -> bool {
    !matches!(kind, RefusalKind::NotFound | RefusalKind::Conflict | RefusalKind::Throttled)
}

async fn current_state(job: &Job, id: &str) -> Result<Option<String>, Failure> {
    let mapping = mappings::describe(&job.clients, id).await.optional().into_result()?;
    Ok(mapping.map(|mapping| mapping.state))
}
