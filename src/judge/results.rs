//! `results.json`: what a run found, every value with the place it was read from.

use super::cells::Cell;
use super::eligibility::Comparison;
use evidence::digest::Digest;
use evidence::stage::Grade;
use evidence::verdict::Cite;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Schema name of a results file.
pub const SCHEMA: &str = "assay.results/1";

/// A run's results.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Results {
    /// [`SCHEMA`].
    pub schema: String,
    /// Run id.
    pub run: String,
    /// Study name.
    pub study: String,
    /// What the evidence may claim.
    pub grade: Grade,
    /// Digest of the plan.
    pub plan_digest: Digest,
    /// One per canonical trial.
    pub cells: Vec<Cell>,
    /// Validations that could not be reproduced, listed all the same.
    pub excluded: Vec<Excluded>,
    /// Whether variants may be compared.
    pub comparison: Comparison,
    /// The teardown's report.
    pub teardown: Value,
    /// The audit's report.
    pub audit: Value,
    /// Where teardown, audit and the reason for stopping were read from.
    #[serde(default)]
    pub cites: Vec<Cite>,
    /// Departures from the registration.
    pub deviations: Vec<String>,
    /// Why the run stopped early, if it did.
    pub stopped: Option<String>,
}

/// A validation trial whose verdict differs from its cell's prediction.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Excluded {
    /// Trial id.
    pub trial: String,
    /// Why.
    pub reason: String,
}
