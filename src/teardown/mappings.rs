//! Switches event source mappings off first, so that nothing new is delivered while the rest goes.

use super::Job;
use super::report::{Note, TeardownReport};
use crate::cloud::mappings;
use crate::cloud::poll::poll;
use crate::cloud::{Failure, RefusalKind};
use std::sync::atomic::{AtomicBool, Ordering};

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

/// Whether the mapping was on and is off now. Disabling twice is disabling once, so it is asked for as long as the
/// mapping reads as on: a throttled request was none, and a lost one may have been none.
async fn one(job: &Job, id: &str) -> Result<bool, Failure> {
    let asked = AtomicBool::new(false);
    let waited = poll(job.limits.settle, &job.cancel, || async {
        let step = match current_state(job, id).await {
            Ok(Some(state)) => match state.as_str() {
                "Disabled" | "Deleting" => Ok(Some(())),
                "Disabling" => Ok(None),
                _ => {
                    asked.store(true, Ordering::Relaxed);
                    ask(job, id).await.map(|()| None)
                }
            },
            Ok(None) => Ok(Some(())),
            Err(failure) => Err(failure),
        };
        step.into()
    });
    waited.await.into_result("UpdateEventSourceMapping").map(|()| asked.load(Ordering::Relaxed))
}

/// A mapping that is gone or being changed is settled by the read that follows.
async fn ask(job: &Job, id: &str) -> Result<(), Failure> {
    match mappings::disable(&job.clients, id).await.into_result() {
        Err(failure) if matches!(failure.kind(), Some(RefusalKind::NotFound | RefusalKind::Conflict)) => Ok(()),
        other => other,
    }
}

async fn current_state(job: &Job, id: &str) -> Result<Option<String>, Failure> {
    let mapping = mappings::describe(&job.clients, id).await.optional().into_result()?;
    Ok(mapping.map(|mapping| mapping.state))
}
