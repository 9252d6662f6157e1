//! Publication of a run: a redacted, deterministic copy that anyone can check.

mod rejudge;
mod reseal;
mod select;
mod sensitive;

pub use rejudge::{Rejudged, rejudge_run};
pub use reseal::{Differing, rejudge_copy};

use crate::exit::Failure;
use crate::run::RunFolder;
use evidence::publish::{Publication, PublishError};
use evidence::verify::{Options, Report};
use std::path::Path;

/// Publishes an ended run as the archive `out`.
///
/// # Errors
/// [`Failure::Usage`] for a run that has not ended, [`Failure::Unverified`] if run or archive do not verify,
/// [`Failure::Refused`] if something sensitive would be published; no archive is left behind then.
pub fn publish(folder: &RunFolder, out: &Path) -> Result<(Publication, Report), Failure> {
    let state = folder.state()?;
    if state.ended.is_none() {
        let id = folder.id();
        return Err(Failure::Usage(format!("run {id} has not ended; end it first: assay resume {id}")));
    }
    verified(folder.path(), "the run does not verify and is not published")?;
    let files = select::files(folder)?;
    let sensitive = sensitive::of(&state, &folder.plan()?);
    let publication = evidence::publish::publish(folder.path(), &files, &sensitive, out).map_err(refused)?;
    match verified(out, "the archive does not verify and was removed") {
        Ok(report) => Ok((publication, report)),
        Err(failure) => {
            // The finding is what matters; a file that cannot be removed is said to be there by the caller's listing.
            let _ = std::fs::remove_file(out);
            Err(failure)
        }
    }
}

fn verified(path: &Path, otherwise: &str) -> Result<Report, Failure> {
    let report = evidence::verify::verify(&[path], &Options::default());
    if report.valid {
        Ok(report)
    } else {
        Err(Failure::Unverified(format!("{otherwise}\n{}", report.to_string().trim_end())))
    }
}

fn refused(error: PublishError) -> Failure {
    match error {
        PublishError::Io { .. } | PublishError::Canonical(_) => Failure::Internal(error.to_string()),
        PublishError::Findings(findings) => {
            let lines: Vec<_> =
                findings.iter().map(|f| format!("  {:?} in {} line {}", f.kind, f.path, f.line)).collect();
            Failure::Refused(format!("not published, the redacted copy still holds:\n{}", lines.join("\n")))
        }
        PublishError::Refused { .. } | PublishError::Binary(_) => Failure::Refused(error.to_string()),
    }
}
