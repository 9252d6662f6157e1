//! Deletes one stack and waits for its end by stack id.

use super::Job;
use super::buckets;
use super::input::StackEntry;
use super::ownership::{Owned, resolve};
use super::report::{FailingResource, Note, StackReport, StackResult};
use crate::cloud::poll::{Polled, poll};
use crate::cloud::stacks::{self, DeleteStack, StackEvent, StackResource, StackState, StackStatus};
use crate::cloud::{Failure, Outcome, Refusal, RefusalKind, now_ms};
use std::sync::{Mutex, PoisonError};
use tokio::time::Instant;

/// Deletes the stack behind a ledger entry; `held` says why it must not be deleted.
pub(super) async fn delete(job: &Job, entry: &StackEntry, held: Option<String>) -> StackReport {
    let state = match resolve(job, entry).await {
        Ok(Owned::Stack(state)) => *state,
        Ok(Owned::Gone(id)) => return StackReport::new(entry, Some(id), StackResult::AlreadyGone),
        Ok(Owned::Nothing) => return StackReport::new(entry, None, StackResult::NeverCreated),
        Ok(Owned::Foreign(id)) => return StackReport::new(entry, Some(id), StackResult::NotOurs),
        Err(failure) => return StackReport::new(entry, entry.id.clone(), failed(failure)),
    };
    let mut report = StackReport::new(entry, Some(state.id.clone()), StackResult::Failed);
    if let Some(holder) = held {
        report.result = StackResult::Refused { holder };
        return report;
    }
    if let Err(result) = lift_protection(job, &state).await {
        report.result = result;
        return report;
    }
    let work = Work { job, name: &entry.name, id: &state.id, last_event: Mutex::new(None) };
    report.result = work.run(&state, &mut report).await;
    report
}

async fn lift_protection(job: &Job, state: &StackState) -> Result<(), StackResult> {
    if !state.termination_protection {
        return Ok(());
    }
    if !job.input.options.disable_protection {
        return Err(StackResult::Refused { holder: "termination protection is on".to_owned() });
    }
    stacks::set_termination_protection(&job.clients, &state.id, false).await.into_result().map_err(failed)
}

struct Work<'a> {
    job: &'a Job,
    name: &'a str,
    id: &'a str,
    last_event: Mutex<Option<String>>,
}

