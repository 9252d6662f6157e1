//! One trial's slice of evidence: everything that its verdict rests on, in one file `trials/<id>.json`.

use crate::record::{Promise, Record, Scenario, Transaction};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Schema name of a trial file.
pub const SCHEMA: &str = "assay.trial/1";

/// All that is known of one trial. A section that could not be read is absent and named in `gaps`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrialEvidence {
    /// [`SCHEMA`].
    pub schema: String,
    /// Which trial.
    pub trial: TrialId,
    /// What was authorised and what the judgement needs, from the plan.
    pub terms: Terms,
    /// Planned beside deployed.
    pub configuration: ConfigurationPair,
    /// How the trial was started.
    pub dispatch: Dispatch,
    /// Everything in the caller's journal for this trial.
    pub caller_journal: Option<JournalRead>,
    /// Everything in the provider's journal for this trial.
    pub provider_journal: Option<JournalRead>,
    /// Everything in the controller's journal for this trial.
    pub controller_journal: Option<JournalRead>,
    /// The ledger, read strongly consistent after quiescence.
    pub ledger: Option<LedgerRead>,
    /// Attributes of queue and dead-letter queue over time; absent for a probe (no queue).
    pub queue: Option<QueueRead>,
    /// Durable executions of the trial; absent where the variant has none.
    pub executions: Option<ExecutionsRead>,
    /// Clock offsets measured around the trial.
    pub clock: Vec<ClockSample>,
    /// When the harness first saw the trial at rest (message gone, nothing running), milliseconds.
    pub quiescent_at_ms: Option<i64>,
    /// What could not be read, and why. An empty list claims completeness, which the oracle still checks.
    pub gaps: Vec<Gap>,
}

/// Identity of a trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrialId {
    /// Unique in the run, for example `canonical-3`.
    pub id: String,
    /// Place in its stage's sequence, from 1.
    pub number: u32,
    /// Stage name: `probe`, `validate-<variant>`, `canonical`.
    pub stage: String,
    /// Architecture variant; `probe` for the transport probe.
    pub variant: String,
    /// Treatment.
    pub scenario: Scenario,
    /// Whether the variant runs durable executions, whose absence is then missing proof.
    pub durable: bool,
    /// Whether the trial goes through a queue.
    pub queued: bool,
    /// Identity of the approved refund.
    pub refund_request_id: String,
}

/// What the oracle judges by. Data, so that later studies can authorise something else.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Terms {
    /// The authorised effects: the multiset of refunds that should exist at the end.
    pub authorised: Vec<Effect>,
    /// Captured amount, minor currency units: the ceiling of the sum refunded.
    pub captured_minor: i64,
    /// Currency of the captured amount.
    pub currency: String,
    /// The caller's deadline, milliseconds.
    pub deadline_ms: u32,
    /// Largest clock difference between the parties that still proves an order, milliseconds.
    pub clock_tolerance_ms: u32,
    /// Equal observations in a row that make queue attributes stable.
    pub stable_observations: u32,
}

/// One authorised monetary effect.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Effect {
    /// Identity of the refund.
    pub refund_request_id: String,
    /// Minor currency units.
    pub amount_minor: i64,
    /// ISO 4217 code.
    pub currency: String,
}

/// Planned configuration beside the one read back from the cloud.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfigurationPair {
    /// From the plan.
    pub planned: Configuration,
    /// Read back natively; absent when it could not be read.
    pub deployed: Option<Configuration>,
}

/// The settings of a variant that decide who retries what and when. Absent = does not apply to the variant.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Configuration {
    /// SHA-256 of the artifact zip, lower-case hex.
    pub artifact_sha256: String,
    /// Caller's deadline, milliseconds.
    pub deadline_ms: u32,
    /// Caller function's timeout, seconds.
    pub function_timeout_s: u32,
    /// Queue visibility timeout, seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub visibility_timeout_s: Option<u32>,
    /// Deliveries before the dead-letter queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_receive_count: Option<u32>,
    /// Event source mapping batch size.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub batch_size: Option<u32>,
    /// Attempts of the durable step.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_attempts: Option<u32>,
    /// Delay between attempts of the durable step, seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_delay_s: Option<u32>,
    /// Durable execution timeout, seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub execution_timeout_s: Option<u32>,
    /// What the provider promises about repeated calls; absent where it promises nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider_promise: Option<Promise>,
}

/// How the trial's request left the harness. An ambiguous send stays `unknown`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Dispatch {
    /// `queue` (SendMessage) or `invoke` (the probe).
    pub how: String,
    /// `done`, `refused` or `unknown`.
    pub outcome: String,
    /// SQS message id or Lambda request id.
    pub id: Option<String>,
    /// FIFO message group, unique to the trial.
    pub group: Option<String>,
    /// FIFO deduplication id, unique to run and trial.
    pub deduplication_id: Option<String>,
    /// Harness clock at the send, milliseconds.
    pub at_ms: i64,
    /// Why it is not `done`.
    pub reason: Option<String>,
}

