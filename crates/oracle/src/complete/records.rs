//! Each record by itself: does it belong here, can it say what it says, and did it happen while the trial ran?

use crate::findings::Findings;
use crate::story::{Entry, Story, author};
use evidence::record::{Fact, Knowledge, RELEASE_RECORD_ID, RequestState};

pub(super) fn check(story: &Story<'_>, findings: &mut Findings) {
    for entry in story.entries() {
        belongs(story, &entry, findings);
        plausible(story, &entry, findings);
        within(story, &entry, findings);
    }
    for refused in &story.refused {
        findings.add(refused.entry.pointer(), format!("{} {}", refused.entry.named(), refused.why));
    }
}

fn belongs(story: &Story<'_>, entry: &Entry<'_>, findings: &mut Findings) {
    let record = entry.record;
    let mut require = |holds: bool, field: &str, what: &str| {
        if !holds {
            findings.add(format!("{}{field}", entry.pointer()), format!("{} {what}", entry.named()));
        }
    };
    require(record.source == entry.source, "/source", "names another source than its journal");
    require(author(&record.fact) == entry.source, "/kind", "is not for this source to state");
    require(record.trial == story.evidence.trial.id, "/trial", "belongs to another trial");
    require(!record.request_id.is_empty(), "/request_id", "has no request id");
    require(key_agrees(entry), "/record_id", "has a key that contradicts its time, request or number");
    // Dispatches and calls are N1's matter, and what follows from them is compared with them when it is folded.
    let head = matches!(record.fact, Fact::DispatchStarted { .. } | Fact::ProviderCallReceived { .. });
    require(head || known_refund(story, entry), "/refund_request_id", "names another refund than its call");
}

/// A record about a call carries the refund of that call, any other the refund of the trial.
fn known_refund(story: &Story<'_>, entry: &Entry<'_>) -> bool {
    let refund = &entry.record.refund_request_id;
    let of_call =
        story.calls.iter().map(|call| &call.received).chain(story.attempts.iter().map(|attempt| &attempt.dispatch));
    let mut same = of_call.filter(|head| entry.record.attempt > 0 && head.same_attempt(entry)).peekable();
    match same.peek() {
        Some(_) => same.all(|head| head.record.refund_request_id == *refund),
        None => *refund == story.evidence.trial.refund_request_id,
    }
}

/// The usual key is `<at_ms, 13 digits>-<request id>-<seq, 4 digits>`; what happens once per trial has a fixed key.
fn key_agrees(entry: &Entry<'_>) -> bool {
    let record = entry.record;
    let id = record.record_id.as_str();
    match &record.fact {
        Fact::ReleaseSignalled { .. } => id == RELEASE_RECORD_ID,
        Fact::StateChanged { to: RequestState::Received, .. } => id == "state-RECEIVED",
        Fact::StateChanged { to: RequestState::Processing, .. } => id == "state-PROCESSING",
        Fact::StateChanged { to: RequestState::Finished, .. } => id == "state-FINISHED",
        Fact::EffectKnowledge { value: Knowledge::Unknown } => id == "knowledge-UNKNOWN",
        Fact::EffectKnowledge { value: Knowledge::Known } => id == "knowledge-KNOWN",
        Fact::ReleaseRefused { .. } => id.starts_with("refused-"),
        _ => is_usual_key(entry),
    }
}

/// Compares without building the key, because every record passes here.
fn is_usual_key(entry: &Entry<'_>) -> bool {
    let record = entry.record;
    let mut parts = record.record_id.splitn(2, '-');
    let (time, rest) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let Some((request, number)) = rest.rsplit_once('-') else { return false };
    time.len() == 13
        && time.parse() == Ok(record.at_ms)
        && request == record.request_id
        && number.len() >= 4
        && number.parse() == Ok(record.seq)
}

fn plausible(story: &Story<'_>, entry: &Entry<'_>, findings: &mut Findings) {
    let record = entry.record;
    let planned = &story.evidence.configuration.planned;
    let (deliveries, attempts) = (planned.max_receive_count.unwrap_or(1), planned.step_attempts.unwrap_or(1));
    let mut require = |holds: bool, field: &str, what: &str| {
        if !holds {
            findings.add(format!("{}/{field}", entry.pointer()), format!("{} {what}", entry.named()));
        }
    };
    require((1..=deliveries).contains(&record.delivery), "delivery", "is of a delivery that the plan does not allow");
    let allowed = match record.fact {
        Fact::StateChanged { .. } => 0..=0,
        _ => 1..=attempts,
    };
    require(allowed.contains(&record.attempt), "attempt", "is of an attempt that the plan does not allow");
    match &record.fact {
        Fact::ProviderCallReceived { amount_minor, currency }
        | Fact::ProviderCommitConfirmed { amount_minor, currency, .. } => {
            require(*amount_minor > 0, "amount_minor", "has no positive amount");
            require(super::terms::is_currency(currency), "currency", "has no currency code");
        }
        Fact::ResponseReceived { elapsed_ms, .. } => {
            let limit =
                u64::from(story.evidence.terms.deadline_ms) + u64::from(story.evidence.terms.clock_tolerance_ms);
            require(u64::from(*elapsed_ms) <= limit, "elapsed_ms", "came later than the deadline allows");
        }
        _ => {}
    }
}

/// Between the send and the rest, as far as two clocks can tell.
fn within(story: &Story<'_>, entry: &Entry<'_>, findings: &mut Findings) {
    let at = entry.record.at_ms;
    findings.require(story.in_order(story.evidence.dispatch.at_ms, at), || {
        (format!("{}/at_ms", entry.pointer()), format!("{} is older than the request", entry.named()))
    });
    let rest = story.evidence.quiescent_at_ms.unwrap_or(i64::MAX);
    findings.require(story.in_order(at, rest), || {
        (format!("{}/at_ms", entry.pointer()), format!("{} was written after the trial came to rest", entry.named()))
    });
}