impl Work<'_> {
    /// A plain deletion, one retry, and then, only when asked, a deletion that leaves exactly what fails.
    async fn run(&self, state: &StackState, report: &mut StackReport) -> StackResult {
        let mut before = state.status.clone();
        for attempt in 1..=self.job.limits.attempts.max(1) {
            if attempt > 1
                && let Err(holder) = buckets::empty_again(self.job, self.name).await
            {
                return StackResult::Refused { holder };
            }
            let result = self.attempt(&before, Vec::new(), report).await;
            if result != StackResult::Failed {
                return result;
            }
            before = StackStatus::DeleteFailed;
        }
        if !self.job.input.options.retain_failed || report.failing.is_empty() {
            return StackResult::Failed;
        }
        let left: Vec<FailingResource> = std::mem::take(&mut report.failing);
        let ids = left.iter().map(|r| r.logical_id.clone()).collect();
        let result = self.attempt(&before, ids, report).await;
        report.retained.extend(left);
        dedup(&mut report.retained);
        result
    }

    /// One deletion, from the request to a settled stack.
    async fn attempt(&self, before: &StackStatus, retain: Vec<String>, report: &mut StackReport) -> StackResult {
        report.attempts += 1;
        let retained_on_purpose = !retain.is_empty();
        if *before != StackStatus::DeleteInProgress
            && let Err(result) = self.request(report.attempts, retain).await
        {
            return result;
        }
        let (end, disturbed) = match self.wait(before).await {
            Polled::Ready { value, disturbed } => (value, disturbed),
            Polled::Refused(refusal) if refusal.kind == RefusalKind::NotFound => return StackResult::AlreadyGone,
            Polled::Refused(refusal) => return failed(Failure::Refused(refusal)),
            Polled::GaveUp { reason } => return StackResult::Unknown { reason },
            Polled::Cancelled => return StackResult::Interrupted,
        };
        report.disturbed += disturbed;
        match self.judge(&end, retained_on_purpose, report).await {
            Ok(result) => result,
            Err(failure) => failed(failure),
        }
    }

    /// Asks for the deletion. Throttling is waited out; an unknown outcome is asked again with the same token, which
    /// CloudFormation answers with `TokenAlreadyExists` if the first request arrived.
    async fn request(&self, attempt: u32, retain: Vec<String>) -> Result<(), StackResult> {
        let token = stacks::delete_token(self.name, attempt, now_ms());
        let stack = DeleteStack { stack_id: self.id.to_owned(), token, retain, force: false };
        let asked = poll(self.job.limits.settle, &self.job.cancel, || async {
            match stacks::delete(&self.job.clients, &stack).await {
                Outcome::Refused(refusal) if refusal.kind == RefusalKind::AlreadyExists => Outcome::Done(Some(())),
                other => other.map(Some),
            }
        });
        match asked.await {
            Polled::Ready { .. } => Ok(()),
            Polled::Refused(refusal) if refusal.kind == RefusalKind::NotFound => Ok(()),
            Polled::Refused(refusal) => Err(refused(refusal)),
            Polled::GaveUp { reason } => Err(StackResult::Unknown { reason }),
            Polled::Cancelled => Err(StackResult::Interrupted),
        }
    }

    /// Waits until the stack is settled. CloudFormation may show the status from before the request for a while; a
    /// stack that does not move is refused as soon as an event says why, and at the latest after the grace time.
    async fn wait(&self, before: &StackStatus) -> Polled<StackState> {
        let asked = Instant::now();
        let looks = Mutex::new(0_u32);
        poll(self.job.limits.stack, &self.job.cancel, || async {
            let state = match stacks::describe(&self.job.clients, self.id).await.into_result() {
                Ok(state) => state,
                Err(failure) => return Err(failure).into(),
            };
            self.tell_events().await;
            if state.status == *before && state.status != StackStatus::DeleteInProgress {
                let seen = {
                    let mut looks = looks.lock().unwrap_or_else(PoisonError::into_inner);
                    *looks += 1;
                    *looks
                };
                let stays =
                    asked.elapsed() >= self.job.limits.unmoved || (seen > 1 && self.reason_to_stay().await.is_some());
                return Outcome::Done(stays.then_some(state));
            }
            Outcome::Done(state.status.is_settled().then_some(state))
        })
        .await
    }

    /// The status alone proves nothing: resources may say otherwise, or have been skipped.
    async fn judge(
        &self,
        end: &StackState,
        on_purpose: bool,
        report: &mut StackReport,
    ) -> Result<StackResult, Failure> {
        let resources = stacks::resources(&self.job.clients, self.id, self.job.limits.cap).await.into_result()?.items;
        let (skipped, left): (Vec<_>, Vec<_>) = resources
            .into_iter()
            .filter(|r| r.status != "DELETE_COMPLETE" && r.physical_id.is_some())
            .partition(|r| r.status == "DELETE_SKIPPED");
        report.retained = skipped.into_iter().map(Into::into).collect();
        let failing = left.into_iter().filter(|r| r.status == "DELETE_FAILED" || end.status.is_deleted());
        report.failing = failing.map(Into::into).collect();
        Ok(match end.status {
            StackStatus::DeleteComplete if report.failing.is_empty() => StackResult::Deleted,
            // CloudFormation may leave what it was asked to retain in its last failed state.
            StackStatus::DeleteComplete if on_purpose => {
                report.retained.append(&mut report.failing);
                StackResult::Deleted
            }
            StackStatus::DeleteComplete => {
                StackResult::Unknown { reason: "DELETE_COMPLETE, but its resources say otherwise".to_owned() }
            }
            StackStatus::DeleteFailed => StackResult::Failed,
            _ => StackResult::Refused { holder: self.holder(end).await },
        })
    }

    /// Who holds a cancelled deletion: the newest event that says why, else the stack's own reason.
    async fn holder(&self, end: &StackState) -> String {
        let said = self.reason_to_stay().await;
        let reason = said.or_else(|| end.reason.clone()).unwrap_or_else(|| "no reason given".to_owned());
        format!("the stack stayed {}: {reason}", end.status)
    }

    async fn reason_to_stay(&self) -> Option<String> {
        let events = stacks::new_events(&self.job.clients, self.id, None).await.done().unwrap_or_default().events;
        events
            .into_iter()
            .rev()
            .filter_map(|e| e.reason)
            .find(|r| r.contains("in use by") || r.contains("Delete cancel"))
    }

    async fn tell_events(&self) {
        let last = self.last_event.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let Some(batch) = stacks::new_events(&self.job.clients, self.id, last.as_deref()).await.done() else { return };
        // The first look only marks where the deletion's own events begin.
        if last.is_some() {
            for event in &batch.events {
                self.job.observer.note(&Note::Event { stack: self.name, event, hint: hint(event) });
            }
        }
        if let Some(newest) = batch.events.last() {
            *self.last_event.lock().unwrap_or_else(PoisonError::into_inner) = Some(newest.event_id.clone());
        }
    }
}

/// What a person should know about a slow deletion.
fn hint(event: &StackEvent) -> Option<&'static str> {
    if event.status != "DELETE_IN_PROGRESS" {
        return None;
    }
    let network = event.reason.as_deref().is_some_and(|r| r.contains("network interface") || r.contains("ENI"));
    if network || event.resource_type == "AWS::EC2::NetworkInterface" {
        Some("network interfaces of functions are removed by Lambda; up to 45 minutes is normal")
    } else if event.resource_type.starts_with("Custom::")
        || event.resource_type == "AWS::CloudFormation::CustomResource"
    {
        Some("a custom resource whose ServiceToken does not answer blocks the deletion for one hour")
    } else {
        None
    }
}

fn failed(failure: Failure) -> StackResult {
    match failure {
        Failure::Refused(refusal) => refused(refusal),
        Failure::Unknown(doubt) => StackResult::Unknown { reason: doubt.to_string() },
    }
}

fn refused(refusal: Refusal) -> StackResult {
    match refusal.kind {
        RefusalKind::Expired => StackResult::Paused,
        RefusalKind::Conflict if refusal.message.contains("TerminationProtection") => {
            StackResult::Refused { holder: "termination protection is on".to_owned() }
        }
        RefusalKind::Throttled | RefusalKind::NotSent => StackResult::Unknown { reason: refusal.to_string() },
        _ => StackResult::Refused { holder: refusal.message },
    }
}

fn dedup(resources: &mut Vec<FailingResource>) {
    resources.sort_by(|a, b| a.logical_id.cmp(&b.logical_id));
    resources.dedup_by(|a, b| a.logical_id == b.logical_id);
}

impl From<StackResource> for FailingResource {
    fn from(r: StackResource) -> Self {
        Self {
            logical_id: r.logical_id,
            physical_id: r.physical_id,
            resource_type: r.resource_type,
            status: r.status,
            reason: r.reason,
        }
    }
}
