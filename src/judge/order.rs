//! Whether the oracle stood before the evidence, and how well that is known.

use evidence::digest::Digest;
use serde::{Deserialize, Serialize};

/// What a run knows of its registration, as sealed in its first package (`registration.json`).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Registered {
    /// Identity of the registration package.
    pub identity: Digest,
    /// When it was sealed, by the harness's own clock.
    pub sealed_at_ms: i64,
    /// Time of a valid RFC 3161 token over the identity, if there is one.
    pub third_party_ms: Option<i64>,
    /// SHA-256 over the registered oracle's sources.
    pub oracle_source_sha256: String,
    /// Where the run differs from what was registered.
    pub differences: Vec<String>,
}

/// How the order oracle before evidence is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Grade {
    /// A third party's time on the registration lies before the first evidence.
    Proven,
    /// Only the harness's own clock says so.
    Attested,
    /// Something says the opposite.
    Contradicted,
}

/// The grade and the sentence that explains it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Order {
    /// Grade.
    pub grade: Grade,
    /// Why.
    pub reason: String,
}

/// Grades the order. `started_ms`: the run's first journal line; `judges`: source digests of the oracles that judged.
#[must_use]
pub fn order(registered: Option<&Registered>, started_ms: i64, judges: &[String]) -> Order {
    let graded = |grade, reason: String| Order { grade, reason };
    let Some(registered) = registered else {
        return graded(
            Grade::Attested,
            "the run has no registration: nothing but the harness's own word says that the oracle was not written after the evidence"
                .to_owned(),
        );
    };
    if let Some(other) = judges.iter().find(|judge| **judge != registered.oracle_source_sha256) {
        let reason = format!("registered oracle sources {}, judged by {other}", registered.oracle_source_sha256);
        return graded(Grade::Contradicted, reason);
    }
    if registered.sealed_at_ms >= started_ms {
        return graded(Grade::Contradicted, "the registration was sealed after the run began".to_owned());
    }
    match registered.third_party_ms {
        Some(time) if time >= started_ms => {
            graded(Grade::Contradicted, "the third party's time on the registration is not before the run".to_owned())
        }
        Some(_) => graded(
            Grade::Proven,
            "a third party's time on the registration, which names the oracle's sources, lies before the run began"
                .to_owned(),
        ),
        None => graded(
            Grade::Attested,
            "the registration has no third party's time; that it was sealed before the run is the harness's own clock"
                .to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn registered(third_party_ms: Option<i64>) -> Registered {
        Registered {
            identity: Digest::of(b"r"),
            sealed_at_ms: 10,
            third_party_ms,
            oracle_source_sha256: "a".into(),
            differences: Vec::new(),
        }
    }

    #[test]
    fn only_a_third_partys_earlier_time_proves() {
        let judges = ["a".to_owned()];
        let grade = |registered: Option<&Registered>, started| order(registered, started, &judges).grade;
        assert_eq!(grade(None, 20), Grade::Attested);
        assert_eq!(grade(Some(&registered(None)), 20), Grade::Attested);
        assert_eq!(grade(Some(&registered(Some(15))), 20), Grade::Proven);
        assert_eq!(grade(Some(&registered(Some(20))), 20), Grade::Contradicted);
        assert_eq!(grade(Some(&registered(None)), 10), Grade::Contradicted);
    }

    #[test]
    fn another_oracle_contradicts_whatever_the_clocks_say() {
        let order = order(Some(&registered(Some(15))), 20, &["a".to_owned(), "b".to_owned()]);
        assert_eq!(order.grade, Grade::Contradicted);
    }
}
