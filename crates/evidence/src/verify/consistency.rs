//! A verdict file must follow from itself: its conclusions are the lattice's join of what it says rule by rule.

use crate::verdict::{PackageVerdict, TrialVerdict, Verdict};
use std::collections::HashSet;

/// Rules on the invariant; T and C decide whether the trial may be judged by them at all.
const INVARIANT: [&str; 4] = ["M1", "M2", "M3", "N1"];

/// Everything in `verdict` that contradicts the rest of it.
pub(super) fn of(verdict: &PackageVerdict) -> Vec<String> {
    let mut messages: Vec<String> = verdict.trials.iter().flat_map(trial).collect();
    let mut seen = HashSet::new();
    let twice = verdict.trials.iter().filter(|trial| !seen.insert(&trial.trial));
    messages.extend(twice.map(|trial| format!("judges trial {} twice", trial.trial)));
    let lacking = (!verdict.missing.is_empty()).then_some(Verdict::Indeterminate);
    if verdict.verdict != Verdict::join_all(verdict.trials.iter().map(|trial| trial.verdict).chain(lacking)) {
        messages.push("its verdict is not the join of those on its trials".to_owned());
    }
    messages
}

fn trial(trial: &TrialVerdict) -> Vec<String> {
    let rules = trial.rules.iter().filter(|rule| INVARIANT.contains(&rule.rule.as_str()));
    let joined = Verdict::join_all(rules.map(|rule| rule.verdict));
    let judged = trial.valid && trial.missing.is_empty();
    let expected = if judged { joined } else { Verdict::Indeterminate };
    let completed = trial.verdict == Verdict::Pass && trial.processing.as_deref() == Some("SUCCEEDED");
    let mut names = HashSet::new();
    let claims = [
        (trial.verdict != expected, "does not follow from its rules"),
        (
            trial.correct_completion != completed,
            "says of its completion what does not follow from verdict and processing",
        ),
        (trial.valid != trial.invalid_reasons.is_empty(), "is valid and has reasons against that, or the reverse"),
        (trial.rules.iter().any(|rule| !names.insert(&rule.rule)), "has a rule twice"),
    ];
    let wrong = claims.into_iter().filter(|(wrong, _)| *wrong);
    wrong.map(|(_, what)| format!("the verdict on trial {} {what}", trial.trial)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::{OracleId, RuleResult, SCHEMA};

    fn good() -> PackageVerdict {
        let rule = |rule: &str, verdict| RuleResult {
            rule: rule.to_owned(),
            verdict,
            reason: String::new(),
            decisive: Vec::new(),
        };
        let trial = TrialVerdict {
            trial: "t-1".to_owned(),
            number: 1,
            variant: "durable".to_owned(),
            scenario: None,
            valid: true,
            invalid_reasons: Vec::new(),
            verdict: Verdict::Fail,
            rules: vec![rule("M1", Verdict::Fail), rule("M2", Verdict::Pass), rule("T", Verdict::Pass)],
            transactions: Vec::new(),
            processing: Some("SUCCEEDED".to_owned()),
            correct_completion: false,
            missing: Vec::new(),
        };
        PackageVerdict {
            schema: SCHEMA.to_owned(),
            package: String::new(),
            oracle: OracleId { version: String::new(), source_sha256: String::new() },
            stage: "canonical".to_owned(),
            verdict: Verdict::Fail,
            trials: vec![trial],
            missing: Vec::new(),
        }
    }

    #[test]
    fn whatever_is_edited_no_longer_follows() {
        assert_eq!(of(&good()), [] as [String; 0]);
        let edits: [fn(&mut PackageVerdict); 8] = [
            |verdict| verdict.verdict = Verdict::Pass,
            |verdict| verdict.trials[0].verdict = Verdict::Pass,
            |verdict| verdict.trials[0].rules[0].verdict = Verdict::Pass,
            |verdict| verdict.trials[0].correct_completion = true,
            |verdict| verdict.trials[0].missing.push("ledger".to_owned()),
            |verdict| verdict.trials[0].valid = false,
            |verdict| verdict.trials.push(verdict.trials[0].clone()),
            |verdict| verdict.trials.clear(),
        ];
        for (n, edit) in edits.into_iter().enumerate() {
            let mut verdict = good();
            edit(&mut verdict);
            assert_ne!(of(&verdict), [] as [String; 0], "edit {n}");
        }
    }

    /// Case M2: one lattice for all.
    #[test]
    fn one_fail_and_one_indeterminate_are_a_fail_here_too() {
        let mut verdict = good();
        let mut other = verdict.trials[0].clone();
        other.trial = "t-2".to_owned();
        other.missing.push("ledger: it was not read".to_owned());
        other.verdict = Verdict::Indeterminate;
        verdict.trials.push(other);
        assert_eq!(of(&verdict), [] as [String; 0]);
        verdict.verdict = Verdict::Indeterminate;
        assert_eq!(of(&verdict), ["its verdict is not the join of those on its trials"]);
    }

    /// Case M8: nothing checked is indeterminate, never pass.
    #[test]
    fn a_pass_over_nothing_does_not_follow() {
        let mut verdict = good();
        verdict.trials.clear();
        verdict.verdict = Verdict::Pass;
        assert_eq!(of(&verdict).len(), 1);
        let mut verdict = good();
        verdict.trials[0].rules.clear();
        verdict.trials[0].verdict = Verdict::Pass;
        verdict.verdict = Verdict::Pass;
        assert!(of(&verdict)[0].contains("does not follow from its rules"), "{:?}", of(&verdict));
    }
}
