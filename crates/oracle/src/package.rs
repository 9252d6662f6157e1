//! Judgement of a sealed package: every planned trial, one at a time, so that memory holds one trial and the verdicts.

use crate::outcome::Artifact;
use crate::trial::{Place, judge_bytes, unread};
use crate::{Limits, oracle_id};
use evidence::package::{PackageError, Sealed};
use evidence::stage::{SCHEMA as STAGE_SCHEMA, StageRecord};
use evidence::verdict::{PackageVerdict, SCHEMA, TrialVerdict, Verdict};
use std::collections::HashSet;

/// Why a package cannot be judged at all. Everything else is an indeterminate verdict with its cause.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// The package's bytes are not those that were sealed.
    #[error(transparent)]
    Package(#[from] PackageError),
}

/// Judges every trial that the stage planned.
///
/// # Errors
/// When sealed bytes change while they are read; never for what the evidence says or lacks.
pub fn judge(sealed: &Sealed, limits: &Limits) -> Result<PackageVerdict, JudgeError> {
    let mut missing = Vec::new();
    let stage = stage(sealed, limits, &mut missing)?;
    let mut trials = Vec::new();
    if let Some(stage) = &stage {
        head(sealed, stage, &mut missing);
        unplanned(sealed, stage, &mut missing);
        for (index, id) in stage.trials.iter().take(limits.trials).enumerate() {
            trials.push(trial(sealed, Place { id, number: index + 1, stage: &stage.stage }, limits)?);
        }
        if stage.trials.len() > limits.trials {
            missing.push(format!("over budget: {} trials, {} are judged at most", stage.trials.len(), limits.trials));
        }
        if stage.trials.is_empty() {
            missing.push("stage.json: no trial is planned, so nothing was checked".to_owned());
        }
    }
    let lacking = (!missing.is_empty()).then_some(Verdict::Indeterminate);
    let verdict = Verdict::join_all(trials.iter().map(|trial| trial.verdict).chain(lacking));
    let stage = stage.map_or_else(|| sealed.index().name.clone(), |stage| stage.stage);
    let package = sealed.identity().to_string();
    Ok(PackageVerdict { schema: SCHEMA.to_owned(), package, oracle: oracle_id(), stage, verdict, trials, missing })
}

/// The stage's own record, or a line in `missing`.
///
/// # Errors
/// When the sealed bytes changed.
pub fn stage(sealed: &Sealed, limits: &Limits, missing: &mut Vec<String>) -> Result<Option<StageRecord>, JudgeError> {
    const PATH: &str = "stage.json";
    let Some(bytes) = read(sealed, PATH, limits.stage_bytes, missing)? else { return Ok(None) };
    match serde_json::from_slice(&bytes) {
        Ok(stage) => Ok(Some(stage)),
        Err(error) => {
            missing.push(format!("{PATH}: not readable as a stage: {error}"));
            Ok(None)
        }
    }
}

/// File of a trial in its package.
#[must_use]
pub fn trial_path(id: &str) -> String {
    format!("trials/{id}.json")
}

fn trial(sealed: &Sealed, place: Place<'_>, limits: &Limits) -> Result<TrialVerdict, JudgeError> {
    let path = trial_path(place.id);
    let sha256 = sealed.index().find(&path).map(|file| file.sha256.to_string()).unwrap_or_default();
    let artifact = Artifact { path: &path, sha256: &sha256 };
    let mut missing = Vec::new();
    match read(sealed, &path, limits.trial_bytes, &mut missing)? {
        Some(bytes) => Ok(judge_bytes(artifact, &bytes, place)),
        None => Ok(unread(artifact, place, &missing.concat())),
    }
}

/// A file's bytes within the budget.
fn read(sealed: &Sealed, path: &str, most: u64, missing: &mut Vec<String>) -> Result<Option<Vec<u8>>, JudgeError> {
    match sealed.index().find(path) {
        None => missing.push(format!("{path}: not in the package")),
        Some(file) if file.size > most => {
            missing.push(format!("{path}: over budget: {} bytes, {most} are read at most", file.size));
        }
        Some(_) => return Ok(Some(sealed.read(path)?)),
    }
    Ok(None)
}

fn head(sealed: &Sealed, stage: &StageRecord, missing: &mut Vec<String>) {
    let index = sealed.index();
    for (field, found, expected) in [
        ("schema", stage.schema.as_str(), STAGE_SCHEMA),
        ("stage", &stage.stage, &index.name),
        ("run", &stage.run, &index.run),
    ] {
        if found != expected {
            missing.push(format!("stage.json: {field} is {found:?}, expected {expected:?}"));
        }
    }
}

/// Evidence of a trial that the stage does not name may be one that somebody wanted forgotten.
fn unplanned(sealed: &Sealed, stage: &StageRecord, missing: &mut Vec<String>) {
    let planned: HashSet<String> = stage.trials.iter().map(|id| trial_path(id)).collect();
    for file in sealed.index().files.iter().filter(|file| file.path.starts_with("trials/")) {
        if !planned.contains(&file.path) {
            missing.push(format!("{}: not a trial that the stage planned", file.path));
        }
    }
}
