//! What a run comes to, in one sentence.

use super::table::money;
use crate::judge::Cell;
use std::collections::BTreeMap;

/// The contradiction between what the system says and what the ledger holds, or that there is none.
#[must_use]
pub fn contradiction(cells: &[Cell]) -> String {
    let succeeded = |cell: &&Cell| cell.processing.as_deref() == Some("SUCCEEDED");
    let wrong: Vec<&Cell> = cells.iter().filter(succeeded).filter(|cell| cell.transactions.len() > 1).collect();
    let lost: Vec<&Cell> = cells.iter().filter(succeeded).filter(|cell| is_lost(cell)).collect();
    match (wrong.is_empty(), lost.is_empty()) {
        (false, _) => repeated(&wrong),
        (true, false) => format!("{}: the status says success, the ledger holds no refund at all.", trials(&lost)),
        (true, true) if cells.iter().all(|cell| cell.processing.is_none()) => {
            "No trial was judged: nothing can be said.".to_owned()
        }
        (true, true) => "No trial reports success beside a ledger that says otherwise.".to_owned(),
    }
}

/// A ledger that was read (M1 is decided) and is empty.
fn is_lost(cell: &Cell) -> bool {
    let decided = cell.rules.iter().any(|r| r.rule == "M1" && r.verdict == evidence::verdict::Verdict::Fail);
    decided && cell.transactions.is_empty()
}

fn repeated(wrong: &[&Cell]) -> String {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for cell in wrong {
        let times = match cell.transactions.len() {
            2 => "twice".to_owned(),
            n => format!("{n} times"),
        };
        let each = cell.transactions.first().map(|t| format!(" ({} {} each time)", money(t.amount_minor), t.currency));
        let same = cell.transactions.windows(2).all(|pair| pair[0].amount_minor == pair[1].amount_minor);
        *counts.entry(times + &each.filter(|_| same).unwrap_or_default()).or_default() += 1;
    }
    let what: Vec<_> = counts.into_keys().collect();
    format!("{}: every status says success, the ledger holds the refund {}.", trials(wrong), what.join(" or "))
}

/// `Trial 3`, `Trials 3 and 4`, `12 trials (3, 4, 7, …)`.
fn trials(cells: &[&Cell]) -> String {
    let numbers: Vec<String> = cells.iter().map(|cell| cell.trial.to_string()).collect();
    match numbers.as_slice() {
        [one] => format!("Trial {one}"),
        [head @ .., last] if numbers.len() <= 6 => format!("Trials {} and {last}", head.join(", ")),
        _ => format!("{} trials ({}, …)", numbers.len(), numbers[..3.min(numbers.len())].join(", ")),
    }
}
