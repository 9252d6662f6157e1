//! A record with its place in the trial's file.

use evidence::record::{Fact, Record, Source};

/// One journal record where it stands.
#[derive(Clone, Copy)]
pub(crate) struct Entry<'a> {
    pub(crate) record: &'a Record,
    /// Journal that it was read from, whatever the record itself claims.
    pub(crate) source: Source,
    /// Position in that journal's `records`.
    pub(crate) index: usize,
}

impl Entry<'_> {
    /// RFC 6901 pointer of the record.
    pub(crate) fn pointer(&self) -> String {
        format!("/{}/records/{}", journal_name(self.source), self.index)
    }

    /// Journal, kind and place in words, for a defect's name.
    pub(crate) fn named(&self) -> String {
        format!("{}: {} ({})", journal_name(self.source), kind(&self.record.fact), self.record.record_id)
    }

    /// Whether both speak of the same provider call of the same delivery.
    pub(crate) fn same_attempt(&self, other: &Self) -> bool {
        (self.record.delivery, self.record.attempt) == (other.record.delivery, other.record.attempt)
    }
}

/// Member of the trial's file that holds this source's journal.
pub(crate) fn journal_name(source: Source) -> &'static str {
    match source {
        Source::Caller => "caller_journal",
        Source::Provider => "provider_journal",
        Source::Controller => "controller_journal",
    }
}

/// `kind` of a fact as it stands in JSON.
pub(crate) fn kind(fact: &Fact) -> &'static str {
    match fact {
        Fact::StateChanged { .. } => "state_changed",
        Fact::EffectKnowledge { .. } => "effect_knowledge",
        Fact::DispatchStarted { .. } => "dispatch_started",
        Fact::ResponseReceived { .. } => "response_received",
        Fact::CallerTimeoutRecorded { .. } => "caller_timeout_recorded",
        Fact::CallerFailed { .. } => "caller_failed",
        Fact::ProviderCallReceived { .. } => "provider_call_received",
        Fact::ProviderCommitConfirmed { .. } => "provider_commit_confirmed",
        Fact::AnsweredFromCommit { .. } => "answered_from_commit",
        Fact::BarrierEntered { .. } => "barrier_entered",
        Fact::BarrierReleased { .. } => "barrier_released",
        Fact::BarrierExpired { .. } => "barrier_expired",
        Fact::ResponseSent { .. } => "response_sent",
        Fact::ReleaseSignalled { .. } => "release_signalled",
        Fact::ReleaseRefused { .. } => "release_refused",
    }
}

/// Who may state a fact.
pub(crate) fn author(fact: &Fact) -> Source {
    match fact {
        Fact::StateChanged { .. }
        | Fact::EffectKnowledge { .. }
        | Fact::DispatchStarted { .. }
        | Fact::ResponseReceived { .. }
        | Fact::CallerTimeoutRecorded { .. }
        | Fact::CallerFailed { .. } => Source::Caller,
        Fact::ProviderCallReceived { .. }
        | Fact::ProviderCommitConfirmed { .. }
        | Fact::AnsweredFromCommit { .. }
        | Fact::BarrierEntered { .. }
        | Fact::BarrierReleased { .. }
        | Fact::BarrierExpired { .. }
        | Fact::ResponseSent { .. } => Source::Provider,
        Fact::ReleaseSignalled { .. } | Fact::ReleaseRefused { .. } => Source::Controller,
    }
}
