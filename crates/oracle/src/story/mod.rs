//! A trial's records folded into what happened: provider calls, caller attempts, controller releases.
//!
//! Folding never concludes anything; it refuses what cannot have happened in that order, and completeness reports it.

mod attempt;
mod call;
mod entry;

pub(crate) use attempt::Attempt;
pub(crate) use call::Call;
pub(crate) use entry::{Entry, author, journal_name, kind};

use evidence::record::{Fact, FinishReason, RequestState, Source, Transaction};
use evidence::trial::{JournalRead, TrialEvidence};

/// A record that does not fit after those before it.
pub(crate) struct Refused<'a> {
    pub(crate) entry: Entry<'a>,
    pub(crate) why: &'static str,
}

/// All records of a trial in the shape that the rules ask for.
pub(crate) struct Story<'a> {
    pub(crate) evidence: &'a TrialEvidence,
    pub(crate) caller: Vec<Entry<'a>>,
    pub(crate) provider: Vec<Entry<'a>>,
    pub(crate) controller: Vec<Entry<'a>>,
    /// The records of each invocation by `seq`: caller's, provider's, controller's.
    pub(crate) invocations: [Vec<Vec<Entry<'a>>>; 3],
    /// By the time at which the provider took them.
    pub(crate) calls: Vec<Call<'a>>,
    /// By the time of dispatch.
    pub(crate) attempts: Vec<Attempt<'a>>,
    pub(crate) refused: Vec<Refused<'a>>,
}

impl<'a> Story<'a> {
    /// Folds what there is; absent sections are empty here, and missing in completeness.
    pub(crate) fn of(evidence: &'a TrialEvidence) -> Self {
        let caller = entries(Source::Caller, evidence.caller_journal.as_ref());
        let provider = entries(Source::Provider, evidence.provider_journal.as_ref());
        let controller = entries(Source::Controller, evidence.controller_journal.as_ref());
        let invocations = [by_request(&caller), by_request(&provider), by_request(&controller)];
        let [of_caller, of_provider, _] = &invocations;
        let mut refused = Vec::new();
        let mut calls: Vec<Call<'a>> = of_provider.iter().filter_map(|group| call::fold(group, &mut refused)).collect();
        calls.sort_by_key(|call| (call.received.record.at_ms, call.received.index));
        let mut attempts: Vec<Attempt<'a>> =
            of_caller.iter().flat_map(|group| attempt::fold(group, &mut refused)).collect();
        attempts.sort_by_key(|attempt| (attempt.dispatch.record.at_ms, attempt.dispatch.index));
        Self { evidence, caller, provider, controller, invocations, calls, attempts, refused }
    }

    /// Every record of the three journals.
    pub(crate) fn entries(&self) -> impl Iterator<Item = Entry<'a>> + '_ {
        self.caller.iter().chain(&self.provider).chain(&self.controller).copied()
    }

    /// Success transactions of the ledger with their index there.
    pub(crate) fn successes(&self) -> impl Iterator<Item = (usize, &'a Transaction)> + '_ {
        self.transactions().enumerate().filter(|(_, transaction)| transaction.status == SUCCESS)
    }

    /// All transactions of the ledger.
    pub(crate) fn transactions(&self) -> impl Iterator<Item = &'a Transaction> + '_ {
        self.evidence.ledger.iter().flat_map(|ledger| &ledger.transactions)
    }

    /// The last reason with which the system under test finished the request.
    pub(crate) fn processing(&self) -> Option<FinishReason> {
        self.caller.iter().rev().find_map(|entry| match entry.record.fact {
            Fact::StateChanged { to: RequestState::Finished, reason, .. } => reason,
            _ => None,
        })
    }

    /// Caller timeouts on record.
    pub(crate) fn timeouts(&self) -> impl Iterator<Item = Entry<'a>> + '_ {
        self.caller.iter().copied().filter(|entry| matches!(entry.record.fact, Fact::CallerTimeoutRecorded { .. }))
    }

    /// Whether `later` is not before `earlier` by more than the clocks of two parties may differ.
    pub(crate) fn in_order(&self, earlier_ms: i64, later_ms: i64) -> bool {
        i128::from(later_ms) + i128::from(self.evidence.terms.clock_tolerance_ms) >= i128::from(earlier_ms)
    }
}

/// Status of a ledger transaction that moved money.
pub(crate) const SUCCESS: &str = "SUCCESS";

/// Pointer of a ledger transaction.
pub(crate) fn transaction_pointer(index: usize) -> String {
    format!("/ledger/transactions/{index}")
}

fn entries(source: Source, journal: Option<&JournalRead>) -> Vec<Entry<'_>> {
    let records = journal.map_or(&[][..], |journal| journal.records.as_slice());
    records.iter().enumerate().map(|(index, record)| Entry { record, source, index }).collect()
}

/// Entries of each request id, by `seq`.
fn by_request<'a>(entries: &[Entry<'a>]) -> Vec<Vec<Entry<'a>>> {
    let mut sorted = entries.to_vec();
    sorted.sort_by(|one, other| {
        let key = |entry: &Entry<'a>| (entry.record.request_id.as_str(), entry.record.seq, entry.index);
        key(one).cmp(&key(other))
    });
    sorted.chunk_by(|one, other| one.record.request_id == other.record.request_id).map(<[_]>::to_vec).collect()
}
