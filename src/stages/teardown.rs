//! The teardown stage: what the creation ledger holds is settled, stack by stack.

use super::acts::stop;
use super::session::Session;
use super::{create, ledger};
use crate::exit::Failure;
use crate::plan::RUN_TAG;
use crate::progress::{Notice, Progress};
use crate::run::{ActOutcome, ActState, Created, Event, State};
use crate::teardown::{
    BucketEntry, FunctionEntry, Note, Observer, Options, StackEntry, StackResult, TeardownInput, TeardownLimits,
    TeardownReport, teardown,
};
use std::sync::Arc;
use tokio_util::sync::CancellationToken;

/// Tears down everything that the journal says was, or may have been, created.
pub(super) async fn tear_down(session: &Session, options: Options) -> Result<TeardownReport, Failure> {
    ledger::complete(session, None).await?;
    let input = input(session, &session.log.state(), options);
    intend(session, &input)?;
    let observer = Arc::new(Teller { progress: session.progress.clone() });
    let limits = limits(session);
    // A run that is being stopped still cleans up; a second signal ends the process.
    let report = teardown(input, &session.clients, limits, &CancellationToken::new(), observer).await;
    settle(session, &report)?;
    // A stack that was still being created has made more in the meantime.
    if session.log.state().package("deploy").is_none() {
        ledger::complete(session, Some(&report)).await?;
    }
    let expired = report.stacks.iter().any(|s| s.result == StackResult::Paused);
    if expired {
        let refusal = crate::cloud::Failure::refused(
            crate::cloud::RefusalKind::Expired,
            "ExpiredToken",
            "the credentials expired during teardown",
        );
        return Err(stop("teardown", &refusal));
    }
    Ok(report)
}

/// The creation ledger as teardown takes it. Nothing created gives an empty input, and then no call is made.
pub(super) fn input(session: &Session, state: &State, options: Options) -> TeardownInput {
    let stacks = session.plan.stacks.iter().filter_map(|plan| {
        let id = match state.acts.get(&create::key(&plan.component))? {
            ActState::Done(id) => Some(id.clone()),
            ActState::Intended | ActState::Unknown(_) => None,
            ActState::Refused(_) => return None,
        };
        Some(StackEntry {
            name: session.stack_name(&plan.component),
            id,
            create_token: Some(create::token(session, &plan.component)),
            depends_on: plan.after.iter().map(|component| session.stack_name(component)).collect(),
        })
    });
    let of_kind = |kind: &'static str| state.created.iter().filter(move |c| c.kind == kind);
    TeardownInput {
        run: session.folder.id().to_owned(),
        account: state.head.as_ref().map(|h| h.origin.account.clone()).unwrap_or_default(),
        run_tag: RUN_TAG.to_owned(),
        stacks: stacks.collect(),
        buckets: of_kind("AWS::S3::Bucket")
            .map(|c| BucketEntry { name: c.id.clone(), stack: session.stack_name(&c.component) })
            .collect(),
        functions: durable_functions(session, state),
        mappings: of_kind("AWS::Lambda::EventSourceMapping").map(|c| c.id.clone()).collect(),
        options,
    }
}

/// Functions of durable variants with the versions that the ledger names.
fn durable_functions(session: &Session, state: &State) -> Vec<FunctionEntry> {
    let durable = |component: &str| session.plan.variants.iter().any(|v| v.durable && v.slug == component);
    let created: Vec<Created> = state.created.iter().filter(|c| durable(&c.component)).cloned().collect();
    functions_with_versions(&created).into_iter().map(|(name, versions)| FunctionEntry { name, versions }).collect()
}

/// Every function of a ledger with its published versions; a version's physical id is its ARN.
pub(super) fn functions_with_versions(created: &[Created]) -> Vec<(String, Vec<String>)> {
    let of_kind = |kind: &'static str| created.iter().filter(move |c| c.kind == kind);
    let version_of = |function: &str, arn: &str| {
        let (rest, version) = arn.rsplit_once(':')?;
        rest.ends_with(&format!(":{function}")).then(|| version.to_owned())
    };
    of_kind("AWS::Lambda::Function")
        .map(|f| (f.id.clone(), of_kind("AWS::Lambda::Version").filter_map(|v| version_of(&f.id, &v.id)).collect()))
        .collect()
}

fn limits(session: &Session) -> TeardownLimits {
    let defaults = TeardownLimits::default();
    TeardownLimits {
        stack: session.pace(session.plan.limits.stack_delete_ms),
        settle: session.pace(u64::try_from(defaults.settle.timeout.as_millis()).unwrap_or(u64::MAX)),
        cap: session.page_cap(),
        ..defaults
    }
}

fn key(stack: &str) -> String {
    format!("delete-stack/{stack}")
}

/// Deleting by id may be asked for again; an ambiguous deletion is settled by asking for the stack.
fn intend(session: &Session, input: &TeardownInput) -> Result<(), Failure> {
    for stack in &input.stacks {
        let key = key(&stack.name);
        match session.log.act(&key) {
            Some(ActState::Done(_)) => continue,
            Some(ActState::Unknown(_)) => {
                session.log.outcome(&key, ActOutcome::Refused, "to be read again by stack id")?;
            }
            _ => {}
        }
        session.log.append(Event::Intent {
            key,
            recovery: format!("delete stack {}", stack.id.as_deref().unwrap_or(&stack.name)),
        })?;
    }
    Ok(())
}

fn settle(session: &Session, report: &TeardownReport) -> Result<(), Failure> {
    for stack in &report.stacks {
        let key = key(&stack.name);
        if session.log.act(&key) != Some(ActState::Intended) {
            continue;
        }
        let detail = format!("{:?}", stack.result);
        let outcome = match &stack.result {
            StackResult::Deleted | StackResult::AlreadyGone | StackResult::NeverCreated => ActOutcome::Done,
            StackResult::NotOurs | StackResult::Refused { .. } | StackResult::Failed => ActOutcome::Refused,
            StackResult::Paused | StackResult::Interrupted | StackResult::Unknown { .. } => ActOutcome::Unknown,
        };
        session.log.outcome(&key, outcome, detail)?;
    }
    Ok(())
}

/// Tells teardown's events like those of the deploy.
#[derive(Debug)]
struct Teller {
    progress: Progress,
}

impl Observer for Teller {
    fn note(&self, note: &Note<'_>) {
        match note {
            Note::Step(step) => self.progress.note(format!("  {step}")),
            Note::Event { stack, event, hint } => self.progress.tell(&Notice::Stack {
                component: stack.rsplit('-').next().unwrap_or(stack).to_owned(),
                resource: event.logical_id.clone(),
                status: event.status.clone(),
                reason: hint.map_or_else(|| event.reason.clone().unwrap_or_default(), str::to_owned),
            }),
            Note::Stack(report) => self.progress.note(format!("  {}  {}", report.name, report.result)),
        }
    }
}
