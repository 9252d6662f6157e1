//! Deletes one stack and waits for its end by stack id.

use super::Job;
use super::buckets::{self, Hold};
use super::custom;
use super::input::StackEntry;
use super::ownership::{Owned, resolve};
use super::report::{FailingResource, StackReport, StackResult};
use super::watch::Watch;
use crate::cloud::poll::{Polled, poll};
use crate::cloud::stacks::{self, DeleteStack, StackResource, StackState, StackStatus};
use crate::cloud::{Failure, Outcome, Refusal, RefusalKind, now_ms};

/// Deletes the stack behind a ledger entry; `held` says why it must not be deleted.
pub(super) async fn delete(job: &Job, entry: &StackEntry, held: Option<Hold>) -> StackReport {
    let state = match resolve(job, entry).await {
        Ok(Owned::Stack(state)) => *state,
        Ok(Owned::Gone(id)) => return StackReport::new(entry, Some(id), StackResult::AlreadyGone),
        Ok(Owned::Nothing) => return StackReport::new(entry, None, StackResult::NeverCreated),
        Ok(Owned::Foreign(id)) => return StackReport::new(entry, Some(id), StackResult::NotOurs),
        Err(failure) => return StackReport::new(entry, entry.id.clone(), failed(failure)),
    };
    let mut report = StackReport::new(entry, Some(state.id.clone()), StackResult::Failed);
    if let Some(Hold { reason, expired }) = held {
        report.result = if expired { StackResult::Paused } else { StackResult::Refused { holder: reason } };
        return report;
    }
    if let Err(result) = lift_protection(job, &state).await {
        report.result = result;
        return report;
    }
    let watch = Watch::new(job, &entry.name, &state.id);
    let work = Work { job, name: &entry.name, id: &state.id, watch };
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
    watch: Watch<'a>,
}

/// What a deletion may leave behind; anything but nothing is legal only in `DELETE_FAILED`.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Leave {
    /// Nothing.
    Nothing,
    /// Exactly these logical ids (`RetainResources`).
    Exactly(Vec<String>),
    /// Whatever fails (`FORCE_DELETE_STACK`, "skips all resources that are failing to delete", CloudFormation user
    /// guide, "Deleting a stack").
    WhatFails,
}

impl Work<'_> {
    /// A plain deletion, one retry, and then, only when asked, a deletion that leaves behind what fails.
    async fn run(&self, state: &StackState, report: &mut StackReport) -> StackResult {
        let mut before = state.status.clone();
        for attempt in 1..=self.job.limits.attempts.max(1) {
            if attempt > 1
                && let Err(holder) = buckets::empty_again(self.job, self.name).await
            {
                return StackResult::Refused { holder };
            }
            let result = self.attempt(&before, Leave::Nothing, report).await;
            if result != StackResult::Failed {
                return result;
            }
            before = StackStatus::DeleteFailed;
        }
        if self.job.input.options.retain_failed { self.leave_behind(report).await } else { StackResult::Failed }
    }

    /// First exactly what failed: then the request itself says what is left. Only if other resources fail in turn is it
    /// left to CloudFormation what to skip; the resources' statuses tell afterwards.
    async fn leave_behind(&self, report: &mut StackReport) -> StackResult {
        let left: Vec<FailingResource> = std::mem::take(&mut report.failing);
        let ids: Vec<String> = left.iter().map(|r| r.logical_id.clone()).collect();
        let mut result = StackResult::Failed;
        if !ids.is_empty() {
            result = self.attempt(&StackStatus::DeleteFailed, Leave::Exactly(ids), report).await;
        }
        if result == StackResult::Failed {
            result = self.attempt(&StackStatus::DeleteFailed, Leave::WhatFails, report).await;
        }
        if result == StackResult::Deleted {
            report.retained.extend(left);
            dedup(&mut report.retained);
        } else if report.failing.is_empty() {
            report.failing = left;
        }
        result
    }

    /// One deletion, from the request to a settled stack.
    async fn attempt(&self, before: &StackStatus, leave: Leave, report: &mut StackReport) -> StackResult {
        report.attempts += 1;
        let on_purpose = leave != Leave::Nothing;
        if *before != StackStatus::DeleteInProgress
            && let Err(result) = self.request(report.attempts, leave).await
        {
            return result;
        }
        let (end, disturbed) = match self.watch.settled(before).await {
            Polled::Ready { value, disturbed } => (value, disturbed),
            Polled::Refused(refusal) if refusal.kind == RefusalKind::NotFound => return StackResult::AlreadyGone,
            Polled::Refused(refusal) => return failed(Failure::Refused(refusal)),
            Polled::GaveUp { reason } => return StackResult::Unknown { reason },
            Polled::Cancelled => return StackResult::Interrupted,
        };
        report.disturbed += disturbed;
        match self.judge(&end, on_purpose, report).await {
            Ok(result) => result,
            Err(failure) => failed(failure),
        }
    }

    /// Asks for the deletion. Throttling is waited out; an unknown outcome is asked again with the same token, which
    /// CloudFormation answers with `TokenAlreadyExists` if the first request arrived.
    async fn request(&self, attempt: u32, leave: Leave) -> Result<(), StackResult> {
        let token = stacks::delete_token(self.name, attempt, now_ms());
        let force = leave == Leave::WhatFails;
        let retain = if let Leave::Exactly(ids) = leave { ids } else { Vec::new() };
        let stack = DeleteStack { stack_id: self.id.to_owned(), token, retain, force };
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
        custom::name_providers(self.job, self.id, &mut report.failing).await;
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
        let said = self.watch.reason_to_stay().await;
        let reason = said.or_else(|| end.reason.clone()).unwrap_or_else(|| "no reason given".to_owned());
        format!("the stack stayed {}: {reason}", end.status)
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
            service_token: None,
        }
    }
}
