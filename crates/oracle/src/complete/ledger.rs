//! The ledger as a read, its rows by themselves, and one row for each confirmed commit and the reverse.

use super::{journals, pages, terms};
use crate::findings::Findings;
use crate::story::{SUCCESS, Story, transaction_pointer};
use evidence::record::{Fact, Record, Transaction};

/// Statuses that a transaction can have; only the first moves money.
const STATUSES: [&str; 3] = [SUCCESS, "FAILED", "REFUSED"];

pub(super) fn check(story: &Story<'_>, findings: &mut Findings) {
    let Some(ledger) = &story.evidence.ledger else {
        findings.add("/ledger", "ledger: it was not read");
        return;
    };
    findings.require(ledger.consistent, || {
        ("/ledger/consistent".to_owned(), "ledger: the read was not consistent".to_owned())
    });
    journals::after_quiescence(story, ledger.read_at_ms, "/ledger", "ledger", findings);
    pages::check(&ledger.pages, ledger.transactions.len(), "/ledger", "ledger", findings);
    let sorted = ledger
        .transactions
        .is_sorted_by(|one, other| (one.at_ms, &one.transaction_id) <= (other.at_ms, &other.transaction_id));
    findings.require(sorted, || {
        ("/ledger/transactions".to_owned(), "ledger: the transactions are out of order".to_owned())
    });
    for (index, transaction) in ledger.transactions.iter().enumerate() {
        row(story, index, transaction, findings);
    }
    commits(story, findings);
}

fn row(story: &Story<'_>, index: usize, one: &Transaction, findings: &mut Findings) {
    let mut require = |holds: bool, field: &str, what: &str| {
        if !holds {
            let pointer = format!("{}/{field}", transaction_pointer(index));
            findings.add(pointer, format!("ledger: transaction {} {what}", one.transaction_id));
        }
    };
    require(one.trial == story.evidence.trial.id, "trial", "belongs to another trial");
    require(!one.transaction_id.is_empty(), "transaction_id", "has no id");
    require(STATUSES.contains(&one.status.as_str()), "status", "has a status that is not known");
    require(one.amount_minor > 0, "amount_minor", "has no positive amount");
    require(terms::is_currency(&one.currency), "currency", "has no currency code");
}

/// Ledger row and confirmation are one atomic write, so each proves the other; a lonely one is missing proof.
fn commits(story: &Story<'_>, findings: &mut Findings) {
    let mut rows: Vec<(usize, &Transaction)> = story.successes().collect();
    let confirmed =
        story.provider.iter().filter(|entry| matches!(entry.record.fact, Fact::ProviderCommitConfirmed { .. }));
    for entry in confirmed {
        match rows.iter().position(|(_, row)| same(story, entry.record, row)) {
            Some(position) => drop(rows.swap_remove(position)),
            None => findings.add(entry.pointer(), format!("ledger: no transaction matches {}", entry.named())),
        }
    }
    rows.sort_unstable_by_key(|(index, _)| *index);
    for (index, row) in rows {
        let what = format!("provider_journal: no commit matches ledger transaction {}", row.transaction_id);
        findings.add(transaction_pointer(index), what);
    }
}

fn same(story: &Story<'_>, record: &Record, row: &Transaction) -> bool {
    let Fact::ProviderCommitConfirmed { transaction_id, amount_minor, currency } = &record.fact else { return false };
    transaction_id == &row.transaction_id
        && *amount_minor == row.amount_minor
        && currency == &row.currency
        && record.refund_request_id == row.refund_request_id
        && record.request_id == row.request_id
        && (record.delivery, record.attempt) == (row.delivery, row.attempt)
        && story.in_order(record.at_ms, row.at_ms)
        && story.in_order(row.at_ms, record.at_ms)
}
