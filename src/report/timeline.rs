//! One trial on one time axis, merged from sources that did not know of each other.

use super::table::money;
use evidence::record::{Fact, Record};
use evidence::trial::{Execution, HistoryEvent, QueueCounts, QueueObservation, TrialEvidence};
use serde::Serialize;

/// Who saw it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Lane {
    /// The harness itself.
    Harness,
    /// Caller journal.
    Caller,
    /// Provider journal.
    Provider,
    /// Controller journal.
    Controller,
    /// History of the durable execution.
    Durable,
    /// Queue attributes.
    Queue,
}

impl Lane {
    /// Every lane, top to bottom.
    pub const ALL: [Self; 6] =
        [Self::Harness, Self::Caller, Self::Provider, Self::Controller, Self::Durable, Self::Queue];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Harness => "harness",
            Self::Caller => "caller",
            Self::Provider => "provider",
            Self::Controller => "controller",
            Self::Durable => "durable",
            Self::Queue => "queue",
        }
    }
}

/// What an event means for the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Mark {
    /// Money moved.
    Commit,
    /// The caller stopped waiting, or something failed.
    Trouble,
    /// Anything else.
    Plain,
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Moment {
    /// Milliseconds since the epoch, by the source's own clock.
    pub at_ms: i64,
    /// Source.
    pub lane: Lane,
    /// Its meaning.
    pub mark: Mark,
    /// What happened.
    pub what: String,
    /// A word beside its mark in the chart, for the few that tell the story.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Where it stands in the trial's file.
    pub pointer: String,
}

/// What a stretch of time is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Stretch {
    /// The caller waits for an answer.
    Call,
    /// The provider has committed and holds the answer back.
    Held,
    /// From a timeout to the next dispatch.
    Retry,
    /// A durable execution.
    Execution,
}

/// A stretch of time in a lane.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Span {
    /// Start, milliseconds since the epoch.
    pub from_ms: i64,
    /// End.
    pub to_ms: i64,
    /// Lane.
    pub lane: Lane,
    /// What it is.
    pub stretch: Stretch,
    /// Text for people.
    pub label: String,
}

impl Span {
    /// What fits above a bar.
    pub(super) fn short(&self) -> &str {
        self.label.strip_prefix("retry: ").unwrap_or(&self.label)
    }
}

/// A trial's events, stretches and deadlines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Timeline {
    /// By time; equal times keep the order of the lanes.
    pub moments: Vec<Moment>,
    /// Stretches.
    pub spans: Vec<Span>,
    /// When a deadline ran out without an answer, milliseconds since the epoch.
    pub deadlines: Vec<i64>,
}

impl Timeline {
    /// Merges all sources of a trial.
    #[must_use]
    pub fn of(evidence: &TrialEvidence) -> Self {
        let dispatch = &evidence.dispatch;
        let text = format!("dispatched by {}: {}", dispatch.how, dispatch.outcome);
        let mut moments = vec![moment(dispatch.at_ms, Lane::Harness, Mark::Plain, text, "/dispatch".to_owned())];
        for (lane, read, name) in [
            (Lane::Caller, &evidence.caller_journal, "caller_journal"),
            (Lane::Provider, &evidence.provider_journal, "provider_journal"),
            (Lane::Controller, &evidence.controller_journal, "controller_journal"),
        ] {
            let records = read.iter().flat_map(|read| read.records.iter().enumerate());
            moments.extend(records.map(|(i, record)| {
                let pointer = format!("/{name}/records/{i}");
                let moment = moment(record.at_ms, lane, mark(&record.fact), told(record), pointer);
                Moment { label: label(&record.fact), ..moment }
            }));
        }
        for (i, execution) in executions(evidence).enumerate() {
            moments.extend(execution.history.iter().enumerate().map(|(j, event)| {
                let mark = if event.event_type.ends_with("Failed") { Mark::Trouble } else { Mark::Plain };
                let pointer = format!("/executions/executions/{i}/history/{j}");
                moment(event.at_ms, Lane::Durable, mark, durable(execution, event), pointer)
            }));
        }
        moments.extend(queue(evidence));
        moments.extend(evidence.quiescent_at_ms.map(|at| {
            moment(at, Lane::Harness, Mark::Plain, "the trial is at rest".to_owned(), "/quiescent_at_ms".to_owned())
        }));
        moments.sort_by_key(|moment| moment.at_ms);
        let (spans, deadlines) = stretches(evidence);
        Self { moments, spans, deadlines }
    }

