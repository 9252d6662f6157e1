//! M1: exactly one success transaction per authorised refund.

use super::count;
use crate::outcome::Outcome;
use crate::story::{Story, transaction_pointer};

/// Counts the success transactions of each authorised refund.
pub(crate) fn m1(story: &Story<'_>) -> Outcome {
    let authorised = &story.evidence.terms.authorised;
    if authorised.is_empty() {
        return Outcome::indeterminate("no refund is authorised, so there is nothing to count", Vec::new());
    }
    let mut places = Vec::new();
    let mut wrong = Vec::new();
    let mut seen: Vec<&str> = Vec::new();
    for effect in authorised {
        let id = effect.refund_request_id.as_str();
        if seen.contains(&id) {
            continue;
        }
        seen.push(id);
        let expected = authorised.iter().filter(|other| other.refund_request_id == id).count();
        let found: Vec<_> = story.successes().filter(|(_, one)| one.refund_request_id == id).collect();
        if found.len() != expected {
            let ids: Vec<&str> = found.iter().map(|(_, one)| one.transaction_id.as_str()).collect();
            let listed = if ids.is_empty() { String::new() } else { format!(": {}", ids.join(", ")) };
            wrong.push(format!(
                "refund {id} has {}{listed}; authorised: {expected}",
                count(found.len(), "success transaction")
            ));
        }
        places.extend(found.into_iter().map(|(index, _)| transaction_pointer(index)));
    }
    if wrong.is_empty() {
        return Outcome::pass(
            format!("exactly one success transaction for each of {}", count(seen.len(), "authorised refund")),
            places,
        );
    }
    if places.is_empty() {
        places.push("/ledger/transactions".to_owned());
    }
    Outcome::fail(wrong.join("; "), places)
}
