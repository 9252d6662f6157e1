//! Times that contradict what caused what: then some clock was off by more than the tolerance.

use super::Objections;
use crate::story::{Call, Entry, Story};

pub(super) fn check(story: &Story<'_>, objections: &mut Objections) {
    for group in story.invocations.iter().flatten() {
        for pair in group.windows(2) {
            follows(story, &pair[0], &pair[1], objections);
        }
    }
    for call in &story.calls {
        across(story, call, objections);
        remembered(story, call, objections);
    }
}

/// An answer from an earlier commit comes after it.
fn remembered(story: &Story<'_>, call: &Call<'_>, objections: &mut Objections) {
    let Some(entry) = call.earlier else { return };
    let commits = story.calls.iter().filter(|other| other.transaction() == call.transaction());
    for commit in commits.filter_map(|other| other.commit) {
        follows(story, &commit, &entry, objections);
    }
}

/// Dispatch before the provider's receipt, the provider's answer before the caller's.
fn across(story: &Story<'_>, call: &Call<'_>, objections: &mut Objections) {
    let attempts = || story.attempts.iter().filter(|attempt| attempt.dispatch.same_attempt(&call.received));
    if let Some(first) = attempts().next() {
        follows(story, &first.dispatch, &call.received, objections);
    }
    let response = attempts().find_map(|attempt| attempt.response);
    if let Some((sent, response)) = call.sent.zip(response).filter(|_| attempts().count() == 1) {
        follows(story, &sent, &response, objections);
    }
}

fn follows(story: &Story<'_>, earlier: &Entry<'_>, later: &Entry<'_>, objections: &mut Objections) {
    let (before, after) = (earlier.record.at_ms, later.record.at_ms);
    if !story.in_order(before, after) {
        let why = format!(
            "{} is {} ms before {}, which it follows; the tolerance is {} ms",
            later.named(),
            before.saturating_sub(after),
            earlier.named(),
            story.evidence.terms.clock_tolerance_ms
        );
        objections.broken(format!("{}/at_ms", later.pointer()), why);
    }
}
