//! M3: the transactions are the authorised effects: same amounts, currencies and identities, no more and no fewer.

use super::money;
use crate::outcome::Outcome;
use crate::story::{Entry, Story, transaction_pointer};
use evidence::record::Fact;
use evidence::trial::Effect;

type Key<'a> = (&'a str, i64, &'a str);

/// Compares the two multisets, then the transaction ids, then what the provider was asked for.
pub(crate) fn m3(story: &Story<'_>) -> Outcome {
    let mut open: Vec<Key<'_>> = story.evidence.terms.authorised.iter().map(key).collect();
    let mut problems = Vec::new();
    let mut places = Vec::new();
    let mut ids: Vec<&str> = Vec::new();
    for (index, one) in story.successes() {
        let found: Key<'_> = (&one.refund_request_id, one.amount_minor, &one.currency);
        match open.iter().position(|effect| *effect == found) {
            Some(position) => drop(open.swap_remove(position)),
            None => {
                problems.push(format!("transaction {} ({}) is not authorised", one.transaction_id, words(&found)));
                places.push(transaction_pointer(index));
            }
        }
        if ids.contains(&one.transaction_id.as_str()) {
            problems.push(format!("transaction id {} stands twice", one.transaction_id));
            places.push(transaction_pointer(index));
        }
        ids.push(&one.transaction_id);
    }
    open.sort_unstable();
    problems.extend(open.iter().map(|effect| format!("authorised effect ({}) has no transaction", words(effect))));
    conclude(story, &problems, places)
}

fn conclude(story: &Story<'_>, problems: &[String], mut places: Vec<String>) -> Outcome {
    if !problems.is_empty() {
        places.push("/terms/authorised".to_owned());
        return Outcome::fail(problems.join("; "), places);
    }
    if story.evidence.terms.authorised.is_empty() {
        return Outcome::indeterminate(
            "nothing is authorised and nothing was refunded",
            vec!["/terms/authorised".to_owned()],
        );
    }
    if let Some(entry) = asked_otherwise(story) {
        let reason = "the transactions are the authorised effects, but a provider call asked for another".to_owned();
        return Outcome::indeterminate(reason, vec![entry.pointer()]);
    }
    let mut all: Vec<String> = story.successes().map(|(index, _)| transaction_pointer(index)).collect();
    all.push("/terms/authorised".to_owned());
    Outcome::pass("the transactions are exactly the authorised effects", all)
}

/// A call for an amount or currency that nobody authorised contradicts a ledger that shows only authorised effects.
fn asked_otherwise<'a>(story: &Story<'a>) -> Option<Entry<'a>> {
    story.provider.iter().copied().find(|entry| match &entry.record.fact {
        Fact::ProviderCallReceived { amount_minor, currency } => !story
            .evidence
            .terms
            .authorised
            .iter()
            .any(|effect| effect.amount_minor == *amount_minor && effect.currency == *currency),
        _ => false,
    })
}

fn key(effect: &Effect) -> Key<'_> {
    (&effect.refund_request_id, effect.amount_minor, &effect.currency)
}

fn words((refund, amount, currency): &Key<'_>) -> String {
    format!("{refund}, {}", money(i128::from(*amount), currency))
}
