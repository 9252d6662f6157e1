//! Caller and provider wrote independently; what one says of a call, the other must not contradict.

use crate::findings::Findings;
use crate::story::{Attempt, Call, Story};
use evidence::record::{CommitSeen, Fact, Knowledge};

pub(super) fn check(story: &Story<'_>, findings: &mut Findings) {
    for call in &story.calls {
        taken(story, call, findings);
        remembered(story, call, findings);
    }
    for attempt in &story.attempts {
        answered(story, attempt, findings);
        elapsed(story, attempt, findings);
        followed(story, attempt, findings);
    }
}

/// A provider call needs a dispatch, and must have come to an end: one that hangs may still move money.
fn taken(story: &Story<'_>, call: &Call<'_>, findings: &mut Findings) {
    let same = |one: &crate::story::Entry<'_>| one.same_attempt(&call.received);
    let dispatched = story.attempts.iter().filter(|attempt| same(&attempt.dispatch)).count();
    let calls = story.calls.iter().filter(|other| same(&other.received)).count();
    findings.require(calls <= dispatched, || {
        (call.received.pointer(), format!("caller_journal: no dispatch matches {}", call.received.named()))
    });
    findings.require(call.transaction().is_some() || call.sent.is_some(), || {
        let what =
            format!("provider_journal: the call of {} neither committed nor ended", call.received.record.record_id);
        (call.received.pointer(), what)
    });
}

/// An answer from an earlier commit names it in full: one call of the same refund, by another invocation, committed just
/// that transaction. The ledger's row is held against that commit elsewhere.
fn remembered(story: &Story<'_>, call: &Call<'_>, findings: &mut Findings) {
    let Some(entry) = &call.earlier else { return };
    let Fact::AnsweredFromCommit { transaction_id, commit } = &entry.record.fact else { return };
    let is_the_one = |other: &&Call<'_>| {
        other.transaction() == Some(transaction_id)
            && other.commit.is_some_and(|there| {
                quotes(commit, &there)
                    && there.record.request_id != entry.record.request_id
                    && there.record.refund_request_id == entry.record.refund_request_id
            })
    };
    findings.require(story.calls.iter().filter(is_the_one).count() == 1, || {
        (entry.pointer(), format!("provider_journal: no earlier commit matches {}", entry.named()))
    });
}

fn quotes(seen: &CommitSeen, commit: &crate::story::Entry<'_>) -> bool {
    let record = commit.record;
    seen.request_id == record.request_id
        && (seen.delivery, seen.attempt) == (record.delivery, record.attempt)
        && seen.at_ms == record.at_ms
}

/// A response names the transaction of a call of the same attempt, which the provider says it answered.
fn answered(story: &Story<'_>, attempt: &Attempt<'_>, findings: &mut Findings) {
    let Some(response) = &attempt.response else { return };
    let Fact::ResponseReceived { transaction_id, .. } = &response.record.fact else { return };
    let sent = story.calls.iter().any(|call| {
        call.sent.is_some() && call.received.same_attempt(response) && call.transaction() == Some(transaction_id)
    });
    findings
        .require(sent, || (response.pointer(), format!("provider_journal: no answer matches {}", response.named())));
}

/// The caller's stopwatch cannot have run longer than its wall clock.
fn elapsed(story: &Story<'_>, attempt: &Attempt<'_>, findings: &mut Findings) {
    for outcome in attempt.response.iter().chain(&attempt.timeout) {
        let (Fact::ResponseReceived { elapsed_ms, .. } | Fact::CallerTimeoutRecorded { elapsed_ms, .. }) =
            outcome.record.fact
        else {
            continue;
        };
        let earliest = attempt.dispatch.record.at_ms.saturating_add(i64::from(elapsed_ms));
        findings.require(story.in_order(earliest, outcome.record.at_ms), || {
            (
                format!("{}/elapsed_ms", outcome.pointer()),
                format!("{} ran longer than its wall clock allows", outcome.named()),
            )
        });
    }
}

/// A timeout takes the caller's knowledge and fails the call; a journal without these lost them.
fn followed(story: &Story<'_>, attempt: &Attempt<'_>, findings: &mut Findings) {
    let Some(timeout) = &attempt.timeout else { return };
    let unknown = |entry: &crate::story::Entry<'_>| {
        matches!(entry.record.fact, Fact::EffectKnowledge { value: Knowledge::Unknown })
    };
    for (there, what) in
        [(attempt.failed.is_some(), "caller_failed"), (story.caller.iter().any(unknown), "effect_knowledge UNKNOWN")]
    {
        findings
            .require(there, || (timeout.pointer(), format!("caller_journal: no {what} follows {}", timeout.named())));
    }
}
