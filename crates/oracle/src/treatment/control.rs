//! CONTROL: the provider answered at once; no timeout, no barrier, no release.

use super::Objections;
use crate::story::{Entry, Story, kind};
use evidence::record::Fact;

/// Returns what held, and where that is seen.
pub(super) fn check(story: &Story<'_>, objections: &mut Objections) -> (String, Vec<String>) {
    for entry in story.entries() {
        if let Some(why) = treated(&entry.record.fact) {
            objections.broken(entry.pointer(), format!("{why} in CONTROL: {}", kind(&entry.record.fact)));
        }
    }
    if story.attempts.is_empty() {
        objections.absent("/caller_journal/records", "no provider call was dispatched: nothing was tried");
    }
    let places =
        story.attempts.iter().filter_map(|attempt| attempt.response).map(|entry| Entry::pointer(&entry)).collect();
    ("no timeout occurred and no answer was withheld".to_owned(), places)
}

fn treated(fact: &Fact) -> Option<&'static str> {
    match fact {
        Fact::CallerTimeoutRecorded { .. } => Some("a timeout occurred"),
        Fact::BarrierEntered { .. } | Fact::BarrierReleased { .. } | Fact::BarrierExpired { .. } => {
            Some("an answer was withheld")
        }
        Fact::ReleaseSignalled { .. } | Fact::ReleaseRefused { .. } => Some("the controller acted"),
        _ => None,
    }
}