    /// Start of the axis.
    #[must_use]
    pub fn start_ms(&self) -> i64 {
        self.moments.first().map_or(0, |moment| moment.at_ms)
    }
}

fn moment(at_ms: i64, lane: Lane, mark: Mark, what: String, pointer: String) -> Moment {
    Moment { at_ms, lane, mark, what, label: None, pointer }
}

fn label(fact: &Fact) -> Option<String> {
    match fact {
        Fact::ProviderCommitConfirmed { amount_minor, .. } => Some(money(*amount_minor)),
        Fact::CallerTimeoutRecorded { .. } => Some("timeout".to_owned()),
        Fact::ReleaseSignalled { .. } => Some("release".to_owned()),
        _ => None,
    }
}

fn executions(evidence: &TrialEvidence) -> impl Iterator<Item = &Execution> {
    evidence.executions.iter().flat_map(|read| &read.executions)
}

fn mark(fact: &Fact) -> Mark {
    match fact {
        Fact::ProviderCommitConfirmed { .. } => Mark::Commit,
        Fact::CallerTimeoutRecorded { .. }
        | Fact::CallerFailed { .. }
        | Fact::BarrierExpired { .. }
        | Fact::ReleaseRefused { .. } => Mark::Trouble,
        _ => Mark::Plain,
    }
}

/// Kind, call and the values that a reader looks for.
fn told(record: &Record) -> String {
    let fact = serde_json::to_value(&record.fact).unwrap_or_default();
    let kind = fact.get("kind").and_then(|k| k.as_str()).unwrap_or_default().to_owned();
    let call = format!("delivery {} attempt {}", record.delivery, record.attempt);
    match &record.fact {
        Fact::StateChanged { to, reason, .. } => {
            let reason = reason.map(|r| format!(" {}", super::dossier::word(&r))).unwrap_or_default();
            format!("{kind}: {}{reason}", super::dossier::word(to))
        }
        Fact::EffectKnowledge { value } => format!("{kind}: {}", super::dossier::word(value)),
        Fact::DispatchStarted { deadline_ms } => format!("{kind}, {call}, deadline {deadline_ms} ms"),
        Fact::ResponseReceived { elapsed_ms, transaction_id } => {
            format!("{kind}, {call}, after {elapsed_ms} ms: {transaction_id}")
        }
        Fact::CallerTimeoutRecorded { elapsed_ms, .. } => format!("{kind}, {call}, after {elapsed_ms} ms"),
        Fact::CallerFailed { error } => format!("{kind}, {call}: {error}"),
        Fact::ProviderCallReceived { amount_minor, currency } => {
            format!("{kind}, {call}: {} {currency}", money(*amount_minor))
        }
        Fact::ProviderCommitConfirmed { transaction_id, amount_minor, currency } => {
            format!("{kind}, {call}: {} {currency}, {transaction_id}", money(*amount_minor))
        }
        Fact::AnsweredFromCommit { transaction_id, commit } => format!(
            "{kind}, {call}: {transaction_id} of delivery {} attempt {}, no money moves",
            commit.delivery, commit.attempt
        ),
        Fact::BarrierEntered { .. } => format!("{kind}, {call}: the answer is held"),
        Fact::BarrierReleased { release } => format!("{kind}, {call}, by {release}"),
        Fact::BarrierExpired { waited_ms } => format!("{kind}, {call}, after {waited_ms} ms"),
        Fact::ResponseSent { transaction_id } => format!("{kind}, {call}: {transaction_id}"),
        Fact::ReleaseSignalled { timeout } => format!("{kind} because of {}", timeout.record_id),
        Fact::ReleaseRefused { reason } => format!("{kind}: {reason}"),
    }
}

fn durable(execution: &Execution, event: &HistoryEvent) -> String {
    let name = event.name.as_deref().filter(|_| event.event_type.starts_with("Step"));
    let name = name.map(|name| format!(" {name}")).unwrap_or_default();
    let delay = event.details.pointer("/RetryDetails/NextAttemptDelaySeconds").and_then(serde_json::Value::as_i64);
    let next = delay.map(|seconds| format!(", next attempt in {seconds} s")).unwrap_or_default();
    format!("{}{name}{next} (version {}, event {})", event.event_type, execution.version, event.event_id)
}

