//! Stops durable executions that still run. What happens to them when their function is deleted is not documented.

use super::Job;
use super::input::FunctionEntry;
use super::report::{Note, TeardownReport};
use crate::cloud::executions::{self, Listed};
use crate::cloud::poll::poll;
use crate::cloud::{Failure, Outcome};
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

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

/// Stopping twice is stopping once, so what still runs is asked to stop until it reads as ended. An execution that ended
/// in the meantime refuses, and a throttled request was none; the reads that follow decide.
async fn one(job: &Job, function: &FunctionEntry, stopped: &mut Vec<String>) -> Result<(), Failure> {
    let asked = Mutex::new(BTreeSet::new());
    let waited = poll(job.limits.settle, &job.cancel, || async {
        let running = match running(job, function).await {
            Ok(running) => running,
            Err(failure) => return Err(failure).into(),
        };
        for arn in &running {
            let known = asked.lock().unwrap_or_else(PoisonError::into_inner).contains(arn);
            if !known && executions::stop(&job.clients, arn).await.is_done() {
                asked.lock().unwrap_or_else(PoisonError::into_inner).insert(arn.clone());
            }
        }
        Outcome::Done(running.is_empty().then_some(()))
    });
    let waited = waited.await;
    stopped.extend(asked.into_inner().unwrap_or_else(PoisonError::into_inner));
    waited.into_result("StopDurableExecution")
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
