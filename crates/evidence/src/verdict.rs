//! The one verdict lattice, and the shape of verdict files.
//!
//! Members stand in the order of canonical JSON (RFC 8785), so that a verdict file on thousands of trials is canonical
//! as it is written, without being sorted.

use crate::record::Scenario;
use crate::version::Readable;
use serde::{Deserialize, Serialize};

/// Schema name of a verdict file.
pub const SCHEMA: &str = "assay.verdict/1";
/// Versions of the verdict file this code reads.
pub const READABLE: Readable = Readable { family: "assay.verdict", oldest: 1, newest: 1 };

/// fail > indeterminate > pass; nothing checked is indeterminate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Proven to hold.
    Pass,
    /// Not proven either way.
    Indeterminate,
    /// Proven not to hold.
    Fail,
}

impl Verdict {
    /// The stronger of two: the lattice's join.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        self.max(other)
    }

    /// Join over many; nothing checked is indeterminate, never pass.
    pub fn join_all(verdicts: impl IntoIterator<Item = Self>) -> Self {
        verdicts.into_iter().reduce(Self::join).unwrap_or(Self::Indeterminate)
    }
}

/// A place in sealed bytes that a statement rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cite {
    /// Path in the package.
    pub artifact: String,
    /// RFC 6901 JSON pointer.
    pub pointer: String,
    /// SHA-256 of the artifact, lower-case hex.
    pub sha256: String,
}

/// One rule's result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RuleResult {
    /// The records that decided.
    pub decisive: Vec<Cite>,
    /// One sentence.
    pub reason: String,
    /// `M1`, `M2`, `M3`, `N1`, `T` or `C`.
    pub rule: String,
    /// Result.
    pub verdict: Verdict,
}

/// A transaction as counted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CountedTransaction {
    /// Minor currency units.
    pub amount_minor: i64,
    /// ISO 4217 code.
    pub currency: String,
    /// Ledger id.
    pub transaction_id: String,
}

/// Verdict on one trial.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrialVerdict {
    /// Pass *and* processing finished `SUCCEEDED`.
    pub correct_completion: bool,
    /// Why not valid.
    pub invalid_reasons: Vec<String>,
    /// Missing proof by name; not empty makes the verdict indeterminate.
    pub missing: Vec<String>,
    /// Place in its stage, from 1.
    pub number: u32,
    /// `SUCCEEDED` or `FAILED` as the system reported; absent if it did not finish.
    pub processing: Option<String>,
    /// Every rule, always in the order M1 M2 M3 N1 T C.
    pub rules: Vec<RuleResult>,
    /// Treatment; absent when the trial's file could not be read.
    pub scenario: Option<Scenario>,
    /// Success transactions in the ledger.
    pub transactions: Vec<CountedTransaction>,
    /// Trial id.
    pub trial: String,
    /// Whether the trial was what it was planned to be; an invalid trial supports no verdict.
    pub valid: bool,
    /// Architecture variant.
    pub variant: String,
    /// For the invariant.
    pub verdict: Verdict,
}

/// Verdict file of one package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackageVerdict {
    /// What the package as a whole lacks; not empty makes it at least indeterminate.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
    /// Version and source digest of the oracle.
    pub oracle: OracleId,
    /// Identity of the package judged: SHA-256 of its `index.json`.
    pub package: String,
    /// [`SCHEMA`].
    pub schema: String,
    /// Stage judged.
    pub stage: String,
    /// In sequence.
    pub trials: Vec<TrialVerdict>,
    /// Join over the trials.
    pub verdict: Verdict,
}

/// Which oracle judged.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OracleId {
    /// SHA-256 over the oracle's sources, lower-case hex.
    pub source_sha256: String,
    /// Crate version.
    pub version: String,
}
