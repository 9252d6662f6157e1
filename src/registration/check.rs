//! A registration against what is about to run, before the first deploy.

use super::model::{OracleDigests, REGISTRATION, Registration};
use super::timestamp;
use crate::exit::Failure;
use crate::judge::Registered;
use crate::plan::Plan;
use crate::run::{RunFolder, now_ms};
use evidence::package::Sealed;
use std::path::{Path, PathBuf};

/// Name of the file with [`Registered`] in a run's `registration` folder.
const ADOPTED: &str = "adopted.json";

/// A registration that a run takes over.
#[derive(Clone, Debug, PartialEq)]
pub struct Adopted {
    /// Folder of the registration.
    pub folder: PathBuf,
    /// What the run's first package says of it.
    pub registered: Registered,
    /// Deviation to be journaled.
    pub deviation: Option<String>,
}

/// Compares plan and oracle with the registration in `folder`.
///
/// # Errors
/// [`Failure::Unverified`] if package or token do not verify; [`Failure::Refused`] for any difference without a
/// declared deviation.
pub fn adopt(folder: &Path, plan: &Plan, oracle: &Path, deviation: Option<&str>) -> Result<Adopted, Failure> {
    let sealed = Sealed::open(&folder.join(REGISTRATION)).map_err(|e| Failure::Unverified(e.to_string()))?;
    let bytes = sealed.read("registration.json").map_err(|e| Failure::Unverified(e.to_string()))?;
    let registration: Registration = serde_json::from_slice(&bytes)
        .map_err(|e| Failure::Unverified(format!("{}: not a registration: {e}", folder.display())))?;
    let third_party_ms = timestamp::verified(sealed.identity(), folder)?;
    let differences = registration.differences(&Registration::of(plan, OracleDigests::of(oracle)?, now_ms())?);
    let deviation = match (differences.is_empty(), deviation) {
        (true, None) => None,
        (true, Some(reason)) => Some(reason.to_owned()),
        (false, Some(reason)) => Some(format!("{reason} ({})", differences.join("; "))),
        (false, None) => {
            return Err(Failure::Refused(format!(
                "this is not what was registered in {}:\n  {}\nnothing was deployed; run what was registered, or say why not: --deviation REASON",
                folder.display(),
                differences.join("\n  ")
            )));
        }
    };
    let registered = Registered {
        identity: *sealed.identity(),
        sealed_at_ms: registration.sealed_at_ms,
        third_party_ms,
        oracle_source_sha256: registration.oracle.source_sha256,
        differences,
    };
    Ok(Adopted { folder: folder.to_owned(), registered, deviation })
}

/// Copies the registration into the run's folder.
///
/// # Errors
/// [`Failure::Internal`] if files cannot be copied.
pub fn keep(run: &RunFolder, adopted: &Adopted) -> Result<(), Failure> {
    let to = run.path().join(REGISTRATION);
    copy(&adopted.folder.join(REGISTRATION), &to.join(REGISTRATION))?;
    for entry in list(&adopted.folder)?.into_iter().filter(|path| path.is_file()) {
        let name = entry.file_name().unwrap_or_default().to_owned();
        if ["timestamp.tsq", "timestamp.tsr", "tsa-ca.pem"].iter().any(|known| name == *known) {
            std::fs::copy(&entry, to.join(name)).map_err(|e| Failure::io("copy", &entry, &e))?;
        }
    }
    let line = evidence::canonical::to_line(&adopted.registered).map_err(|e| Failure::Internal(e.to_string()))?;
    run.write(&format!("{REGISTRATION}/{ADOPTED}"), &line).map(drop)
}

fn copy(from: &Path, to: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(to).map_err(|e| Failure::io("create folder", to, &e))?;
    for entry in list(from)? {
        let target = to.join(entry.file_name().unwrap_or_default());
        if entry.is_dir() {
            copy(&entry, &target)?;
        } else {
            std::fs::copy(&entry, &target).map_err(|e| Failure::io("copy", &entry, &e))?;
        }
    }
    Ok(())
}

fn list(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let entries = std::fs::read_dir(folder).map_err(|e| Failure::io("list", folder, &e))?;
    entries.map(|entry| entry.map(|e| e.path()).map_err(|e| Failure::io("list", folder, &e))).collect()
}

/// What a run knows of its registration, if it has one; the copy in its folder is verified again.
///
/// # Errors
/// [`Failure::Unverified`] if the copy is not what the run was started with.
pub fn of_run(run: &RunFolder) -> Result<Option<Registered>, Failure> {
    let path = run.path().join(REGISTRATION).join(ADOPTED);
    let bytes = match std::fs::read(&path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(Failure::io("read", &path, &e)),
    };
    let registered: Registered =
        serde_json::from_slice(&bytes).map_err(|e| Failure::Unverified(format!("{}: {e}", path.display())))?;
    let package = run.path().join(REGISTRATION).join(REGISTRATION);
    let sealed = Sealed::open(&package).map_err(|e| Failure::Unverified(e.to_string()))?;
    if *sealed.identity() == registered.identity {
        return Ok(Some(registered));
    }
    Err(Failure::Unverified(format!("{} is not the registration that the run was started with", package.display())))
}
