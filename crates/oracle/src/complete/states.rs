//! The request's states: each at most once, each from the one before, and an end when the message is gone.

use crate::findings::Findings;
use crate::story::{Entry, Story};
use evidence::record::{Fact, FinishReason, RequestState};

const ORDER: [RequestState; 3] = [RequestState::Received, RequestState::Processing, RequestState::Finished];

pub(super) fn check(story: &Story<'_>, findings: &mut Findings) {
    let mut reached: Option<(RequestState, i64)> = None;
    for state in ORDER {
        let entries: Vec<_> = story.caller.iter().filter(|entry| entered(entry) == Some(state)).collect();
        for (index, entry) in entries.iter().enumerate() {
            let follows = index == 0 && fits(entry, reached.map(|(before, _)| before));
            findings.require(follows, || {
                (entry.pointer(), format!("{} does not follow from the states before it", entry.named()))
            });
            let ordered = reached.is_none_or(|(_, before)| story.in_order(before, entry.record.at_ms));
            findings
                .require(ordered, || (entry.pointer(), format!("{} is older than the state before it", entry.named())));
        }
        if let Some(entry) = entries.first() {
            reached = Some((state, entry.record.at_ms));
            reason(story, entry, findings);
        }
    }
    end(story, reached.map(|(state, _)| state), findings);
}

fn entered(entry: &Entry<'_>) -> Option<RequestState> {
    match entry.record.fact {
        Fact::StateChanged { to, .. } => Some(to),
        _ => None,
    }
}

fn fits(entry: &Entry<'_>, before: Option<RequestState>) -> bool {
    match entry.record.fact {
        Fact::StateChanged { from, to, reason } => {
            let position = ORDER.iter().position(|state| *state == to).unwrap_or(0);
            let expected = position.checked_sub(1).map(|index| ORDER[index]);
            from == expected && before == expected && reason.is_some() == (to == RequestState::Finished)
        }
        _ => false,
    }
}

/// `SUCCEEDED` needs a response in the same delivery; `FAILED` excludes one.
fn reason(story: &Story<'_>, entry: &Entry<'_>, findings: &mut Findings) {
    let Fact::StateChanged { reason: Some(reason), .. } = entry.record.fact else { return };
    let delivery = entry.record.delivery;
    let answered =
        story.attempts.iter().any(|attempt| attempt.response.is_some() && attempt.dispatch.record.delivery == delivery);
    findings.require(answered == (reason == FinishReason::Succeeded), || {
        (
            format!("{}/reason", entry.pointer()),
            format!("{} has a reason that the delivery's calls contradict", entry.named()),
        )
    });
}

/// A message that is gone and not dead-lettered was finished by someone, who wrote so.
fn end(story: &Story<'_>, reached: Option<RequestState>, findings: &mut Findings) {
    let begun = reached.is_some() || story.caller.is_empty();
    findings
        .require(begun, || ("/caller_journal/records".to_owned(), "caller_journal: no state is on record".to_owned()));
    let must_end = story.evidence.trial.queued && !story.caller.is_empty() && !super::queue::dead_lettered(story);
    findings.require(!must_end || reached == Some(RequestState::Finished), || {
        let what = "caller_journal: the message is gone, but FINISHED is not on record".to_owned();
        ("/caller_journal/records".to_owned(), what)
    });
}
