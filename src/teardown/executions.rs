//! Stops durable executions that still run. What happens to them when their function is deleted is not documented.

use super::Job;
use super::input::FunctionEntry;
use super::report::{Note, TeardownReport};
use crate::cloud::executions::{self, Listed};
use crate::cloud::poll::poll;
use crate::cloud::{Failure, Outcome};
use std::collections::BTreeSet;

pub(super) async fn stop(job: &Job, report: &mut TeardownReport) {
    if job.input.functions.is_empty() {
        return;
    }
    job.observer.note(&Note::Step("stop running durable executions"));
    for function in &job.input.functions {
        match one(job, function, &mut report.executions_stopped).await {
            Ok(()) => {}
            Err(failure) if failure.is_not_found() => {}
            Err(failure) => {
                report.problem(&function.name, format!("running executions could not be stopped: {failure}"), None);
            }
        }
    }
}

async fn one(job: &Job, function: &FunctionEntry, stopped: &mut Vec<String>) -> Result<(), Failure> {
    for arn in running(job, function).await? {
        // An execution that ended in the meantime refuses; the reads that follow decide.
        if executions::stop(&job.clients, &arn).await.is_done() {
            stopped.push(arn);
        }
    }
    let waited = poll(job.limits.settle, &job.cancel, || async {
        match running(job, function).await {
            Ok(running) => Outcome::Done(running.is_empty().then_some(())),
            Err(failure) => Err(failure).into(),
        }
    });
    waited.await.into_result("StopDurableExecution")
}

/// Of every version recorded at deploy and of the unqualified list, each execution once.
async fn running(job: &Job, function: &FunctionEntry) -> Result<BTreeSet<String>, Failure> {
    let qualifiers = function.versions.iter().map(|v| Some(v.as_str())).chain([None]);
    let mut arns = BTreeSet::new();
    for qualifier in qualifiers {
        let listed = executions::list(&job.clients, &function.name, qualifier, true, job.limits.cap).await;
        let running = listed.into_result()?.items.into_iter().filter(|e: &Listed| e.status == "RUNNING");
        arns.extend(running.map(|e| e.arn));
    }
    Ok(arns)
}
