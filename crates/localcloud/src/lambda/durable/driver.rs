//! The task that drives one execution.

use super::envelope::{self, Reply};
use super::event::{self, Event};
use super::execution::{Execution, Invocation, Status};
use crate::cloud::Cloud;
use crate::lambda::invoke::{self, Outcome, Request, Throttled};
use crate::service::lambda::function::Version;
use crate::time::epoch_seconds;
use serde_json::{Value, json};
use std::pin::Pin;
use std::sync::Arc;

/// Delay before a failed invocation is tried again; doubles up to the longest.
const FIRST_DELAY_MS: i64 = 1000;
const LONGEST_DELAY_MS: i64 = 60_000;

enum Step {
    Ended,
    Invoke(Arc<Version>, Request),
    Wait(i64),
}

type Running = Pin<Box<dyn Future<Output = Result<Outcome, Throttled>> + Send>>;

/// Drives an execution to its end. An invocation that is under way then is left to itself: it learns of the end at
/// its next checkpoint.
pub(super) async fn drive(cloud: Cloud, region: String, arn: String) {
    let mut running: Option<Running> = None;
    let subscribe = |state: &mut crate::service::State| {
        state.lambda.executions.get(&arn, cloud.clock().now_ms()).map(|execution| execution.subscribe())
    };
    let Some(mut changes) = cloud.with(&region, subscribe) else { return };
    loop {
        let until_ms = match step(&cloud, &region, &arn) {
            Step::Ended => return,
            Step::Invoke(version, request) => {
                let own = cloud.clone();
                running = Some(Box::pin(async move { invoke::run(&own, &version, request).await }));
                continue;
            }
            Step::Wait(until_ms) => until_ms,
        };
        tokio::select! {
            // The execution is gone where its sender is.
            changed = changes.changed() => if changed.is_err() { return },
            () = cloud.clock().sleep_until(until_ms) => {}
            outcome = ended(&mut running) => {
                running = None;
                settle(&cloud, &region, &arn, outcome);
            }
        }
    }
}

async fn ended(running: &mut Option<Running>) -> Result<Outcome, Throttled> {
    match running {
        Some(invocation) => invocation.await,
        None => std::future::pending().await,
    }
}

fn step(cloud: &Cloud, region: &str, arn: &str) -> Step {
    let now_ms = cloud.clock().now_ms();
    cloud.with(region, |state| {
        let Some(execution) = state.lambda.executions.get(arn, now_ms) else { return Step::Ended };
        execution.fire(now_ms);
        if execution.status != Status::Running {
            return Step::Ended;
        }
        let again = execution.again_at_ms.is_some_and(|at_ms| at_ms <= now_ms);
        let held = execution.again_at_ms.is_some() && !again;
        if execution.invocation.is_none() && !held && (execution.wake || again) {
            return execution.invoke(cloud);
        }
        Step::Wait(execution.next_due_ms())
    })
}

fn settle(cloud: &Cloud, region: &str, arn: &str, outcome: Result<Outcome, Throttled>) {
    let now_ms = cloud.clock().now_ms();
    cloud.with(region, |state| {
        let Some(execution) = state.lambda.executions.get(arn, now_ms) else { return };
        execution.invocation = None;
        execution.token = None;
        match outcome {
            Ok(outcome) => execution.settle(&outcome, now_ms),
            Err(Throttled) => execution.try_again(now_ms),
        }
    });
}

impl Execution {
    fn invoke(&mut self, cloud: &Cloud) -> Step {
        let token = self.fresh_token();
        let payload = self.envelope(&token).to_string();
        let request = Request::new(cloud, &self.version, &self.version.qualified_arn(), payload.into());
        self.wake = false;
        self.again_at_ms = None;
        self.untold.clear();
        self.invocation = Some(Invocation { kill: request.kill.clone(), fault: request.fault });
        Step::Invoke(Arc::clone(&self.version), request)
    }

    /// A new single-use token; the one before is void.
    pub(super) fn fresh_token(&mut self) -> String {
        self.tokens_made += 1;
        let token = format!("{}-{}", self.id, self.tokens_made);
        self.token = Some(token.clone());
        token
    }

    fn settle(&mut self, outcome: &Outcome, now_ms: i64) {
        let mut details = json!({
            "StartTimestamp": epoch_seconds(outcome.started_ms),
            "EndTimestamp": epoch_seconds(outcome.ended_ms),
            "RequestId": outcome.request_id,
        });
        if let Err(failure) = &outcome.result {
            let error = json!({"ErrorType": failure.kind, "ErrorMessage": failure.message});
            details["Error"] = event::error(&error);
        }
        self.events.push(Event::of_execution(now_ms, "InvocationCompleted", None, details));
        match &outcome.result {
            Ok(body) => self.accept(envelope::reply(body), now_ms),
            Err(_) => self.try_again(now_ms),
        }
    }

    fn accept(&mut self, reply: Reply, now_ms: i64) {
        self.failed_invocations = 0;
        let early = self.early_end.take();
        match (reply, early) {
            (Reply::Succeeded(_) | Reply::Failed(_), Some((status, result, error))) => {
                self.end(status, result, error, now_ms);
            }
            (Reply::Succeeded(result), None) => self.end(Status::Succeeded, result, None, now_ms),
            (Reply::Failed(error), None) => self.end(Status::Failed, None, Some(error), now_ms),
            (Reply::Pending, _) if self.wake || self.is_waiting() => {}
            (Reply::Pending, _) => {
                self.fail_invalid("Cannot return PENDING status with no pending operations.", now_ms);
            }
            (Reply::Invalid(why), _) => self.fail_invalid(&why, now_ms),
        }
    }

    fn fail_invalid(&mut self, why: &str, now_ms: i64) {
        let error: Value = json!({"ErrorType": "InvalidParameterValueException", "ErrorMessage": why});
        self.end(Status::Failed, None, Some(error), now_ms);
    }

    fn try_again(&mut self, now_ms: i64) {
        let doublings = self.failed_invocations.min(16);
        let delay_ms = FIRST_DELAY_MS.saturating_mul(1 << doublings).min(LONGEST_DELAY_MS);
        self.failed_invocations = self.failed_invocations.saturating_add(1);
        self.again_at_ms = Some(now_ms.saturating_add(delay_ms));
    }
}
