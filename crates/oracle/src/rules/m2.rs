//! M2: the sum refunded is within the amount captured.

use super::money;
use crate::outcome::Outcome;
use crate::story::{Story, transaction_pointer};

/// Adds up the success transactions in the captured currency. `i128` cannot overflow on any number of `i64` that
/// fits into memory.
pub(crate) fn m2(story: &Story<'_>) -> Outcome {
    let terms = &story.evidence.terms;
    let currency = terms.currency.as_str();
    let (own, foreign): (Vec<_>, Vec<_>) = story.successes().partition(|(_, one)| one.currency == currency);
    let sum: i128 = own.iter().map(|(_, one)| i128::from(one.amount_minor)).sum();
    let captured = i128::from(terms.captured_minor);
    let mut places: Vec<String> = own.iter().map(|(index, _)| transaction_pointer(*index)).collect();
    places.push("/terms/captured_minor".to_owned());
    let figures = format!("refunded {}, captured {}", money(sum, currency), money(captured, currency));
    if sum > captured {
        return Outcome::fail(figures, places);
    }
    if let Some((index, one)) = foreign.first() {
        let place = format!("{}/currency", transaction_pointer(*index));
        let reason = format!(
            "transaction {} is in {}, not in {currency}; its sum cannot be compared",
            one.transaction_id, one.currency
        );
        return Outcome::indeterminate(reason, vec![place]);
    }
    Outcome::pass(figures, places)
}
