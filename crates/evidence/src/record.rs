//! What caller, provider and controller write down while a trial runs.

use serde::{Deserialize, Serialize};

/// Who wrote a record. Each source has a journal table of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The system under test: the function that asks for the refund.
    Caller,
    /// The payment provider: the only party that moves money.
    Provider,
    /// The independent controller that opens the barrier.
    Controller,
}

/// One journal record: the common head and the fact it states.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "crate::flat::Flat")]
pub struct Record {
    /// Journal the record stands in.
    pub source: Source,
    /// Sort key in the journal table; unique in the trial and source.
    pub record_id: String,
    /// Trial id, for example `canonical-3`.
    pub trial: String,
    /// Delivery of the message, from 1 (SQS `ApproximateReceiveCount`).
    pub delivery: u32,
    /// Provider call within the delivery, from 1; 0 where no call is meant yet.
    pub attempt: u32,
    /// Identity of the approved refund.
    pub refund_request_id: String,
    /// Lambda request id of the invocation that wrote the record.
    pub request_id: String,
    /// Position among the records of this source and `request_id`, from 1, without gaps.
    pub seq: u32,
    /// Wall clock of the writer, milliseconds since the Unix epoch, UTC.
    pub at_ms: i64,
    /// What is stated.
    #[serde(flatten)]
    pub fact: Fact,
}

/// The statement of a record; `kind` names it in JSON and in the table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Fact {
    /// Caller: the request moved on. `from` is absent for the first state.
    StateChanged {
        /// State left.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<RequestState>,
        /// State entered.
        to: RequestState,
        /// Only with `FINISHED`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reason: Option<FinishReason>,
    },
    /// Caller: what it knows of the monetary effect.
    EffectKnowledge {
        /// `UNKNOWN` from the first timeout on, for ever.
        value: Knowledge,
    },
    /// Caller: the provider call is about to leave.
    DispatchStarted {
        /// Application deadline, milliseconds.
        deadline_ms: u32,
    },
    /// Caller: the provider answered in time.
    ResponseReceived {
        /// Transaction that the provider named.
        transaction_id: String,
        /// Since dispatch, milliseconds.
        elapsed_ms: u32,
    },
    /// Caller: the deadline passed without an answer.
    CallerTimeoutRecorded {
        /// Application deadline, milliseconds.
        deadline_ms: u32,
        /// Since dispatch, milliseconds.
        elapsed_ms: u32,
    },
    /// Caller: the invocation or step fails with this error.
    CallerFailed {
        /// Error as given to the retrying layer.
        error: String,
    },
    /// Provider: a call came in.
    ProviderCallReceived {
        /// Minor currency units asked for.
        amount_minor: i64,
        /// ISO 4217 code.
        currency: String,
    },
    /// Provider: written in the same transaction as the ledger entry.
    ProviderCommitConfirmed {
        /// Ledger transaction.
        transaction_id: String,
        /// Minor currency units refunded.
        amount_minor: i64,
        /// ISO 4217 code.
        currency: String,
    },
    /// Provider: answers a repeated request from the effect of an earlier call; no money moves. Only a provider that
    /// promises idempotency may state this ([`Promise::Idempotent`]).
    AnsweredFromCommit {
        /// Transaction that the earlier call committed.
        transaction_id: String,
        /// The earlier commit.
        commit: CommitSeen,
    },
    /// Provider: committed, and now holding the answer back; its time bounds the commit from above.
    BarrierEntered {
        /// Transaction whose answer is held.
        transaction_id: String,
    },
    /// Provider: saw the release and lets the answer go.
    BarrierReleased {
        /// `record_id` of the controller's `release_signalled`.
        release: String,
    },
    /// Provider: gave up waiting; the treatment did not hold.
    BarrierExpired {
        /// Waited, milliseconds.
        waited_ms: u32,
    },
    /// Provider: the answer leaves.
    ResponseSent {
        /// Transaction named in the answer.
        transaction_id: String,
    },
    /// Controller: the release was written because of this recorded timeout.
    ReleaseSignalled {
        /// The record that the release depends on.
        timeout: TimeoutSeen,
    },
    /// Controller: a timeout record that must not open the barrier.
    ReleaseRefused {
        /// Why.
        reason: String,
    },
}

/// The caller's timeout record as the controller saw it in the stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TimeoutSeen {
    /// `record_id` in the caller journal.
    pub record_id: String,
    /// Lambda request id of the caller's invocation.
    pub request_id: String,
    /// Delivery of the caller's record.
    pub delivery: u32,
    /// Attempt of the caller's record.
    pub attempt: u32,
    /// The caller's wall clock, milliseconds since the epoch.
    pub at_ms: i64,
}

/// The earlier commit as the provider found it in the ledger, in the same atomic write that refused a second one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommitSeen {
    /// Lambda request id of the invocation that committed.
    pub request_id: String,
    /// Delivery of the call that committed.
    pub delivery: u32,
    /// Attempt of the call that committed.
    pub attempt: u32,
    /// The provider's wall clock at the commit, milliseconds since the epoch.
    pub at_ms: i64,
}

/// What the provider promises about repeated calls for one refund.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Promise {
    /// Nothing: every call that arrives moves money.
    #[default]
    Nothing,
    /// The first call moves the money; a repeated one is answered with the transaction that is there.
    Idempotent,
}

/// State of the refund request, as the system under test reports it. Telemetry, never an oracle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum RequestState {
    /// Taken from the queue.
    Received,
    /// Being worked on.
    Processing,
    /// Ended, with a reason.
    Finished,
}

/// How processing ended, as the system under test reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum FinishReason {
    /// The caller saw a success.
    Succeeded,
    /// The caller gave up.
    Failed,
}

/// What the caller knows of the monetary effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Knowledge {
    /// No timeout so far.
    Known,
    /// A call timed out after dispatch.
    Unknown,
}

/// A ledger transaction. Money is integer minor units with a currency, never a float.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Transaction {
    /// Trial id (partition key of the ledger).
    pub trial: String,
    /// Unique id made by the provider for each call.
    pub transaction_id: String,
    /// Refund that it executes.
    pub refund_request_id: String,
    /// Minor currency units refunded.
    pub amount_minor: i64,
    /// ISO 4217 code.
    pub currency: String,
    /// `SUCCESS` for money moved.
    pub status: String,
    /// Lambda request id of the provider's invocation.
    pub request_id: String,
    /// Delivery that the caller named.
    pub delivery: u32,
    /// Attempt that the caller named.
    pub attempt: u32,
    /// The provider's wall clock when it wrote, milliseconds since the epoch.
    pub at_ms: i64,
}

/// Which treatment a trial gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Scenario {
    /// The provider commits and answers at once.
    Control,
    /// The provider commits, then holds the first answer until the caller's timeout is on record.
    CommitThenTimeout,
}

/// The message on a variant's queue, and what the caller hands to the provider.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RefundRequest {
    /// Run id.
    pub run: String,
    /// Trial id.
    pub trial: String,
    /// Treatment of the trial.
    pub scenario: Scenario,
    /// Identity of the approved refund.
    pub refund_request_id: String,
    /// Approved amount, minor currency units.
    pub amount_minor: i64,
    /// ISO 4217 code.
    pub currency: String,
}

/// Table items of the journals use `trial` as partition key and `record_id` as sort key; this one opens the barrier.
pub const RELEASE_RECORD_ID: &str = "release";
