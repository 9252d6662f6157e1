//! The three commands.

use super::{USAGE, output};
use evidence::canonical::{self, CanonicalError};
use evidence::package::{Listing, PackageError, Sealed};
use evidence::verdict::{PackageVerdict, TrialVerdict, Verdict};
use oracle::file::VerdictFile;
use oracle::package::{Case, JudgeError};
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
    let wanted = Wanted { file: json || out.is_some(), lines: !json };
    let judged = verify_and_judge(folder, &wanted)?;
    if let Some(out) = out {
        output::keep(out, &judged.file)?;
    }
    output::print(if json { &judged.file } else { judged.text.as_bytes() })?;
    Ok(code(judged.verdict))
}

/// What of a judgement is made.
struct Wanted {
    file: bool,
    lines: bool,
}

/// A judgement in the forms that were wanted.
struct Judged {
    verdict: Verdict,
    file: Vec<u8>,
    text: String,
}

/// Judges a package while it is verified: each file is read once. Nothing is given out before all of it is verified.
fn verify_and_judge(folder: &Path, wanted: &Wanted) -> Result<Judged, CommandError> {
    let listing = Listing::open(folder).map_err(CommandError::Unverified)?;
    let judged = match listed(&listing, wanted) {
        Ok(judged) => judged,
        // The first file that differs; whoever reads the message wants all that is wrong.
        Err(CommandError::Unverified(first)) => {
            return Err(CommandError::Unverified(Sealed::open(folder).err().unwrap_or(first)));
        }
        Err(other) => return Err(other),
    };
    listing.finish().map_err(CommandError::Unverified)?;
    Ok(judged)
}

fn listed(listing: &Listing, wanted: &Wanted) -> Result<Judged, CommandError> {
    let limits = Limits::default();
    let case = Case::open(listing, &limits)?;
    let mut head = case.head();
    let mut file = VerdictFile::begin(&head)?;
    let (mut lines, mut failed) = (String::new(), None);
    let make = |trial: TrialVerdict| {
        let bytes = if wanted.file { VerdictFile::trial(&trial) } else { Ok(Vec::new()) };
        (bytes, if wanted.lines { output::trial(&trial) } else { String::new() })
    };
    head.verdict = case.each(make, &mut |(bytes, text)| {
        lines.push_str(&text);
        match bytes {
            Ok(bytes) => file.push(&bytes),
            Err(error) => failed = Some(error),
        }
    })?;
    match failed {
        Some(error) => Err(error.into()),
        None => Ok(Judged { verdict: head.verdict, file: file.end(head.verdict)?, text: output::head(&head) + &lines }),
    }
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
        output::keep(out, &canonical::to_line(&new)?)?;
    }
    if json {
        output::print(&canonical::to_line(&comparison)?)?;
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

fn code(verdict: Verdict) -> ExitCode {
    ExitCode::from(match verdict {
        Verdict::Pass => 0,
        Verdict::Fail => 10,
        Verdict::Indeterminate => 20,
    })
}
