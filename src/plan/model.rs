//! The plan: nothing left to decide. Everything later takes `&Plan`.

use evidence::digest::Digest;
use evidence::record::{FinishReason, Scenario};
use evidence::trial::{Configuration, Terms};
use evidence::verdict::Verdict;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Schema name of a plan.
pub const SCHEMA: &str = "assay.plan/1";

/// A resolved protocol. Texts may hold `{run}`, `{account}` and `{expires}`, which each run fills in, so that a
/// plan and its digest stay the same between preregistration and run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    /// [`SCHEMA`].
    pub schema: String,
    /// Version of assay that resolved it.
    pub tool: String,
    /// Study name.
    pub study: String,
    /// Study title.
    pub title: String,
    /// The question.
    pub question: String,
    /// The hypothesis.
    pub hypothesis: String,
    /// When a validation is excluded.
    pub exclusion_criteria: Vec<String>,
    /// When the run stops.
    pub stop_rule: String,
    /// SHA-256 of the protocol file.
    pub protocol_sha256: Digest,
    /// Timing profile.
    pub profile: String,
    /// Function artifact; absent if none is built yet.
    pub artifact: Option<ArtifactPlan>,
    /// Region from the protocol.
    pub region: Option<String>,
    /// Allowed accounts; empty allows any.
    pub allowed_accounts: Vec<String>,
    /// Bucket for the artifact.
    pub bucket: String,
    /// Stacks in the order of deployment.
    pub stacks: Vec<StackPlan>,
    /// Variants in order.
    pub variants: Vec<VariantPlan>,
    /// Trials in order of their stages.
    pub trials: Vec<TrialPlan>,
    /// Predictions for the canonical trials.
    pub predictions: Vec<PredictionPlan>,
    /// Bounds and intervals.
    pub limits: LimitPlan,
    /// Highest cost, US dollars.
    pub cost_ceiling_usd: String,
    /// Waits that the study itself demands.
    pub waits: Vec<Wait>,
    /// Their sum, milliseconds: no run of this plan can be shorter.
    pub floor_ms: u64,
}

/// The function artifact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArtifactPlan {
    /// SHA-256 of the zip.
    pub sha256: Digest,
    /// The same as base64, as Lambda's `CodeSha256`.
    pub sha256_base64: String,
    /// Size of the zip, bytes.
    pub size: u64,
    /// S3 key; holds the digest, because CloudFormation sees a changed key, not changed bytes.
    pub key: String,
}

/// One stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StackPlan {
    /// `artifacts`, `provider` or a variant's slug.
    pub component: String,
    /// Stack name.
    pub name: String,
    /// Template as named in the protocol.
    pub template: String,
    /// SHA-256 of the template bytes sent.
    pub template_sha256: Digest,
    /// Size of the template, bytes.
    pub template_bytes: u64,
    /// Capabilities acknowledged.
    pub capabilities: Vec<String>,
    /// Components that must exist first.
    pub after: Vec<String>,
    /// Template parameters.
    pub parameters: BTreeMap<String, Value>,
    /// Stack tags.
    pub tags: BTreeMap<String, String>,
}

impl StackPlan {
    /// Parameters whose values are known now, as planned: with what a run fills in still to be filled in.
    pub fn literals(&self) -> impl Iterator<Item = (&str, &str)> {
        self.parameters.iter().filter_map(|(key, value)| match value {
            Value::Literal(text) => Some((key.as_str(), text.as_str())),
            Value::Output { .. } => None,
        })
    }
}

/// Where a parameter's value comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Value {
    /// Known now.
    Literal(String),
    /// Output of another stack.
    Output {
        /// Stack's component.
        component: String,
        /// Output key.
        output: String,
    },
}

/// A variant and the layers that may repeat its provider call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VariantPlan {
    /// As in the protocol.
    pub name: String,
    /// As in names.
    pub slug: String,
    /// Whether it runs durable executions.
    pub durable: bool,
    /// Retry layers, outermost first.
    pub retry_layers: Vec<RetryLayer>,
    /// Most provider calls for one message: the product of the layers.
    pub most_calls: u64,
}

/// One layer that may repeat the call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RetryLayer {
    /// Which layer.
    pub layer: String,
    /// How often it tries at most.
    pub attempts: u32,
    /// Where the number is set.
    pub set_by: String,
}

/// One trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrialPlan {
    /// Unique in the run.
    pub id: String,
    /// In its stage, from 1.
    pub number: u32,
    /// Stage.
    pub stage: String,
    /// Variant's slug, or `probe`.
    pub variant: String,
    /// Treatment.
    pub scenario: Scenario,
    /// Whether durable executions are expected.
    pub durable: bool,
    /// Whether it goes through a queue.
    pub queued: bool,
    /// Identity of the refund.
    pub refund_request_id: String,
    /// What the oracle judges by.
    pub terms: Terms,
    /// Settings that must be found deployed. `artifact_sha256` is empty until an artifact is built.
    pub configuration: Configuration,
}

/// The prediction for one canonical trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PredictionPlan {
    /// Variant's slug.
    pub variant: String,
    /// Treatment.
    pub scenario: Scenario,
    /// Verdict.
    pub verdict: Verdict,
    /// Rules that fail.
    pub fails: Vec<String>,
    /// Success transactions.
    pub transactions: u32,
    /// Self-report.
    pub processing: FinishReason,
    /// Pass and succeeded.
    pub correct_completion: bool,
}

/// Bounds, all in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitPlan {
    /// Pause between two looks.
    pub poll_interval_ms: u32,
    /// For a stack's creation.
    pub stack_create_ms: u64,
    /// For a stack's deletion.
    pub stack_delete_ms: u64,
    /// For a trial to come to rest.
    pub trial_ms: u64,
    /// Equal queue observations in a row.
    pub observations: u32,
    /// Between them.
    pub observation_interval_ms: u32,
    /// Before the audit's second pass.
    pub audit_settle_ms: u32,
    /// Pages per listing.
    pub page_cap: u32,
    /// Clock difference that still proves an order.
    pub clock_tolerance_ms: u32,
}

/// One wait that no implementation can shorten.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wait {
    /// Trial id, or `audit`.
    pub of: String,
    /// What is waited for.
    pub what: String,
    /// Milliseconds.
    pub ms: u64,
}

impl Plan {
    /// SHA-256 of the plan as canonical JSON (RFC 8785).
    ///
    /// # Errors
    /// If the plan cannot be serialised, which its types exclude.
    pub fn digest(&self) -> Result<Digest, evidence::canonical::CanonicalError> {
        Ok(Digest::of(&evidence::canonical::to_vec(self)?))
    }

    /// The trials of one stage, in order.
    pub fn trials_of<'a>(&'a self, stage: &'a str) -> impl Iterator<Item = &'a TrialPlan> {
        self.trials.iter().filter(move |t| t.stage == stage)
    }

    /// The prediction for a trial's cell.
    #[must_use]
    pub fn prediction_for(&self, variant: &str, scenario: Scenario) -> Option<&PredictionPlan> {
        self.predictions.iter().find(|p| p.variant == variant && p.scenario == scenario)
    }

    /// A stack by component.
    #[must_use]
    pub fn stack(&self, component: &str) -> Option<&StackPlan> {
        self.stacks.iter().find(|s| s.component == component)
    }
}
