//! Everything that a report is made of, read and verified before. Data only.

use super::timeline::Timeline;
use crate::cost::{Estimate, Figure};
use crate::judge::{Cell, Results};
use crate::plan::Plan;
use crate::plan::names::Filling;
use evidence::stage::Origin;
use evidence::trial::TrialEvidence;
use evidence::verdict::{OracleId, TrialVerdict, Verdict};
use serde::Serialize;
use serde_json::Value;

/// A run as its report sees it.
#[derive(Clone, Debug)]
pub struct Dossier {
    /// `results.json`.
    pub results: Results,
    /// The plan.
    pub plan: Plan,
    /// What fills the plan's placeholders.
    pub filling: Option<Filling>,
    /// Pinned target.
    pub origin: Option<Origin>,
    /// Exit code, if the run ended.
    pub exit: Option<u8>,
    /// Which oracle judged.
    pub oracle: Option<OracleId>,
    /// Sealed packages in their order.
    pub packages: Vec<PackageLine>,
    /// Every trial with evidence or a verdict, in order of stages and numbers.
    pub trials: Vec<TrialFile>,
    /// `deploy/tags.json` with its path, if it was sealed.
    pub tags: Option<(String, Value)>,
    /// What the plan can cost at most, if every price is known.
    pub estimate: Option<Estimate>,
    /// What billing said last, with the path of the sealed file; absent if it was not asked.
    pub billed: Option<(String, Figure)>,
    /// Other sealed JSON worth showing, for example `preflight/registration.json`: title, path from the run's folder, value.
    pub extras: Vec<(String, String, Value)>,
}

/// One sealed package.
#[derive(Clone, Debug, Serialize)]
pub struct PackageLine {
    /// Name.
    pub name: String,
    /// SHA-256 of its index.
    pub identity: String,
    /// Files in it.
    pub files: usize,
    /// Their size, bytes.
    pub bytes: u64,
    /// Join of its trials' verdicts, if it was judged.
    pub verdict: Option<Verdict>,
}

/// One trial's sealed evidence and what the oracle said of it.
#[derive(Clone, Debug)]
pub struct TrialFile {
    /// Trial id.
    pub id: String,
    /// Stage.
    pub stage: String,
    /// Path from the run's folder.
    pub artifact: String,
    /// SHA-256 of the file; empty if there is none.
    pub sha256: String,
    /// The evidence, if it was sealed.
    pub evidence: Option<TrialEvidence>,
    /// The verdict, if there is one.
    pub verdict: Option<TrialVerdict>,
}

impl Dossier {
    /// The cell of a canonical trial.
    #[must_use]
    pub fn cell(&self, id: &str) -> Option<&Cell> {
        self.results.cells.iter().find(|cell| cell.id == id)
    }

    /// Whether a trial is what its prediction says: a canonical one by its cell, a validation by not being
    /// excluded, a probe by a pass.
    #[must_use]
    pub fn as_predicted(&self, trial: &TrialFile) -> bool {
        match (self.cell(&trial.id), trial.stage.as_str()) {
            (Some(cell), _) => cell.as_predicted,
            (None, "probe") => trial.verdict.as_ref().is_some_and(|v| v.verdict == Verdict::Pass),
            (None, _) => !self.results.excluded.iter().any(|excluded| excluded.trial == trial.id),
        }
    }

    /// Identity of the package that a path from the run's folder lies in; empty if there is none.
    #[must_use]
    pub fn identity_of(&self, path: &str) -> String {
        let name = path.split('/').nth(1).unwrap_or_default();
        self.packages.iter().find(|p| p.name == name).map(|p| p.identity.clone()).unwrap_or_default()
    }

    /// `rehearsal` or `canonical`.
    #[must_use]
    pub fn grade(&self) -> String {
        word(&self.results.grade)
    }

    /// The report for programs: results, packages and each trial's merged timeline.
    #[must_use]
    pub fn json(&self) -> Value {
        let trials = self.trials.iter().map(|trial| {
            let moments = trial.evidence.as_ref().map(|evidence| Timeline::of(evidence).moments);
            serde_json::json!({
                "trial": trial.id, "stage": trial.stage, "artifact": trial.artifact, "sha256": trial.sha256,
                "verdict": trial.verdict, "timeline": moments,
            })
        });
        serde_json::json!({
            "schema": "assay.report/1",
            "contradiction": super::contradiction(&self.results.cells),
            "results": self.results,
            "exit": self.exit,
            "origin": self.origin,
            "oracle": self.oracle,
            "packages": self.packages,
            "billed_cost": crate::cost::billed(self.billed.as_ref()),
            "trials": trials.collect::<Vec<_>>(),
        })
    }
}

/// An enum's name as it stands in JSON.
pub(super) fn word(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
}
