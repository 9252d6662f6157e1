//! One cell per canonical trial: what the oracle said beside what was predicted.

use crate::plan::{Plan, PredictionPlan, TrialPlan};
use crate::text::word;
use evidence::record::Scenario;
use evidence::verdict::{Cite, CountedTransaction, PackageVerdict, RuleResult, TrialVerdict, Verdict};
use serde::{Deserialize, Serialize};

/// A line of the reference table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// Trial id.
    pub id: String,
    /// Number in the fixed sequence.
    pub trial: u32,
    /// Variant.
    pub variant: String,
    /// Treatment.
    pub scenario: Scenario,
    /// Whether the trial was what it was planned to be.
    pub valid: bool,
    /// Why not.
    pub invalid_reasons: Vec<String>,
    /// On the invariant.
    pub verdict: Verdict,
    /// Rule by rule.
    pub rules: Vec<RuleResult>,
    /// Success transactions.
    pub transactions: Vec<CountedTransaction>,
    /// What the system reported of itself.
    pub processing: Option<String>,
    /// Pass and succeeded.
    pub correct_completion: bool,
    /// Missing proof.
    pub missing: Vec<String>,
    /// Whether all of this is as predicted.
    pub as_predicted: bool,
    /// Where it differs from the prediction.
    pub differences: Vec<String>,
    /// Where the values stand in sealed bytes; artifacts are relative to the run's folder.
    pub cites: Vec<Cite>,
}

/// Cells for the planned canonical trials, in order. A trial without verdict is indeterminate.
#[must_use]
pub fn cells(plan: &Plan, verdict: Option<&PackageVerdict>) -> Vec<Cell> {
    let judged = |id: &str| verdict.into_iter().flat_map(|v| &v.trials).find(|t| t.trial == id);
    plan.trials_of("canonical").map(|trial| cell(plan, trial, judged(&trial.id))).collect()
}

fn cell(plan: &Plan, trial: &TrialPlan, judged: Option<&TrialVerdict>) -> Cell {
    let differences = match (plan.prediction_for(&trial.variant, trial.scenario), judged) {
        (_, None) => vec!["no verdict".to_owned()],
        (None, Some(_)) => Vec::new(),
        (Some(predicted), Some(judged)) => differences(predicted, judged),
    };
    Cell {
        id: trial.id.clone(),
        trial: trial.number,
        variant: trial.variant.clone(),
        scenario: trial.scenario,
        valid: judged.is_some_and(|j| j.valid),
        invalid_reasons: judged.map(|j| j.invalid_reasons.clone()).unwrap_or_default(),
        verdict: judged.map_or(Verdict::Indeterminate, |j| j.verdict),
        rules: judged.map(|j| j.rules.clone()).unwrap_or_default(),
        transactions: judged.map(|j| j.transactions.clone()).unwrap_or_default(),
        processing: judged.and_then(|j| j.processing.clone()),
        correct_completion: judged.is_some_and(|j| j.correct_completion),
        missing: judged.map_or_else(|| vec!["verdict".to_owned()], |j| j.missing.clone()),
        as_predicted: differences.is_empty(),
        differences,
        cites: judged.map(cites).unwrap_or_default(),
    }
}

fn differences(predicted: &PredictionPlan, judged: &TrialVerdict) -> Vec<String> {
    let failed: Vec<_> = judged.rules.iter().filter(|r| r.verdict == Verdict::Fail).map(|r| r.rule.clone()).collect();
    let processing = serde_json::to_value(predicted.processing).ok().and_then(|v| v.as_str().map(str::to_owned));
    let mut differences = Vec::new();
    let mut compare = |what: &str, same: bool, predicted: String, found: String| {
        if !same {
            differences.push(format!("{what}: predicted {predicted}, found {found}"));
        }
    };
    compare("verdict", predicted.verdict == judged.verdict, word(&predicted.verdict), word(&judged.verdict));
    compare("failing rules", predicted.fails == failed, predicted.fails.join(" "), failed.join(" "));
    let count = judged.transactions.len();
    compare(
        "transactions",
        predicted.transactions as usize == count,
        predicted.transactions.to_string(),
        count.to_string(),
    );
    compare("processing", processing == judged.processing, word(&processing), word(&judged.processing));
    let completion = (predicted.correct_completion, judged.correct_completion);
    compare("correct_completion", completion.0 == completion.1, completion.0.to_string(), completion.1.to_string());
    differences
}

/// The decisive places of all rules, once each, as seen from the run's folder.
fn cites(judged: &TrialVerdict) -> Vec<Cite> {
    let mut all: Vec<Cite> = Vec::new();
    for cite in judged.rules.iter().flat_map(|r| &r.decisive) {
        let cite = Cite { artifact: format!("packages/canonical/{}", cite.artifact), ..cite.clone() };
        if !all.contains(&cite) {
            all.push(cite);
        }
    }
    all
}
