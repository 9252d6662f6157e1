//! Waits until a trial is at rest, then watches the queues until their attributes are stable.

use super::collect::Place;
use super::executions;
use super::session::Session;
use crate::cloud::{Failure as CallFailure, Outcome, Polled, RefusalKind, poll, queues, tables};
use crate::exit::Failure;
use crate::plan::TrialPlan;
use crate::progress::Notice;
use crate::run::now_ms;
use evidence::record::{Fact, Record, RequestState, Scenario};
use evidence::trial::{Dispatch, Gap, QueueCounts, QueueObservation, QueueRead};
use std::time::Duration;

const ZERO: QueueCounts = QueueCounts { visible: 0, in_flight: 0, delayed: 0 };

/// What the wait for rest has seen.
#[derive(Debug, Default)]
pub(super) struct Rest {
    /// When everything was quiet for the first time.
    pub(super) quiescent_at_ms: Option<i64>,
    /// Observations of the queues, for a queued trial.
    pub(super) queue: Option<QueueRead>,
    /// Why rest was not seen.
    pub(super) gaps: Vec<Gap>,
}

/// Waits within the plan's bound. A trial that does not come to rest is evidence too, with the gap named.
pub(super) async fn wait(
    session: &Session,
    place: &Place,
    trial: &TrialPlan,
    dispatch: &Dispatch,
) -> Result<Rest, Failure> {
    let mut rest = Rest::default();
    if dispatch.outcome != "done" {
        rest.gaps.push(Gap { item: "dispatch".to_owned(), reason: dispatch.reason.clone().unwrap_or_default() });
    } else {
        announce(session, trial);
        let look = || async { Outcome::from(quiet(session, place, trial).await) };
        match poll::poll(session.pace(session.plan.limits.trial_ms), &session.cancel, look).await {
            Polled::Ready { .. } => rest.quiescent_at_ms = Some(now_ms()),
            Polled::Cancelled => session.check_interrupt()?,
            Polled::Refused(refusal) if refusal.kind == RefusalKind::Expired => {
                return Err(super::acts::stop("wait for rest", &CallFailure::Refused(refusal)));
            }
            Polled::Refused(refusal) => rest.gaps.push(Gap { item: "rest".to_owned(), reason: refusal.to_string() }),
            Polled::GaveUp { reason } => rest.gaps.push(Gap { item: "rest".to_owned(), reason }),
        }
    }
    if trial.queued {
        let (queue, gap) = observe(session, place).await?;
        rest.queue = Some(queue);
        rest.gaps.extend(gap);
    }
    Ok(rest)
}

fn announce(session: &Session, trial: &TrialPlan) {
    let mandated = session.plan.waits.iter().filter(|w| w.of == trial.id && w.what != "stable queue observations");
    let ms: u64 = mandated.map(|w| w.ms).sum();
    if trial.scenario == Scenario::CommitThenTimeout && ms > 0 {
        let what = match (trial.configuration.step_delay_s, trial.configuration.visibility_timeout_s) {
            (Some(_), _) => "the next attempt of the step",
            (None, Some(_)) => "redelivery",
            (None, None) => "the deadline of the held call",
        };
        session.progress.tell(&Notice::Waiting { what: what.to_owned(), ms });
    }
}

/// Quiet: the caller finished or gave up, no message is left in the queue, no execution runs.
async fn quiet(session: &Session, place: &Place, trial: &TrialPlan) -> Result<Option<()>, CallFailure> {
    let caller = tables::query_partition::<Record>(
        &session.clients,
        &place.caller_journal,
        "trial",
        &trial.id,
        session.page_cap(),
    );
    let records = caller.await.into_result()?.items;
    let dead = match &place.dead_letter_url {
        Some(url) => queues::counts(&session.clients, url).await.into_result()? != ZERO,
        None => false,
    };
    if !(dead || records.iter().any(is_finished)) {
        return Ok(None);
    }
    if let Some(url) = &place.queue_url
        && queues::counts(&session.clients, url).await.into_result()? != ZERO
    {
        return Ok(None);
    }
    if trial.durable && !executions::at_rest(session, place, trial).await? {
        return Ok(None);
    }
    if !trial.queued && !answered(session, place, trial).await? {
        return Ok(None);
    }
    Ok(Some(()))
}

fn is_finished(record: &Record) -> bool {
    matches!(record.fact, Fact::StateChanged { to: RequestState::Finished, .. })
}

/// The probe has no queue to look at: the provider's last word ends it.
async fn answered(session: &Session, place: &Place, trial: &TrialPlan) -> Result<bool, CallFailure> {
    let listing = tables::query_partition::<Record>(
        &session.clients,
        &place.provider_journal,
        "trial",
        &trial.id,
        session.page_cap(),
    );
    let records = listing.await.into_result()?.items;
    Ok(records.iter().any(|r| matches!(r.fact, Fact::ResponseSent { .. })))
}

/// Looks until enough observations in a row are equal, at most three times as many.
async fn observe(session: &Session, place: &Place) -> Result<(QueueRead, Option<Gap>), Failure> {
    let wanted = session.plan.limits.observations as usize;
    let pause = Duration::from_millis(u64::from(session.plan.limits.observation_interval_ms));
    let mut observations: Vec<QueueObservation> = Vec::new();
    let mut gap = None;
    for look in 0..wanted * 3 {
        if look > 0 {
            tokio::select! {
                () = session.cancel.cancelled() => session.check_interrupt()?,
                () = tokio::time::sleep(pause) => {}
            }
        }
        match observation(session, place).await {
            Ok(observation) => observations.push(observation),
            Err(failure) if failure.kind() == Some(RefusalKind::Expired) => {
                return Err(super::acts::stop("watch the queues", &failure));
            }
            Err(failure) => gap = Some(Gap { item: "queue observation".to_owned(), reason: failure.to_string() }),
        }
        let tail = observations.iter().rev().take(wanted);
        let equal = tail.clone().count() == wanted
            && tail
                .clone()
                .all(|o| Some((o.queue, o.dead_letter)) == observations.last().map(|l| (l.queue, l.dead_letter)));
        if equal {
            return Ok((QueueRead { observations }, None));
        }
    }
    Ok((QueueRead { observations }, gap))
}

async fn observation(session: &Session, place: &Place) -> Result<QueueObservation, CallFailure> {
    let read = |url: Option<String>| async move {
        queues::counts(&session.clients, &url.unwrap_or_default()).await.into_result()
    };
    let queue = read(place.queue_url.clone()).await?;
    let dead_letter = read(place.dead_letter_url.clone()).await?;
    Ok(QueueObservation { at_ms: now_ms(), queue, dead_letter })
}
