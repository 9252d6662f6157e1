//! Findings and how they join.

use super::arn::Kind;
use super::facts::Source;
use enumset::EnumSet;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// What was found about one resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The verdict.
    pub verdict: Verdict,
    /// Type of the resource.
    pub kind: Kind,
    /// Name, ARN or id.
    pub id: String,
    /// Region, or `global`.
    pub region: String,
    /// Surfaces that named it.
    pub sources: EnumSet<Source>,
    /// Why this verdict.
    pub reason: Cow<'static, str>,
    /// The one next command.
    pub next: Option<String>,
    /// It was not there at the first reading.
    pub late: bool,
}

/// What to think of a resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It is ours and should be gone.
    Leak,
    /// It could not be decided.
    Unknown,
    /// It goes by itself.
    ExpectedUntil {
        /// At the latest, milliseconds since the epoch.
        at_ms: i64,
    },
    /// A rule lets it stay.
    Allowed {
        /// Who answers for it.
        owner: String,
        /// Milliseconds since the epoch.
        expires_at_ms: i64,
    },
    /// Only the tag index still lists it.
    Ghost,
}

/// The audit in one word, in rising order: a join takes the greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Overall {
    /// Nothing is left.
    Clean,
    /// What is left goes by itself.
    CleanWithResidue,
    /// Something could not be decided or was not read.
    Inconclusive,
    /// Something is left.
    Leak,
}

impl Overall {
    /// Leak over inconclusive over residue over clean.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        self.max(other)
    }

    /// Whether cleanup is proven.
    #[must_use]
    pub fn is_proven(self) -> bool {
        self <= Self::CleanWithResidue
    }

    /// As people and files read it.
    #[must_use]
    pub fn label(self) -> &'static str {
        match self {
            Self::Clean => "clean",
            Self::CleanWithResidue => "clean-with-residue",
            Self::Inconclusive => "inconclusive",
            Self::Leak => "leak",
        }
    }
}

impl Verdict {
    /// What the verdict alone makes of an audit.
    #[must_use]
    pub fn overall(&self) -> Overall {
        match self {
            Self::Leak => Overall::Leak,
            Self::Unknown => Overall::Inconclusive,
            Self::ExpectedUntil { .. } => Overall::CleanWithResidue,
            Self::Allowed { .. } | Self::Ghost => Overall::Clean,
        }
    }
}

/// Joins the findings with the certificate: an audit that did not read everything is never clean.
#[must_use]
pub(super) fn overall(findings: &[Finding], whole: bool) -> Overall {
    let start = if whole { Overall::Clean } else { Overall::Inconclusive };
    findings.iter().map(|finding| finding.verdict.overall()).fold(start, Overall::join)
}

#[cfg(test)]
mod tests {
    use super::{Finding, Kind, Overall, Verdict, overall};
    use enumset::EnumSet;
    use proptest::prelude::*;

    fn finding(verdict: Verdict) -> Finding {
        Finding {
            verdict,
            kind: Kind::Queue,
            id: "q".into(),
            region: "us-east-1".into(),
            sources: EnumSet::empty(),
            reason: "".into(),
            next: None,
            late: false,
        }
    }

    fn any_overall() -> impl Strategy<Value = Overall> {
        prop::sample::select(vec![Overall::Clean, Overall::CleanWithResidue, Overall::Inconclusive, Overall::Leak])
    }

    proptest! {
        #[test]
        fn join_is_a_lattice_join(a in any_overall(), b in any_overall(), c in any_overall()) {
            prop_assert_eq!(a.join(b), b.join(a));
            prop_assert_eq!(a.join(b).join(c), a.join(b.join(c)));
            prop_assert_eq!(a.join(a), a);
            prop_assert_eq!(a.join(Overall::Clean), a);
            prop_assert_eq!(a.join(Overall::Leak), Overall::Leak);
        }
    }

    #[test]
    fn a_leak_outranks_what_is_unread_and_unread_outranks_the_rest() {
        let leak = finding(Verdict::Leak);
        let residue = finding(Verdict::ExpectedUntil { at_ms: 1 });
        let ghost = finding(Verdict::Ghost);
        let allowed = finding(Verdict::Allowed { owner: "o".into(), expires_at_ms: 1 });
        let unknown = finding(Verdict::Unknown);
        assert_eq!(overall(&[leak, unknown.clone()], false), Overall::Leak);
        assert_eq!(overall(&[residue.clone(), unknown], true), Overall::Inconclusive);
        assert_eq!(overall(std::slice::from_ref(&residue), false), Overall::Inconclusive);
        assert_eq!(overall(&[residue, ghost.clone()], true), Overall::CleanWithResidue);
        assert_eq!(overall(&[ghost, allowed], true), Overall::Clean);
        assert_eq!(overall(&[], false), Overall::Inconclusive);
    }
}
