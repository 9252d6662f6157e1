//! N1: every attempt carries the same `refund_request_id`. Not monetary.

use super::count;
use crate::outcome::Outcome;
use crate::story::{Entry, Story};
use evidence::record::Fact;

/// Looks at every dispatch of the caller and every call that the provider took.
pub(crate) fn n1(story: &Story<'_>) -> Outcome {
    let expected = story.evidence.trial.refund_request_id.as_str();
    let attempts: Vec<Entry<'_>> = story.entries().filter(is_attempt).collect();
    if attempts.is_empty() {
        return Outcome::indeterminate("no attempt is on record", vec!["/caller_journal/records".to_owned()]);
    }
    let others: Vec<_> = attempts.iter().filter(|entry| entry.record.refund_request_id != expected).collect();
    if others.is_empty() {
        let places = attempts.iter().map(Entry::pointer).collect();
        let seen = count(attempts.len(), "record");
        return Outcome::pass(format!("{seen} of dispatches and calls carry {expected}"), places);
    }
    let mut ids: Vec<&str> = others.iter().map(|entry| entry.record.refund_request_id.as_str()).collect();
    ids.sort_unstable();
    ids.dedup();
    let places = others.iter().map(|entry| format!("{}/refund_request_id", entry.pointer())).collect();
    Outcome::fail(format!("the refund is {expected}, but attempts carry {}", ids.join(", ")), places)
}

fn is_attempt(entry: &Entry<'_>) -> bool {
    matches!(entry.record.fact, Fact::DispatchStarted { .. } | Fact::ProviderCallReceived { .. })
}
