//! Judgement of a package: every planned trial, on all cores, so that memory holds a few trials at a time.

use crate::outcome::Artifact;
use crate::trial::{Place, judge_bytes, unread};
use crate::{Limits, oracle_id};
use evidence::digest::Digest;
use evidence::package::{Index, Listing, PackageError, Sealed};
use evidence::stage::{SCHEMA as STAGE_SCHEMA, StageRecord};
use evidence::verdict::{PackageVerdict, SCHEMA, TrialVerdict, Verdict};
use rayon::prelude::*;
use std::collections::HashSet;

/// Trials judged before their verdicts are handed on.
const BATCH: usize = 512;

/// Why a package cannot be judged at all. Everything else is an indeterminate verdict with its cause.
#[derive(Debug, thiserror::Error)]
pub enum JudgeError {
    /// The package's bytes are not those that were sealed.
    #[error(transparent)]
    Package(#[from] PackageError),
}

/// Where a package's bytes come from, each file checked against its digest when it is read.
pub trait Source: Sync {
    /// What the package holds.
    fn index(&self) -> &Index;
    /// SHA-256 of `index.json`.
    fn identity(&self) -> &Digest;
    /// The bytes of a file.
    ///
    /// # Errors
    /// Not listed, not readable, or other bytes than the index says.
    fn read(&self, path: &str) -> Result<Vec<u8>, PackageError>;
}

impl Source for Sealed {
    fn index(&self) -> &Index {
        self.index()
    }
    fn identity(&self) -> &Digest {
        self.identity()
    }
    fn read(&self, path: &str) -> Result<Vec<u8>, PackageError> {
        self.read(path)
    }
}

impl Source for Listing {
    fn index(&self) -> &Index {
        self.index()
    }
    fn identity(&self) -> &Digest {
        self.identity()
    }
    fn read(&self, path: &str) -> Result<Vec<u8>, PackageError> {
        self.read(path)
    }
}

/// Judges every trial that the stage planned.
///
/// # Errors
/// When bytes are not those that were sealed; never for what the evidence says or lacks.
pub fn judge(source: &impl Source, limits: &Limits) -> Result<PackageVerdict, JudgeError> {
    let case = Case::open(source, limits)?;
    let mut verdict = case.head();
    verdict.verdict = case.each(|trial| trial, &mut |trial| verdict.trials.push(trial))?;
    Ok(verdict)
}

/// A package with its stage read and no trial judged yet.
pub struct Case<'a, S> {
    source: &'a S,
    limits: &'a Limits,
    stage: Option<StageRecord>,
    missing: Vec<String>,
}

impl<'a, S: Source> Case<'a, S> {
    /// Reads the stage's own record and compares it with the index.
    ///
    /// # Errors
    /// When bytes are not those that were sealed.
    pub fn open(source: &'a S, limits: &'a Limits) -> Result<Self, JudgeError> {
        let mut missing = Vec::new();
        let stage = stage(source, limits, &mut missing)?;
        if let Some(stage) = &stage {
            head(source, stage, &mut missing);
            unplanned(source, stage, &mut missing);
            if stage.trials.len() > limits.trials {
                let planned = stage.trials.len();
                missing.push(format!("over budget: {planned} trials, {} are judged at most", limits.trials));
            }
            if stage.trials.is_empty() {
                missing.push("stage.json: no trial is planned, so nothing was checked".to_owned());
            }
        }
        Ok(Self { source, limits, stage, missing })
    }

    /// The package's verdict without its trials, indeterminate until [`Case::each`] has said otherwise.
    #[must_use]
    pub fn head(&self) -> PackageVerdict {
        let stage = self.stage.as_ref().map_or(&self.source.index().name, |stage| &stage.stage);
        PackageVerdict {
            schema: SCHEMA.to_owned(),
            package: self.source.identity().to_string(),
            oracle: oracle_id(),
            stage: stage.clone(),
            verdict: Verdict::Indeterminate,
            trials: Vec::new(),
            missing: self.missing.clone(),
        }
    }

    /// Judges the trials on all cores. `make` turns each verdict, where it was given, into what `take` gets in the
    /// order of the stage. Gives the verdict on the package.
    ///
    /// # Errors
    /// When bytes are not those that were sealed; what `take` got then means nothing.
    pub fn each<T: Send>(
        &self,
        make: impl Fn(TrialVerdict) -> T + Sync,
        take: &mut dyn FnMut(T),
    ) -> Result<Verdict, JudgeError> {
        let lacking = (!self.missing.is_empty()).then_some(Verdict::Indeterminate);
        let mut joined = lacking;
        let Some(stage) = &self.stage else { return Ok(Verdict::join_all(joined)) };
        let planned: Vec<_> = stage.trials.iter().take(self.limits.trials).enumerate().collect();
        for batch in planned.chunks(BATCH) {
            let judged: Result<Vec<_>, JudgeError> = batch
                .par_iter()
                .map(|(index, id)| {
                    let trial = self.trial(Place { id, number: index + 1, stage: &stage.stage })?;
                    Ok((trial.verdict, make(trial)))
                })
                .collect();
            for (verdict, made) in judged? {
                joined = Some(joined.map_or(verdict, |joined| joined.join(verdict)));
                take(made);
            }
        }
        Ok(Verdict::join_all(joined))
    }

    fn trial(&self, place: Place<'_>) -> Result<TrialVerdict, JudgeError> {
        let path = trial_path(place.id);
        let sha256 = self.source.index().find(&path).map(|file| file.sha256.to_string()).unwrap_or_default();
        let artifact = Artifact { path: &path, sha256: &sha256 };
        let mut missing = Vec::new();
        match read(self.source, &path, self.limits.trial_bytes, &mut missing)? {
            Some(bytes) => Ok(judge_bytes(artifact, &bytes, place)),
            None => Ok(unread(artifact, place, &missing.concat())),
        }
    }
}

/// The stage's own record, or a line in `missing`.
fn stage(source: &impl Source, limits: &Limits, missing: &mut Vec<String>) -> Result<Option<StageRecord>, JudgeError> {
    const PATH: &str = "stage.json";
    let Some(bytes) = read(source, PATH, limits.stage_bytes, missing)? else { return Ok(None) };
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

/// A file's bytes within the budget.
fn read(source: &impl Source, path: &str, most: u64, missing: &mut Vec<String>) -> Result<Option<Vec<u8>>, JudgeError> {
    match source.index().find(path) {
        None => missing.push(format!("{path}: not in the package")),
        Some(file) if file.size > most => {
            missing.push(format!("{path}: over budget: {} bytes, {most} are read at most", file.size));
        }
        Some(_) => return Ok(Some(source.read(path)?)),
    }
    Ok(None)
}

fn head(source: &impl Source, stage: &StageRecord, missing: &mut Vec<String>) {
    let index = source.index();
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
fn unplanned(source: &impl Source, stage: &StageRecord, missing: &mut Vec<String>) {
    let planned: HashSet<String> = stage.trials.iter().map(|id| trial_path(id)).collect();
    for file in source.index().files.iter().filter(|file| file.path.starts_with("trials/")) {
        if !planned.contains(&file.path) {
            missing.push(format!("{}: not a trial that the stage planned", file.path));
        }
    }
}