/// Only looks that saw something new, and how many looks saw the same.
fn queue(evidence: &TrialEvidence) -> Vec<Moment> {
    let observations = evidence.queue.as_ref().map_or(&[][..], |queue| &queue.observations[..]);
    let same = |a: &QueueObservation, b: &QueueObservation| (a.queue, a.dead_letter) == (b.queue, b.dead_letter);
    let mut index = 0;
    let mut moments = Vec::new();
    for run in observations.chunk_by(same) {
        let Some(first) = run.first() else { continue };
        let looks = if run.len() == 1 { String::new() } else { format!(", {} equal looks", run.len()) };
        let what = format!("queue {}; dead letters {}{looks}", counts(&first.queue), counts(&first.dead_letter));
        let pointer = format!("/queue/observations/{index}");
        moments.push(moment(first.at_ms, Lane::Queue, Mark::Plain, what, pointer));
        index += run.len();
    }
    moments
}

fn counts(counts: &QueueCounts) -> String {
    match (counts.visible, counts.in_flight, counts.delayed) {
        (0, 0, 0) => "empty".to_owned(),
        (visible, flight, delayed) => format!("{visible} visible, {flight} in flight, {delayed} delayed"),
    }
}

fn stretches(evidence: &TrialEvidence) -> (Vec<Span>, Vec<i64>) {
    let (mut spans, mut deadlines) = (Vec::new(), Vec::new());
    let records = |read: &'_ Option<evidence::trial::JournalRead>| -> Vec<Record> {
        read.as_ref().map(|read| read.records.clone()).unwrap_or_default()
    };
    let caller = records(&evidence.caller_journal);
    let mut timed_out: Option<&Record> = None;
    for (i, record) in caller.iter().enumerate() {
        let Fact::DispatchStarted { deadline_ms } = &record.fact else { continue };
        if let Some(timeout) = timed_out.take() {
            spans.push(retry(timeout, record));
        }
        let answer = caller[i + 1..].iter().find(|r| ends_call(r, record));
        let Some(answer) = answer else { continue };
        let timeout = matches!(answer.fact, Fact::CallerTimeoutRecorded { .. });
        let label = if timeout { "no answer".to_owned() } else { format!("answer in {}", since(record, answer)) };
        spans.push(span(record.at_ms, answer.at_ms, Lane::Caller, Stretch::Call, label));
        if timeout {
            deadlines.push(record.at_ms + i64::from(*deadline_ms));
            timed_out = Some(answer);
        }
    }
    let provider = records(&evidence.provider_journal);
    for (i, entered) in provider.iter().enumerate() {
        let ended = |r: &&Record| {
            matches!(r.fact, Fact::BarrierReleased { .. } | Fact::BarrierExpired { .. })
                && r.request_id == entered.request_id
        };
        if let (Fact::BarrierEntered { .. }, Some(end)) = (&entered.fact, provider[i + 1..].iter().find(ended)) {
            let label = format!("answer held {}", since(entered, end));
            spans.push(span(entered.at_ms, end.at_ms, Lane::Provider, Stretch::Held, label));
        }
    }
    spans.extend(executions(evidence).filter_map(|e| {
        Some(span(e.started_at_ms, e.ended_at_ms?, Lane::Durable, Stretch::Execution, e.status.clone()))
    }));
    (spans, deadlines)
}

fn ends_call(record: &Record, dispatch: &Record) -> bool {
    matches!(record.fact, Fact::ResponseReceived { .. } | Fact::CallerTimeoutRecorded { .. })
        && (record.delivery, record.attempt) == (dispatch.delivery, dispatch.attempt)
}

fn retry(timeout: &Record, next: &Record) -> Span {
    let layer = if next.delivery > timeout.delivery { "redelivery" } else { "next attempt of the step" };
    let label = format!("retry: {layer} after {}", since(timeout, next));
    span(timeout.at_ms, next.at_ms, Lane::Caller, Stretch::Retry, label)
}

fn since(from: &Record, to: &Record) -> String {
    duration(to.at_ms - from.at_ms)
}

fn span(from_ms: i64, to_ms: i64, lane: Lane, stretch: Stretch, label: String) -> Span {
    Span { from_ms, to_ms: to_ms.max(from_ms), lane, stretch, label }
}

/// `85 ms`, `1.512 s`, `59.1 s`, `360 s`.
#[must_use]
pub(super) fn duration(ms: i64) -> String {
    match ms {
        ..1_000 => format!("{ms} ms"),
        1_000..10_000 => format!("{}.{:03} s", ms / 1000, ms % 1000),
        10_000..100_000 => format!("{}.{} s", ms / 1000, ms % 1000 / 100),
        _ => format!("{} s", ms / 1000),
    }
}
