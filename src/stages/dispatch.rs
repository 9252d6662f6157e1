//! Starts a trial, once. An intent without an outcome is reconciled from what the trial left, never sent again.

use super::acts::stop;
use super::collect::Place;
use super::session::Session;
use crate::cloud::{Failure as CallFailure, Outcome, Polled, RefusalKind, functions, poll, queues, tables};
use crate::exit::Failure;
use crate::plan::TrialPlan;
use crate::run::{ActOutcome, ActState, now_ms};
use ::functions::event::SqsEvent;
use evidence::record::{Record, RefundRequest};
use evidence::trial::Dispatch;
use std::time::Duration;

/// Why a dispatch without an answer counts as done.
const RECONCILED: &str = "the answer was lost; the caller's records prove the dispatch";

/// Journal key of a trial's dispatch.
fn key(trial: &TrialPlan) -> String {
    format!("dispatch/{}", trial.id)
}

/// Dispatches the trial unless it was; says how.
pub(super) async fn dispatch(session: &Session, place: &Place, trial: &TrialPlan) -> Result<Dispatch, Failure> {
    match session.log.act(&key(trial)) {
        None | Some(ActState::Refused(_)) => first(session, place, trial).await,
        Some(ActState::Done(detail)) => Ok(known(session, trial, &detail)),
        Some(ActState::Intended | ActState::Unknown(_)) => reconcile(session, place, trial).await,
    }
}

async fn first(session: &Session, place: &Place, trial: &TrialPlan) -> Result<Dispatch, Failure> {
    let request = request(session, trial)?;
    let detail = |id: &String| format!("{} {id}", intended_at_ms(session, trial));
    let recovery = format!("look for records of trial {}; never send again", trial.id);
    let outcome = if trial.queued {
        let url = place.queue_url.clone().unwrap_or_default();
        let message = queues::Message {
            body: json(&request)?,
            group: trial.id.clone(),
            deduplication_id: deduplication_id(session, trial),
        };
        let send = || async { queues::send(&session.clients, &url, &message).await.map(|sent| sent.message_id) };
        session.act(&key(trial), &recovery, send, detail).await?
    } else {
        let event = SqsEvent::synthetic(&format!("{}-message", trial.id), &request)
            .map_err(|e| Failure::Internal(e.to_string()))?;
        let payload = serde_json::to_vec(&event).map_err(|e| Failure::Internal(e.to_string()))?;
        let timeout = Duration::from_secs(u64::from(trial.configuration.function_timeout_s) + 30);
        let invoke = || async {
            functions::invoke(&session.clients, &place.function, payload.clone(), timeout)
                .await
                .map(|i| i.request_id.unwrap_or_default())
        };
        session.act(&key(trial), &recovery, invoke, detail).await?
    };
    match outcome {
        Outcome::Done(id) => Ok(made(session, trial, "done", Some(id), None)),
        Outcome::Refused(refusal) if refusal.kind == RefusalKind::Expired => {
            Err(stop(&format!("dispatch {}", trial.id), &CallFailure::Refused(refusal)))
        }
        Outcome::Refused(refusal) => Ok(made(session, trial, "refused", None, Some(refusal.to_string()))),
        Outcome::Unknown(_) => reconcile(session, place, trial).await,
    }
}

/// The trial's own records prove that the dispatch took effect; their absence proves nothing.
async fn reconcile(session: &Session, place: &Place, trial: &TrialPlan) -> Result<Dispatch, Failure> {
    let wait_ms = u64::from(trial.configuration.function_timeout_s) * 1000 + 5_000;
    let look = || async {
        let listing = tables::query_partition::<Record>(
            &session.clients,
            &place.caller_journal,
            "trial",
            &trial.id,
            session.page_cap(),
        )
        .await;
        listing.map(|l| (!l.items.is_empty()).then_some(()))
    };
    let found = poll::poll(session.pace(wait_ms), &session.cancel, look).await;
    match found {
        Polled::Ready { .. } => {
            let at_ms = intended_at_ms(session, trial);
            session.log.outcome(&key(trial), ActOutcome::Done, format!("{at_ms} reconciled"))?;
            Ok(made(session, trial, "done", None, Some(RECONCILED.to_owned())))
        }
        Polled::Refused(refusal) if refusal.kind == RefusalKind::Expired => {
            Err(stop(&format!("reconcile {}", trial.id), &CallFailure::Refused(refusal)))
        }
        _ => {
            let reason = "nobody knows whether the trial was dispatched, and it is not dispatched twice";
            session.log.outcome(&key(trial), ActOutcome::Unknown, reason)?;
            Ok(made(session, trial, "unknown", None, Some(reason.to_owned())))
        }
    }
}

/// From the journal's detail: the time, then the id.
fn known(session: &Session, trial: &TrialPlan, detail: &str) -> Dispatch {
    let (at, id) = detail.split_once(' ').unwrap_or(("", detail));
    let (id, reason) = match id {
        "reconciled" => (None, Some(RECONCILED.to_owned())),
        id => (Some(id.to_owned()), None),
    };
    let dispatch = made(session, trial, "done", id, reason);
    Dispatch { at_ms: at.parse().unwrap_or(dispatch.at_ms), ..dispatch }
}

fn made(session: &Session, trial: &TrialPlan, outcome: &str, id: Option<String>, reason: Option<String>) -> Dispatch {
    Dispatch {
        how: if trial.queued { "queue" } else { "invoke" }.to_owned(),
        outcome: outcome.to_owned(),
        id,
        group: trial.queued.then(|| trial.id.clone()),
        deduplication_id: trial.queued.then(|| deduplication_id(session, trial)),
        at_ms: intended_at_ms(session, trial),
        reason,
    }
}

/// The journal's time of the intent: what the trial left is never older, whoever reconciles it and when.
fn intended_at_ms(session: &Session, trial: &TrialPlan) -> i64 {
    session.log.intended_at_ms(&key(trial)).unwrap_or_else(now_ms)
}

fn deduplication_id(session: &Session, trial: &TrialPlan) -> String {
    format!("{}-{}", session.folder.id(), trial.id)
}

fn request(session: &Session, trial: &TrialPlan) -> Result<RefundRequest, Failure> {
    let effect = trial
        .terms
        .authorised
        .first()
        .ok_or_else(|| Failure::Internal(format!("trial {} authorises nothing", trial.id)))?;
    Ok(RefundRequest {
        run: session.folder.id().to_owned(),
        trial: trial.id.clone(),
        scenario: trial.scenario,
        refund_request_id: trial.refund_request_id.clone(),
        amount_minor: effect.amount_minor,
        currency: effect.currency.clone(),
    })
}

fn json(request: &RefundRequest) -> Result<String, Failure> {
    serde_json::to_string(request).map_err(|e| Failure::Internal(e.to_string()))
}
