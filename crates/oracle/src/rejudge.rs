//! An old verdict beside a new one over the same bytes. The old one is kept; what changed is said.

use evidence::verdict::{OracleId, PackageVerdict, RuleResult, TrialVerdict, Verdict};
use serde::Serialize;

/// What a newer oracle says differently.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Comparison {
    /// Identity of the package, the same for both.
    pub package: String,
    /// Who judged first.
    pub old_oracle: OracleId,
    /// Who judged now.
    pub new_oracle: OracleId,
    /// First verdict.
    pub old: Verdict,
    /// Verdict now.
    pub new: Verdict,
    /// Differences, trial by trial; empty when the judgements agree.
    pub changes: Vec<Change>,
}

/// One difference.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// Trial id, or empty for the package as a whole.
    pub trial: String,
    /// What differs: `verdict`, `valid`, a rule's name …
    pub what: String,
    /// Before.
    pub old: String,
    /// Now.
    pub new: String,
}

/// The two verdicts are not over the same bytes.
#[derive(Debug, thiserror::Error)]
#[error(
    "the old verdict judged package {old}, this is package {new}; a verdict can only be compared over the same bytes"
)]
pub struct OtherPackage {
    old: String,
    new: String,
}

/// Compares two verdicts over one package.
///
/// # Errors
/// [`OtherPackage`] when the packages differ.
pub fn compare(old: &PackageVerdict, new: &PackageVerdict) -> Result<Comparison, OtherPackage> {
    if old.package != new.package {
        return Err(OtherPackage { old: old.package.clone(), new: new.package.clone() });
    }
    let mut changes = Vec::new();
    note(&mut changes, "", "verdict", words(old.verdict), words(new.verdict));
    note(&mut changes, "", "missing", &old.missing.join("; "), &new.missing.join("; "));
    for trial in &old.trials {
        match new.trials.iter().find(|other| other.trial == trial.trial) {
            Some(other) => trials(&mut changes, trial, other),
            None => note(&mut changes, &trial.trial, "trial", "judged", "absent"),
        }
    }
    for trial in new.trials.iter().filter(|trial| !old.trials.iter().any(|other| other.trial == trial.trial)) {
        note(&mut changes, &trial.trial, "trial", "absent", "judged");
    }
    Ok(Comparison {
        package: new.package.clone(),
        old_oracle: old.oracle.clone(),
        new_oracle: new.oracle.clone(),
        old: old.verdict,
        new: new.verdict,
        changes,
    })
}

fn trials(changes: &mut Vec<Change>, old: &TrialVerdict, new: &TrialVerdict) {
    let id = &old.trial;
    note(changes, id, "verdict", words(old.verdict), words(new.verdict));
    note(changes, id, "valid", &reasons(old.valid, &old.invalid_reasons), &reasons(new.valid, &new.invalid_reasons));
    note(changes, id, "missing", &old.missing.join("; "), &new.missing.join("; "));
    for rule in &new.rules {
        let before = old.rules.iter().find(|before| before.rule == rule.rule).map_or("absent".to_owned(), result);
        note(changes, id, &rule.rule, &before, &result(rule));
    }
}

fn note(changes: &mut Vec<Change>, trial: &str, what: &str, old: &str, new: &str) {
    if old != new {
        let [trial, what, old, new] = [trial, what, old, new].map(str::to_owned);
        changes.push(Change { trial, what, old, new });
    }
}

fn result(rule: &RuleResult) -> String {
    format!("{}: {}", words(rule.verdict), rule.reason)
}

fn reasons(valid: bool, reasons: &[String]) -> String {
    if valid { "valid".to_owned() } else { format!("not valid: {}", reasons.join("; ")) }
}

/// The verdict's name as in JSON.
#[must_use]
pub fn words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Pass => "pass",
        Verdict::Indeterminate => "indeterminate",
        Verdict::Fail => "fail",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(package: &str, verdict: Verdict) -> PackageVerdict {
        PackageVerdict {
            schema: evidence::verdict::SCHEMA.to_owned(),
            package: package.to_owned(),
            oracle: crate::oracle_id(),
            stage: "canonical".to_owned(),
            verdict,
            trials: Vec::new(),
            missing: Vec::new(),
        }
    }

    #[test]
    fn the_same_judgement_has_no_changes() {
        let one = verdict("a", Verdict::Pass);
        assert!(compare(&one, &one.clone()).unwrap().changes.is_empty());
    }

    #[test]
    fn a_changed_verdict_is_named_with_both_values() {
        let comparison = compare(&verdict("a", Verdict::Pass), &verdict("a", Verdict::Fail)).unwrap();
        assert_eq!(comparison.changes.len(), 1);
        assert_eq!((comparison.changes[0].old.as_str(), comparison.changes[0].new.as_str()), ("pass", "fail"));
    }

    #[test]
    fn other_bytes_are_no_comparison() {
        let error = compare(&verdict("a", Verdict::Pass), &verdict("b", Verdict::Pass)).unwrap_err();
        assert!(error.to_string().contains("package a"), "{error}");
    }
}
