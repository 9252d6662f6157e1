//! Whether the variants may be compared at all.

use super::cells::Cell;
use crate::plan::{Plan, TrialPlan};
use evidence::record::Scenario;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The outcome, with every reason against it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comparison {
    /// Only if nothing speaks against it.
    pub eligible: bool,
    /// What speaks against it.
    pub reasons: Vec<String>,
}

/// What is known about a run besides its verdicts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// All packages and the chain verify.
    pub evidence_verifies: bool,
    /// Teardown ended for every stack, and the audit found neither leak nor unread surface.
    pub cleanup_proven: bool,
    /// The audit's overall verdict.
    pub audit: String,
    /// Why the run stopped before its end, if it did.
    pub stopped: Option<String>,
    /// Departures from the registration.
    pub deviations: Vec<String>,
    /// Variants that the command line left out.
    pub left_out: Vec<String>,
}

/// Judges eligibility: trials valid, inputs and treatment equal, evidence verified, cleanup ended, audit clean.
#[must_use]
pub fn comparison(plan: &Plan, cells: &[Cell], facts: &Facts) -> Comparison {
    let mut reasons = Vec::new();
    if cells.is_empty() {
        reasons.push("no trial was judged".to_owned());
    }
    reasons.extend(cells.iter().filter(|c| !c.valid).map(|c| format!("trial {} is not valid", c.id)));
    reasons.extend(unequal(plan));
    reasons.extend(facts.left_out.iter().map(|v| format!("variant {v} was left out")));
    reasons.extend(facts.stopped.iter().map(|why| format!("the run stopped early: {why}")));
    if !facts.evidence_verifies {
        reasons.push("the evidence does not verify".to_owned());
    }
    if !facts.cleanup_proven {
        reasons.push(format!("cleanup is not proven (audit: {})", facts.audit));
    }
    Comparison { eligible: reasons.is_empty(), reasons }
}

/// Every variant must run the same scenarios, each under the same terms but for the refund's identity.
fn unequal(plan: &Plan) -> Vec<String> {
    let mut reasons = Vec::new();
    let scenarios = |variant: &str| -> BTreeSet<Scenario> {
        plan.trials_of("canonical").filter(|t| t.variant == variant).map(|t| t.scenario).collect()
    };
    let mut sets = plan.variants.iter().map(|v| scenarios(&v.slug));
    if let Some(first) = sets.next()
        && sets.any(|other| other != first)
    {
        reasons.push("the variants do not run the same scenarios".to_owned());
    }
    let inputs: BTreeSet<_> = plan.trials_of("canonical").map(input).collect();
    if inputs.len() > 1 {
        reasons.push("the trials do not have the same input and deadline".to_owned());
    }
    reasons
}

fn input(trial: &TrialPlan) -> (Vec<(i64, String)>, i64, u32) {
    let effects = trial.terms.authorised.iter().map(|e| (e.amount_minor, e.currency.clone())).collect();
    (effects, trial.terms.captured_minor, trial.terms.deadline_ms)
}
