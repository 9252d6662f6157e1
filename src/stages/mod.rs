//! The plot of a run: every stage gates the next, and cleanup happens on every path.

mod acts;
mod archive;
mod audit;
mod burn;
mod cleanup;
mod close_out;
mod closing;
mod collect;
mod configuration;
mod create;
mod deploy;
mod dispatch;
mod executions;
mod flags;
mod foresee;
mod freeze;
mod interlock;
mod judging;
mod ledger;
mod preflight;
mod rest;
mod session;
mod settling;
mod teardown;
mod trials;

pub use cleanup::summary as teardown_summary;
pub use closing::Conclusion;
pub use foresee::{ForeseenResource, ForeseenStack, Foresight, foresee};
pub use session::{Inputs, Session};
pub use settling::{amend, amend_folder, audit_again, tear_down_again};

use crate::exit::Failure;
use crate::paused::unless_expired;
use crate::progress::Notice;
use crate::run::{Event, StageOutcome, now_ms};

/// Runs what is not done yet, from the journal's state to the end.
///
/// # Errors
/// [`Failure::Paused`] if the run can go on later; its stacks are then left as they are.
/// [`Failure::Interrupted`] if a signal stopped it and the stacks were to be kept. Everything else becomes part of
/// the conclusion.
pub async fn drive(session: &Session) -> Result<Conclusion, Failure> {
    let stopped = Box::pin(experiment(session)).await.err();
    match stopped {
        Some(Failure::Paused(reason)) => return Err(pause(session, &reason)?),
        Some(Failure::Interrupted(_)) if session.keep_on_interrupt => return Err(kept(session)),
        // A stage whose end could not be written: the disk is full or gone, and no intent could be written either.
        Some(failure @ Failure::Internal(_)) if session.log.state().open_stage().is_some() => return Err(failure),
        _ => {}
    }
    let cleanup = match Box::pin(cleanup::clean_up(session)).await {
        Err(Failure::Paused(reason)) => return Err(pause(session, &reason)?),
        other => other?,
    };
    closing::conclude(session, stopped, cleanup).await
}

async fn experiment(session: &Session) -> Result<(), Failure> {
    stage(session, "preflight", preflight::preflight(session)).await?;
    stage(session, "deploy", deploy::deploy(session)).await?;
    stage(session, "probe", trials::probe(session)).await?;
    for variant in &session.plan.variants {
        let name = format!("validate-{}", variant.slug);
        stage(session, &name, trials::validate(session, &name)).await?;
    }
    stage(session, "canonical", trials::canonical(session)).await
}

/// Runs a stage unless it is over. A stage that failed before a crash stays failed, for the reason that it had.
async fn stage(session: &Session, name: &str, work: impl Future<Output = Result<(), Failure>>) -> Result<(), Failure> {
    let state = session.log.state();
    match (state.stage_outcome(name), state.reasons.get(name)) {
        (Some(StageOutcome::Completed), _) => return Ok(()),
        (Some(_), Some(why)) if !why.is_empty() => return Err(Failure::Stopped(why.clone())),
        (Some(_), _) => return Err(Failure::Stopped(format!("stage {name} did not complete before"))),
        (None, _) => {}
    }
    session.check_interrupt()?;
    session.check_cost()?;
    interlock::check(session).await?;
    let started = now_ms();
    session.log.append(Event::StageStarted { stage: name.to_owned() })?;
    session.progress.tell(&Notice::StageStarted { stage: name.to_owned() });
    let result = unless_expired(&session.clients, name, |()| true, work).await;
    let (outcome, detail) = match &result {
        Ok(()) => (StageOutcome::Completed, String::new()),
        Err(Failure::Paused(_)) => return result,
        Err(Failure::Interrupted(why)) => (StageOutcome::Interrupted, why.clone()),
        Err(failure) => (StageOutcome::Failed, failure.to_string()),
    };
    let written = session.log.append(Event::StageEnded { stage: name.to_owned(), outcome, detail: detail.clone() });
    if written.is_err() {
        // The first error says more than the one that follows from it.
        return result.and(written);
    }
    let outcome = format!("{outcome:?}").to_lowercase();
    session.progress.tell(&Notice::StageEnded { stage: name.to_owned(), outcome, detail, ms: now_ms() - started });
    tracing::info!(stage = name, burn_usd = session.burn()?.to_string(), "cost so far, at most");
    result
}

fn pause(session: &Session, reason: &str) -> Result<Failure, Failure> {
    session.log.append(Event::Paused { reason: reason.to_owned() })?;
    Ok(Failure::Paused(format!("paused: {reason}\ncontinue with: {}", session.recovery())))
}

/// On-demand tables, functions and roles cost nothing at rest. What does is polling: an event source mapping keeps
/// five long polls of 20 s on its queue (Lambda developer guide, "Using Lambda with Amazon SQS"), 900 FIFO requests
/// an hour at USD 0.50 a million (SQS price list, us-east-1).
fn cost_at_rest(session: &Session) -> String {
    let queues = u32::try_from(session.plan.variants.len()).unwrap_or(u32::MAX);
    let usd = f64::from(queues) * 900.0 * 0.5 / 1_000_000.0;
    format!("about USD {usd:.5} ({queues} polled queues, stored bytes not counted)")
}

fn kept(session: &Session) -> Failure {
    Failure::Interrupted(format!(
        "interrupted; the stacks are kept and cost {} per hour at rest\ncontinue with: {}",
        cost_at_rest(session),
        session.recovery()
    ))
}
