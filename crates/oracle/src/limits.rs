//! How much the oracle reads before it gives up; giving up is `indeterminate` with the cause, never a crash.

use evidence::trial::TrialEvidence;

/// Most records, transactions, events, pages and other items of one trial. A trial has some dozens; rules compare
/// them with each other, and a file stuffed with a million must not keep the oracle busy for ever.
pub(crate) const ITEMS: usize = 10_000;

/// Largest amount with an exact form in canonical JSON, minor units: 2^53 − 1.
const MAX_AMOUNT: u64 = (1 << 53) - 1;

/// Why a trial is more than the oracle judges, if it is.
pub(crate) fn beyond(evidence: &TrialEvidence) -> Option<String> {
    let items = items(evidence);
    if items > ITEMS {
        return Some(format!("over budget: {items} records and other items, {ITEMS} are judged at most"));
    }
    let transactions = evidence.ledger.iter().flat_map(|ledger| &ledger.transactions);
    let large = transactions.filter(|one| one.amount_minor.unsigned_abs() > MAX_AMOUNT).map(|one| &one.transaction_id);
    large.take(1).map(|id| format!("over budget: transaction {id} has an amount beyond ±(2^53 − 1)")).next()
}

fn items(evidence: &TrialEvidence) -> usize {
    let journals = [&evidence.caller_journal, &evidence.provider_journal, &evidence.controller_journal];
    let journals = journals.into_iter().flatten().map(|journal| journal.records.len() + journal.pages.len());
    let ledger = evidence.ledger.iter().map(|ledger| ledger.transactions.len() + ledger.pages.len());
    let executions = evidence.executions.iter().map(|read| {
        let listings = read.listings.iter().map(|listing| listing.arns.len() + listing.pages.len()).sum::<usize>();
        let histories = read.executions.iter().map(|one| one.history.len() + one.pages.len()).sum::<usize>();
        read.versions.len() + read.listings.len() + read.executions.len() + listings + histories
    });
    let queue = evidence.queue.iter().map(|queue| queue.observations.len());
    let own = evidence.terms.authorised.len() + evidence.clock.len() + evidence.gaps.len();
    journals.chain(ledger).chain(executions).chain(queue).sum::<usize>() + own
}

/// Budget of one judgement.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Largest `stage.json`, bytes.
    pub stage_bytes: u64,
    /// Largest `trials/<id>.json`, bytes.
    pub trial_bytes: u64,
    /// Most trials in one package.
    pub trials: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { stage_bytes: 64 << 20, trial_bytes: 16 << 20, trials: 1_000_000 }
    }
}