/// A page of a listing. The chain is unbroken when each `token` equals the `next` of the page before,
/// the first `token` and the last `next` are absent, and the numbers count from 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Page {
    /// From 1.
    pub number: u32,
    /// Items on the page.
    pub items: u32,
    /// SHA-256 of the continuation token sent, or absent.
    pub token: Option<String>,
    /// SHA-256 of the continuation token received, or absent.
    pub next: Option<String>,
}

/// A journal table's records of the trial, with the pages they came on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JournalRead {
    /// Read with `ConsistentRead`.
    pub consistent: bool,
    /// Harness clock at the last page, milliseconds.
    pub read_at_ms: i64,
    /// Pages in order.
    pub pages: Vec<Page>,
    /// Sorted by `at_ms`, then `request_id`, then `seq`.
    pub records: Vec<Record>,
}

/// The ledger's transactions of the trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LedgerRead {
    /// Read with `ConsistentRead`.
    pub consistent: bool,
    /// Harness clock at the last page, milliseconds.
    pub read_at_ms: i64,
    /// Pages in order.
    pub pages: Vec<Page>,
    /// Sorted by `at_ms`, then id.
    pub transactions: Vec<Transaction>,
}

/// Queue attributes over time. Messages are never received to look at a queue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueRead {
    /// In order of time.
    pub observations: Vec<QueueObservation>,
}

/// One look at both queues.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueObservation {
    /// Harness clock, milliseconds.
    pub at_ms: i64,
    /// The variant's queue.
    pub queue: QueueCounts,
    /// Its dead-letter queue.
    pub dead_letter: QueueCounts,
}

/// `ApproximateNumberOfMessages` and its two siblings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueCounts {
    /// `ApproximateNumberOfMessages`.
    pub visible: u64,
    /// `ApproximateNumberOfMessagesNotVisible`.
    pub in_flight: u64,
    /// `ApproximateNumberOfMessagesDelayed`.
    pub delayed: u64,
}

/// Durable executions of the variant's function that carry this trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExecutionsRead {
    /// Numeric versions recorded at deploy; each must have been listed.
    pub versions: Vec<String>,
    /// One per version, plus the unqualified list.
    pub listings: Vec<ExecutionListing>,
    /// Those whose input names this trial, oldest first.
    pub executions: Vec<Execution>,
}

/// One walk through `ListDurableExecutionsByFunction`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExecutionListing {
    /// Version asked for; absent for the unqualified list.
    pub qualifier: Option<String>,
    /// Pages in order.
    pub pages: Vec<Page>,
    /// Every execution ARN listed, of any trial.
    pub arns: Vec<String>,
}

/// One durable execution with its whole history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Execution {
    /// Durable execution ARN.
    pub arn: String,
    /// Function version that it is pinned to.
    pub version: String,
    /// `RUNNING`, `SUCCEEDED`, `FAILED`, `TIMED_OUT` or `STOPPED`.
    pub status: String,
    /// Milliseconds since the epoch.
    pub started_at_ms: i64,
    /// Milliseconds since the epoch; absent while running.
    pub ended_at_ms: Option<i64>,
    /// Pages of `GetDurableExecutionHistory` in order.
    pub pages: Vec<Page>,
    /// Every event, by `event_id`.
    pub history: Vec<HistoryEvent>,
}

/// One event of a durable execution's history.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HistoryEvent {
    /// From 1, without gaps.
    pub event_id: i64,
    /// For example `StepFailed`.
    pub event_type: String,
    /// Operation id.
    pub id: Option<String>,
    /// Operation name.
    pub name: Option<String>,
    /// Milliseconds since the epoch.
    pub at_ms: i64,
    /// The event's `…Details`, keys as in the service model, payloads included.
    pub details: Value,
}

/// Offset of a service's clock from the harness's, from an HTTP `Date` header.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClockSample {
    /// Service asked.
    pub service: String,
    /// Harness clock at the middle of the exchange, milliseconds.
    pub at_ms: i64,
    /// Service minus harness, milliseconds; the header's resolution is one second.
    pub offset_ms: i64,
    /// Half of resolution plus half of the round trip, milliseconds.
    pub uncertainty_ms: u32,
}

/// Something that belongs to the evidence and could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gap {
    /// What is missing, for example `executions/history`.
    pub item: String,
    /// Why: denied, throttled, page cap, timeout.
    pub reason: String,
}
