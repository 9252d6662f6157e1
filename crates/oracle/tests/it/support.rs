//! Judging in memory, and packages on disk.

use crate::builder;
use evidence::digest::Digest;
use evidence::package::{Draft, Sealed};
use evidence::stage::{Grade, Origin, SCHEMA, StageRecord};
use evidence::trial::TrialEvidence;
use evidence::verdict::TrialVerdict;
use oracle::Artifact;
use oracle::trial::{Place, judge_bytes};
use serde_json::Value;
use std::path::Path;

/// Judges a trial as if it had been sealed where it says that it belongs.
pub(crate) fn judge(evidence: &TrialEvidence) -> TrialVerdict {
    let trial = &evidence.trial;
    let place = Place { id: &trial.id, number: trial.number as usize, stage: &trial.stage };
    judge_value(&serde_json::to_value(evidence).unwrap(), place)
}

/// Seals a value's bytes (their digest is the citation's) and judges them at a planned place.
pub(crate) fn judge_value(value: &Value, place: Place<'_>) -> TrialVerdict {
    // Not canonical on purpose: a mutant may hold numbers that have no canonical form.
    let bytes = serde_json::to_vec(value).unwrap();
    let sha256 = Digest::of(&bytes).to_string();
    let path = oracle::package::trial_path(place.id);
    judge_bytes(Artifact { path: &path, sha256: &sha256 }, &bytes, place)
}

pub(crate) fn rule<'a>(verdict: &'a TrialVerdict, name: &str) -> &'a evidence::verdict::RuleResult {
    verdict.rules.iter().find(|rule| rule.rule == name).unwrap()
}

pub(crate) fn stage(name: &str, trials: Vec<String>) -> StageRecord {
    StageRecord {
        schema: SCHEMA.to_owned(),
        run: "20261130t061600-3fa9".to_owned(),
        study: "ambiguous-outcome".to_owned(),
        stage: name.to_owned(),
        grade: Grade::Rehearsal,
        plan_digest: Digest::of(b"plan").to_string(),
        origin: Origin {
            endpoint_kind: "foreign".to_owned(),
            endpoint: Some("http://127.0.0.1:4566".to_owned()),
            account: "000000000000".to_owned(),
            region: "us-east-1".to_owned(),
            partition: "aws".to_owned(),
        },
        started_at_ms: builder::T0 - 60_000,
        ended_at_ms: builder::T0 + 600_000,
        outcome: "completed".to_owned(),
        trials,
    }
}

/// Seals a package with these trial files; `planned` is what the stage says.
pub(crate) fn seal(parent: &Path, name: &str, planned: Vec<String>, files: &[(String, Vec<u8>)]) -> Sealed {
    let mut draft = Draft::create(parent, name, "20261130t061600-3fa9", &[]).unwrap();
    draft.write_json("stage.json", &stage(name, planned)).unwrap();
    for (path, bytes) in files {
        draft.write(path, bytes).unwrap();
    }
    draft.seal().unwrap()
}

/// Seals trials under their own names.
pub(crate) fn seal_trials(parent: &Path, name: &str, trials: &[TrialEvidence]) -> Sealed {
    let ids = trials.iter().map(|one| one.trial.id.clone()).collect();
    let file =
        |one: &TrialEvidence| (oracle::package::trial_path(&one.trial.id), evidence::canonical::to_vec(one).unwrap());
    seal(parent, name, ids, &trials.iter().map(file).collect::<Vec<_>>())
}
