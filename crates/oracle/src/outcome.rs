//! What a rule says before its places become citations.

use evidence::verdict::{Cite, RuleResult, Verdict};

/// Result of one rule over one trial.
pub(crate) struct Outcome {
    pub(crate) verdict: Verdict,
    /// One sentence.
    pub(crate) reason: String,
    /// RFC 6901 pointers into the trial's file.
    pub(crate) places: Vec<String>,
}

impl Outcome {
    pub(crate) fn new(verdict: Verdict, reason: impl Into<String>, places: Vec<String>) -> Self {
        Self { verdict, reason: reason.into(), places }
    }

    pub(crate) fn pass(reason: impl Into<String>, places: Vec<String>) -> Self {
        Self::new(Verdict::Pass, reason, places)
    }

    pub(crate) fn fail(reason: impl Into<String>, places: Vec<String>) -> Self {
        Self::new(Verdict::Fail, reason, places)
    }

    pub(crate) fn indeterminate(reason: impl Into<String>, places: Vec<String>) -> Self {
        Self::new(Verdict::Indeterminate, reason, places)
    }

    /// The same observation without the proof: what was seen stays said, and nothing is concluded from it.
    pub(crate) fn unproven(self, cause: &str) -> Self {
        let reason = format!("not proven: {cause}; observed: {}", self.reason);
        Self::indeterminate(reason, self.places)
    }
}

/// The file that a trial was read from, for citations.
#[derive(Clone, Copy, Debug)]
pub struct Artifact<'a> {
    /// Path in the package.
    pub path: &'a str,
    /// SHA-256 of its bytes, lower-case hex.
    pub sha256: &'a str,
}

impl Artifact<'_> {
    /// Citation of a place in this file.
    pub(crate) fn cite(&self, pointer: String) -> Cite {
        Cite { artifact: self.path.to_owned(), pointer, sha256: self.sha256.to_owned() }
    }

    /// A rule's result with its places as citations.
    pub(crate) fn result(&self, rule: &str, outcome: Outcome) -> RuleResult {
        RuleResult {
            rule: rule.to_owned(),
            verdict: outcome.verdict,
            reason: outcome.reason,
            decisive: outcome.places.into_iter().map(|place| self.cite(place)).collect(),
        }
    }
}
