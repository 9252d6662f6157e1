//! The three commands.

use super::{USAGE, output};
use evidence::canonical::{self, CanonicalError};
use evidence::package::{PackageError, Sealed};
use evidence::verdict::{PackageVerdict, Verdict};
use oracle::package::JudgeError;
use oracle::{Limits, explain, package, rejudge};
use std::io;
use std::path::Path;
use std::process::ExitCode;

/// Largest verdict file read, bytes.
const VERDICT_BYTES: u64 = 1 << 30;

/// Why a command ended without a verdict.
#[derive(Debug, thiserror::Error)]
pub(super) enum CommandError {
    #[error("the package does not verify: {0}")]
    Unverified(PackageError),
    #[error("{0}")]
    Usage(String),
    #[error("cannot write {path}: {source}")]
    Write { path: String, source: io::Error },
    #[error(transparent)]
    Canonical(#[from] CanonicalError),
}

impl CommandError {
    pub(super) fn code(&self) -> u8 {
        match self {
            Self::Unverified(_) => 30,
            Self::Usage(_) => USAGE,
            Self::Write { .. } | Self::Canonical(_) => 70,
        }
    }
}

impl From<JudgeError> for CommandError {
    fn from(error: JudgeError) -> Self {
        match error {
            JudgeError::Package(error) => Self::Unverified(error),
        }
    }
}

/// `oracle judge`.
pub(super) fn judge(folder: &Path, out: Option<&Path>, json: bool) -> Result<ExitCode, CommandError> {
    let verdict = verdict(folder)?;
    let bytes = file(&verdict)?;
    if let Some(out) = out {
        output::keep(out, &bytes)?;
    }
    if json {
        output::print(&bytes)?;
    } else {
        output::print(output::summary(&verdict).as_bytes())?;
    }
    Ok(code(verdict.verdict))
}

/// `oracle explain`; its exit code is the trial's.
pub(super) fn explain(folder: &Path, wanted: &str) -> Result<ExitCode, CommandError> {
    let sealed = open(folder)?;
    let verdict = package::judge(&sealed, &Limits::default())?;
    let Some(trial) = verdict.trials.iter().find(|trial| trial.trial == wanted || trial.number.to_string() == wanted)
    else {
        let known: Vec<_> = verdict.trials.iter().map(|trial| format!("{} ({})", trial.number, trial.trial)).collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        return Err(CommandError::Usage(format!("no trial {wanted:?} in this package; it has: {known}")));
    };
    let evidence = sealed.read(&package::trial_path(&trial.trial)).ok();
    let evidence = evidence.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    output::print(explain::explain(trial, evidence.as_ref()).as_bytes())?;
    Ok(code(trial.verdict))
}

/// `oracle rejudge`; its exit code is the new verdict's.
pub(super) fn rejudge(old: &Path, folder: &Path, out: Option<&Path>, json: bool) -> Result<ExitCode, CommandError> {
    let old = read_verdict(old)?;
    let new = verdict(folder)?;
    let comparison = rejudge::compare(&old, &new).map_err(|error| CommandError::Usage(error.to_string()))?;
    if let Some(out) = out {
        output::keep(out, &file(&new)?)?;
    }
    if json {
        output::print(&line(canonical::to_vec(&comparison)?))?;
    } else {
        output::print(output::comparison(&comparison).as_bytes())?;
    }
    Ok(code(new.verdict))
}

fn verdict(folder: &Path) -> Result<PackageVerdict, CommandError> {
    Ok(package::judge(&open(folder)?, &Limits::default())?)
}

fn open(folder: &Path) -> Result<Sealed, CommandError> {
    Sealed::open(folder).map_err(CommandError::Unverified)
}

fn read_verdict(path: &Path) -> Result<PackageVerdict, CommandError> {
    let unusable = |why: String| CommandError::Usage(format!("{}: {why}", path.display()));
    let size = std::fs::metadata(path).map_err(|error| unusable(error.to_string()))?.len();
    if size > VERDICT_BYTES {
        return Err(unusable(format!("{size} bytes are more than a verdict file has")));
    }
    let bytes = std::fs::read(path).map_err(|error| unusable(error.to_string()))?;
    serde_json::from_slice(&bytes).map_err(|error| unusable(format!("not a verdict file: {error}")))
}

/// The verdict file: canonical JSON and a newline. Members stand in canonical order here, and trials become bytes one
/// by one: canonicalising the whole would first build a tree of it, many times the size of 10,000 trials.
fn file(verdict: &PackageVerdict) -> Result<Vec<u8>, CommandError> {
    let PackageVerdict { schema, package, oracle, stage, verdict, trials, missing } = verdict;
    let mut bytes = b"{".to_vec();
    if !missing.is_empty() {
        member(&mut bytes, "missing", missing)?;
    }
    member(&mut bytes, "oracle", oracle)?;
    member(&mut bytes, "package", package)?;
    member(&mut bytes, "schema", schema)?;
    member(&mut bytes, "stage", stage)?;
    bytes.extend_from_slice(b"\"trials\":[");
    for (index, trial) in trials.iter().enumerate() {
        if index > 0 {
            bytes.push(b',');
        }
        bytes.extend_from_slice(&canonical::to_vec(trial)?);
    }
    bytes.extend_from_slice(b"],");
    member(&mut bytes, "verdict", verdict)?;
    bytes.pop();
    bytes.push(b'}');
    Ok(line(bytes))
}

/// `"name":value,`
fn member(bytes: &mut Vec<u8>, name: &str, value: &impl serde::Serialize) -> Result<(), CommandError> {
    bytes.extend_from_slice(format!("\"{name}\":").as_bytes());
    bytes.extend_from_slice(&canonical::to_vec(value)?);
    bytes.push(b',');
    Ok(())
}

fn line(mut bytes: Vec<u8>) -> Vec<u8> {
    bytes.push(b'\n');
    bytes
}

fn code(verdict: Verdict) -> ExitCode {
    ExitCode::from(match verdict {
        Verdict::Pass => 0,
        Verdict::Fail => 10,
        Verdict::Indeterminate => 20,
    })
}
