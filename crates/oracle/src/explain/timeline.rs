//! What happened, merged from sources that did not know of each other.

use super::major;
use crate::story::{Story, kind};
use evidence::record::{Fact, FinishReason, Record, RequestState};
use evidence::trial::{Execution, HistoryEvent, QueueCounts, QueueRead, TrialEvidence};

/// One line of the timeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Milliseconds since the epoch, by the source's own clock.
    pub at_ms: i64,
    /// `harness`, `caller`, `provider`, `controller`, `durable` or `queue`.
    pub source: &'static str,
    /// What happened.
    pub what: String,
}

/// All moments by time; equal times keep the order of the sources.
#[must_use]
pub fn timeline(evidence: &TrialEvidence) -> Vec<Moment> {
    let story = Story::of(evidence);
    let mut moments = vec![moment(
        evidence.dispatch.at_ms,
        "harness",
        format!("{} {}", evidence.dispatch.how, evidence.dispatch.outcome),
    )];
    for (source, entries) in
        [("caller", &story.caller), ("provider", &story.provider), ("controller", &story.controller)]
    {
        moments.extend(entries.iter().map(|entry| moment(entry.record.at_ms, source, record(entry.record))));
    }
    for execution in evidence.executions.iter().flat_map(|read| &read.executions) {
        moments.extend(execution.history.iter().map(|event| moment(event.at_ms, "durable", durable(execution, event))));
    }
    moments.extend(evidence.queue.iter().flat_map(queue));
    moments.extend(evidence.quiescent_at_ms.map(|at| moment(at, "harness", "the trial is at rest".to_owned())));
    moments.sort_by_key(|moment| moment.at_ms);
    moments
}

fn moment(at_ms: i64, source: &'static str, what: String) -> Moment {
    Moment { at_ms, source, what }
}

fn record(record: &Record) -> String {
    let head = kind(&record.fact);
    let attempt = format!("delivery {} attempt {}", record.delivery, record.attempt);
    match &record.fact {
        Fact::StateChanged { to, reason, .. } => format!("{head} {}{}", state(*to), reason.map_or("", finish)),
        Fact::EffectKnowledge { value } => {
            format!("{head} {value:?}").to_uppercase().replacen("EFFECT_KNOWLEDGE", head, 1)
        }
        Fact::DispatchStarted { deadline_ms } => format!("{head} {attempt}, deadline {deadline_ms} ms"),
        Fact::ResponseReceived { transaction_id, elapsed_ms } => {
            format!("{head} {attempt} after {elapsed_ms} ms: {transaction_id}")
        }
        Fact::CallerTimeoutRecorded { elapsed_ms, .. } => format!("{head} {attempt} after {elapsed_ms} ms"),
        Fact::CallerFailed { error } => format!("{head} {attempt}: {error}"),
        Fact::ProviderCallReceived { amount_minor, currency } => {
            format!("{head} {attempt}: {} {currency}", major(*amount_minor))
        }
        Fact::ProviderCommitConfirmed { transaction_id, amount_minor, currency } => {
            format!("{head} {attempt}: {} {currency}, {transaction_id}", major(*amount_minor))
        }
        Fact::AnsweredFromCommit { transaction_id, commit } => {
            format!("{head} {attempt}: {transaction_id} of delivery {} attempt {}", commit.delivery, commit.attempt)
        }
        Fact::BarrierEntered { .. } => format!("{head} {attempt}"),
        Fact::ResponseSent { transaction_id } => format!("{head} {attempt}: {transaction_id}"),
        Fact::BarrierReleased { release } => format!("{head} by {release}"),
        Fact::BarrierExpired { waited_ms } => format!("{head} after {waited_ms} ms"),
        Fact::ReleaseSignalled { timeout } => format!("{head} because of {}", timeout.record_id),
        Fact::ReleaseRefused { reason } => format!("{head}: {reason}"),
    }
}

fn state(state: RequestState) -> &'static str {
    match state {
        RequestState::Received => "RECEIVED",
        RequestState::Processing => "PROCESSING",
        RequestState::Finished => "FINISHED",
    }
}

fn finish(reason: FinishReason) -> &'static str {
    match reason {
        FinishReason::Succeeded => " SUCCEEDED",
        FinishReason::Failed => " FAILED",
    }
}

fn durable(execution: &Execution, event: &HistoryEvent) -> String {
    let name = event.name.as_deref().map(|name| format!(" {name}")).unwrap_or_default();
    let delay = event.details.pointer("/RetryDetails/NextAttemptDelaySeconds").and_then(serde_json::Value::as_i64);
    let next = delay.map(|seconds| format!(", next in {seconds} s")).unwrap_or_default();
    format!("{}{name}{next} (version {}, event {})", event.event_type, execution.version, event.event_id)
}

/// Only looks that saw something new, and how many looks saw the same.
fn queue(queue: &QueueRead) -> Vec<Moment> {
    let same = |one: &evidence::trial::QueueObservation| (one.queue, one.dead_letter);
    let runs = queue.observations.chunk_by(|one, other| same(one) == same(other));
    runs.filter_map(|run| {
        let first = run.first()?;
        let looks = if run.len() == 1 { String::new() } else { format!(" ({} looks)", run.len()) };
        let what = format!("queue {}, dead letters {}{looks}", counts(&first.queue), counts(&first.dead_letter));
        Some(moment(first.at_ms, "queue", what))
    })
    .collect()
}

fn counts(counts: &QueueCounts) -> String {
    format!("{}+{}+{}", counts.visible, counts.in_flight, counts.delayed)
}
