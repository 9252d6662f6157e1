//! The protocol as an experimenter writes it: one YAML file per study.

use evidence::record::{FinishReason, Promise, Scenario};
use evidence::verdict::Verdict;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Schema name of a protocol file.
pub const SCHEMA: &str = "assay.protocol/1";

/// A study: its question, its architecture variants, its trials and what is predicted of them.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Protocol {
    /// `assay.protocol/1`.
    pub schema: String,
    /// Short name: lower-case letters, digits and `-`.
    pub study: String,
    /// Title for reports.
    pub title: String,
    /// The question that the study asks.
    pub question: String,
    /// What is expected, written before the run.
    pub hypothesis: String,
    /// When a validation is left out of the conclusions; it is listed all the same.
    pub exclusion_criteria: Vec<String>,
    /// When the run stops.
    pub stop_rule: String,
    /// The business case.
    pub business: Business,
    /// What the payment provider is; left out, it promises nothing.
    #[serde(default)]
    pub provider: ProviderRules,
    /// Where the study may run.
    #[serde(default)]
    pub target: TargetRules,
    /// Tags of every stack, besides those that assay sets.
    pub tags: Tags,
    /// Templates that all variants share.
    pub templates: SharedTemplates,
    /// Architecture variants, deployed in this order.
    pub variants: Vec<Variant>,
    /// Timing profiles by name; `canonical` is the study, `rehearsal` has the same shape in less time.
    pub timing: BTreeMap<String, Timing>,
    /// Which trials run, stage by stage.
    pub stages: Stages,
    /// One prediction for each cell (variant × scenario) of the canonical run.
    pub predictions: Vec<Prediction>,
    /// Bounds of everything that waits or lists.
    pub limits: Limits,
}

/// What was captured and what may be refunded. Money is integer minor units.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Business {
    /// ISO 4217 code.
    pub currency: String,
    /// Captured amount, minor units.
    pub captured_minor: i64,
    /// Approved refund, minor units.
    pub refund_minor: i64,
    /// Refund identities are this and the trial's id.
    pub refund_request_prefix: String,
}

/// The payment provider.
#[derive(Clone, Copy, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProviderRules {
    /// What it promises about repeated calls for one refund.
    #[serde(default)]
    pub promise: Promise,
}

/// Restrictions on account and region.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TargetRules {
    /// The only accounts that the study may touch on AWS: quoted strings of 12 digits. Empty allows any.
    #[serde(default)]
    pub allowed_accounts: Vec<String>,
    /// Region, when neither command line nor AWS configuration names one.
    #[serde(default)]
    pub region: Option<String>,
}

/// Who answers for the resources and who pays.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Tags {
    /// Tag `assay:owner`.
    pub owner: String,
    /// Tag `assay:cost-center`.
    pub cost_center: String,
    /// Hours after which left-over resources count as expired (tag `assay:expires`).
    pub expires_after_h: u32,
    /// Further tags, key to value.
    #[serde(default)]
    pub extra: BTreeMap<String, String>,
}

/// Templates outside the variants; paths are relative to the protocol file.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SharedTemplates {
    /// Artifact bucket.
    pub artifacts: String,
    /// Provider, ledger, journals, controller and probe.
    pub provider: String,
}

/// One architecture variant: who owns the retry.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Variant {
    /// Unique name; becomes part of stack names (`_` turns into `-`).
    pub name: String,
    /// Template, relative to the protocol file.
    pub template: String,
    /// The caller's strategy.
    pub strategy: Strategy,
    /// Deliveries of a message before it goes to the dead-letter queue.
    pub max_receive_count: u32,
    /// Attempts of the AWS SDK on a provider call; 1 switches its retries off.
    pub sdk_attempts: u32,
    /// Attempts of the durable step; required by, and only for, `durable-step`.
    #[serde(default)]
    pub step_attempts: Option<u32>,
}

/// Which layer repeats the call after a timeout.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// The function fails and SQS delivers the message again.
    QueueRedelivery,
    /// A step of a durable execution is tried again inside the same execution.
    DurableStep,
}

/// Durations of one profile.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Timing {
    /// The caller's deadline for a provider call, milliseconds.
    pub deadline_ms: u32,
    /// Provider function timeout, seconds.
    pub provider_timeout_s: u32,
    /// Longest time that the provider holds an answer, milliseconds.
    pub hold_limit_ms: u32,
    /// How often the provider looks for the release, milliseconds.
    pub hold_poll_ms: u32,
    /// Durations per variant.
    pub variants: BTreeMap<String, VariantTiming>,
    /// Observations of the queue attributes after a trial came to rest.
    pub observations: Observations,
    /// Longest time for a trial to come to rest, seconds.
    pub trial_timeout_s: u32,
    /// Pause before the audit's second pass, milliseconds.
    pub audit_settle_ms: u32,
    /// Pause between two looks at something that is going on, milliseconds.
    pub poll_interval_ms: u32,
}

/// Durations of one variant, whole seconds because AWS takes no less.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VariantTiming {
    /// Caller function timeout, seconds.
    pub function_timeout_s: u32,
    /// Queue visibility timeout, seconds.
    pub visibility_timeout_s: u32,
    /// Delay before the durable step is tried again, seconds.
    #[serde(default)]
    pub step_delay_s: Option<u32>,
    /// Durable execution timeout, seconds.
    #[serde(default)]
    pub execution_timeout_s: Option<u32>,
    /// Days that durable executions are kept after they end.
    #[serde(default)]
    pub retention_days: Option<u32>,
}

/// How often queue attributes must read the same to count as stable.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Observations {
    /// Equal observations in a row.
    pub count: u32,
    /// Pause between them, milliseconds.
    pub interval_ms: u32,
}

/// Trials per stage.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Stages {
    /// The transport probe's scenario.
    pub probe: Scenario,
    /// Scenarios of each variant's validation, in order.
    pub validate: Vec<Scenario>,
    /// The canonical trials in their fixed sequence.
    pub canonical: Vec<TrialSpec>,
}

/// One canonical trial.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TrialSpec {
    /// Variant name.
    pub variant: String,
    /// Treatment.
    pub scenario: Scenario,
}

/// What is expected of one cell, written before the run.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Prediction {
    /// Variant name.
    pub variant: String,
    /// Treatment.
    pub scenario: Scenario,
    /// Verdict on the invariant.
    pub verdict: Verdict,
    /// Rules predicted to fail.
    #[serde(default)]
    pub fails: Vec<String>,
    /// Success transactions in the ledger.
    pub transactions: u32,
    /// What the system reports of itself.
    pub processing: FinishReason,
    /// Pass *and* processing succeeded.
    pub correct_completion: bool,
}

/// Bounds. Every poll and every listing ends.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Largest clock difference that still proves an order, milliseconds.
    pub clock_tolerance_ms: u32,
    /// Longest time for a stack to be created, seconds.
    pub stack_create_s: u32,
    /// Longest time for a stack to be deleted, seconds (45 minutes are normal with VPC functions).
    pub stack_delete_s: u32,
    /// Pages of one listing; when hit, the listing counts as unread.
    pub page_cap: u32,
    /// Highest cost of a run, US dollars as a quoted decimal.
    pub cost_ceiling_usd: String,
}
