//! `stage.json`: what every stage's package says about itself.

use serde::{Deserialize, Serialize};

/// Schema name of a stage file.
pub const SCHEMA: &str = "assay.stage/1";

/// The head of a stage's package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StageRecord {
    /// [`SCHEMA`].
    pub schema: String,
    /// Run id.
    pub run: String,
    /// Study name.
    pub study: String,
    /// Stage name.
    pub stage: String,
    /// What the evidence may claim.
    pub grade: Grade,
    /// SHA-256 of the canonical plan, lower-case hex.
    pub plan_digest: String,
    /// Where the evidence comes from.
    pub origin: Origin,
    /// Harness clock, milliseconds.
    pub started_at_ms: i64,
    /// Harness clock, milliseconds.
    pub ended_at_ms: i64,
    /// How the stage ended, for example `completed` or an error.
    pub outcome: String,
    /// Trials planned for this stage, in order; each has `trials/<id>.json`, or its absence is missing proof.
    pub trials: Vec<String>,
}

/// `canonical` only for evidence from AWS's own endpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// From AWS.
    Canonical,
    /// From anything else, for ever.
    Rehearsal,
}

/// The pinned target of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Origin {
    /// `aws` or `foreign` (any endpoint override).
    pub endpoint_kind: String,
    /// Endpoint override, if any.
    pub endpoint: Option<String>,
    /// Twelve digits.
    pub account: String,
    /// For example `us-east-1`.
    pub region: String,
    /// For example `aws`.
    pub partition: String,
}
