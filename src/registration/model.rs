//! `registration.json`.

use super::git::Commit;
use crate::exit::Failure;
use crate::plan::{Plan, PredictionPlan};
use evidence::digest::Digest;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

/// Schema name of a registration.
pub const SCHEMA: &str = "assay.registration/1";
/// Name of the package, and of the folder that it stands in.
pub const REGISTRATION: &str = "registration";

/// What was registered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Registration {
    /// [`SCHEMA`].
    pub schema: String,
    /// Study name.
    pub study: String,
    /// Timing profile.
    pub profile: String,
    /// Harness clock, milliseconds.
    pub sealed_at_ms: i64,
    /// Digest of the plan, `plan.json` beside this file.
    pub plan_digest: Digest,
    /// SHA-256 of `protocol.yaml`.
    pub protocol_sha256: Digest,
    /// SHA-256 of each template by component.
    pub templates: BTreeMap<String, Digest>,
    /// SHA-256 of the function artifact.
    pub artifact_sha256: Option<Digest>,
    /// The oracle that will judge.
    pub oracle: OracleDigests,
    /// Number of canonical trials.
    pub trials: u64,
    /// One for each cell.
    pub predictions: Vec<PredictionPlan>,
    /// When a validation is excluded.
    pub exclusion_criteria: Vec<String>,
    /// When the run stops.
    pub stop_rule: String,
    /// State of the checkout; absent outside one.
    pub git: Option<Commit>,
}

/// Which oracle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OracleDigests {
    /// SHA-256 over the sources, as the oracle quotes itself in verdicts.
    pub source_sha256: String,
    /// SHA-256 of the program.
    pub binary_sha256: Digest,
}

impl OracleDigests {
    /// Asks the program for its sources and reads its bytes.
    ///
    /// # Errors
    /// [`Failure::Internal`] if it cannot be read or says nothing.
    pub fn of(program: &Path) -> Result<Self, Failure> {
        let bytes = std::fs::read(program).map_err(|e| Failure::io("read", program, &e))?;
        let output = Command::new(program).arg("--version").env_clear().stdin(Stdio::null()).output();
        let output = output.map_err(|e| Failure::io("start the oracle", program, &e))?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let source = said.split_once("sources ").and_then(|(_, rest)| rest.split(')').next());
        match source.filter(|source| source.parse::<Digest>().is_ok()) {
            Some(source) => Ok(Self { source_sha256: source.to_owned(), binary_sha256: Digest::of(&bytes) }),
            None => Err(Failure::Internal(format!("{} does not name its sources: {said:?}", program.display()))),
        }
    }
}

impl Registration {
    /// What a plan and an oracle come to, as of `sealed_at_ms`.
    ///
    /// # Errors
    /// If the plan has no canonical form, which its types exclude.
    pub(super) fn of(plan: &Plan, oracle: OracleDigests, sealed_at_ms: i64) -> Result<Self, Failure> {
        Ok(Self {
            schema: SCHEMA.to_owned(),
            study: plan.study.clone(),
            profile: plan.profile.clone(),
            sealed_at_ms,
            plan_digest: plan.digest().map_err(|e| Failure::Internal(e.to_string()))?,
            protocol_sha256: plan.protocol_sha256,
            templates: plan.stacks.iter().map(|s| (s.component.clone(), s.template_sha256)).collect(),
            artifact_sha256: plan.artifact.as_ref().map(|artifact| artifact.sha256),
            oracle,
            trials: plan.trials_of("canonical").count() as u64,
            predictions: plan.predictions.clone(),
            exclusion_criteria: plan.exclusion_criteria.clone(),
            stop_rule: plan.stop_rule.clone(),
            git: None,
        })
    }

    /// Where `now` differs from what was registered, part by part. Times and git state are not compared.
    #[must_use]
    pub fn differences(&self, now: &Self) -> Vec<String> {
        let text = |value: Result<serde_json::Value, _>| value.unwrap_or(serde_json::Value::Null);
        let (old, new) = (text(serde_json::to_value(self)), text(serde_json::to_value(now)));
        let keys = old.as_object().into_iter().flat_map(|members| members.keys());
        let keys = keys.filter(|key| !["sealed_at_ms", "git"].contains(&key.as_str()));
        keys.filter(|key| old[key.as_str()] != new[key.as_str()])
            .map(|key| match (&old[key.as_str()], &new[key.as_str()]) {
                (serde_json::Value::String(old), serde_json::Value::String(new)) if key != "stop_rule" => {
                    format!("{key}: registered {old}, now {new}")
                }
                (serde_json::Value::Object(old), serde_json::Value::Object(new)) => {
                    let parts = old.keys().chain(new.keys().filter(|k| !old.contains_key(*k)));
                    let parts: Vec<_> = parts.filter(|k| old.get(*k) != new.get(*k)).cloned().collect();
                    format!("{key}: {} differs", parts.join(", "))
                }
                _ => format!("{key} differs"),
            })
            .collect()
    }
}
