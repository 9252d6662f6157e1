//! The oracle on a redacted copy: the copy's packages are sealed anew in a temporary folder and judged there, and the
//! verdicts are compared with the published ones.

use crate::exit::Failure;
use evidence::archive::{self, Limits};
use evidence::package::{Draft, INDEX, Index, PackageError};
use evidence::verdict::PackageVerdict;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A package whose redacted copy is judged otherwise than the original was.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differing {
    /// Package name.
    pub package: String,
    /// Trials whose verdict differs; empty if the package's own does.
    pub trials: Vec<String>,
}

/// Judges every package of a published copy (archive or unpacked) that has a verdict. Gives the number of packages
/// judged and those that differ. Identities and digests are those of the copy and are not compared.
///
/// # Errors
/// [`Failure::Unverified`] if the copy does not verify, [`Failure::Internal`] if files or the oracle fail.
pub fn rejudge_copy(copy: &Path, oracle: &Path) -> Result<(usize, Vec<Differing>), Failure> {
    super::verified(copy, "the published copy does not verify")?;
    let temporary = tempfile::tempdir().map_err(|e| Failure::io("create a folder in", &std::env::temp_dir(), &e))?;
    let unpacked = if copy.is_dir() { copy.to_owned() } else { unpack(copy, &temporary.path().join("unpacked"))? };
    let verdicts = unpacked.join("verdicts");
    let mut names: Vec<PathBuf> = match fs::read_dir(&verdicts) {
        Ok(entries) => entries.filter_map(|entry| Some(entry.ok()?.path())).collect(),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Vec::new(),
        Err(e) => return Err(Failure::io("list", &verdicts, &e)),
    };
    names.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    names.sort();
    let mut differing = Vec::new();
    for path in &names {
        let old = verdict(&fs::read(path).map_err(|e| Failure::io("read", path, &e))?)?;
        let sealed = reseal(&unpacked.join("packages").join(&old.stage), temporary.path())
            .map_err(|e| Failure::Internal(format!("cannot seal the copy of {} again: {e}", old.stage)))?;
        differing.extend(compare(&old, &judge(oracle, &sealed)?));
    }
    Ok((names.len(), differing))
}

fn unpack(archive: &Path, to: &Path) -> Result<PathBuf, Failure> {
    let file = fs::File::open(archive).map_err(|e| Failure::io("open", archive, &e))?;
    // The reader has checked every path before it shows the file.
    let mut write = |path: &str, _: u64, content: &mut dyn Read| -> io::Result<()> {
        let path = to.join(path);
        fs::create_dir_all(path.parent().unwrap_or(to))?;
        io::copy(content, &mut fs::File::create(path)?).map(drop)
    };
    match archive::read(file, &Limits::default(), &mut write).first() {
        Some(problem) => Err(Failure::Unverified(problem.to_string())),
        None => Ok(to.to_owned()),
    }
}

fn reseal(package: &Path, parent: &Path) -> Result<PathBuf, PackageError> {
    let io = |action: &'static str, path: &Path, source: io::Error| PackageError::Io {
        action,
        path: path.display().to_string(),
        source,
    };
    let at = package.join(INDEX);
    let bytes = fs::read(&at).map_err(|e| io("read", &at, e))?;
    let index =
        Index::parse(&bytes).map_err(|problems| PackageError::Invalid { path: package.to_owned(), problems })?;
    let mut draft = Draft::create(parent, &index.name, &index.run, &index.predecessors)?;
    for file in &index.files {
        draft.copy_file(&file.path, &package.join(&file.path))?;
    }
    Ok(draft.seal()?.path().to_owned())
}

fn judge(oracle: &Path, package: &Path) -> Result<PackageVerdict, Failure> {
    let output = Command::new(oracle).args(["judge", "--json"]).arg(package).env_clear().stdin(Stdio::null()).output();
    let output = output.map_err(|e| Failure::io("start the oracle", oracle, &e))?;
    match output.status.code() {
        Some(0 | 10 | 20) => verdict(&output.stdout),
        _ => Err(Failure::Internal(format!(
            "the oracle ended with {}: {}",
            output.status,
            String::from_utf8_lossy(&output.stderr).trim()
        ))),
    }
}

fn verdict(bytes: &[u8]) -> Result<PackageVerdict, Failure> {
    serde_json::from_slice(bytes).map_err(|e| Failure::Unverified(format!("not a verdict: {e}")))
}

fn compare(old: &PackageVerdict, new: &PackageVerdict) -> Option<Differing> {
    let blank = |verdict: &PackageVerdict| {
        let mut verdict = verdict.clone();
        verdict.package.clear();
        let rules = verdict.trials.iter_mut().flat_map(|trial| &mut trial.rules);
        rules.flat_map(|rule| &mut rule.decisive).for_each(|cite| cite.sha256.clear());
        verdict
    };
    let (old, new) = (blank(old), blank(new));
    if old == new {
        return None;
    }
    let changed = old.trials.iter().filter(|trial| !new.trials.contains(trial));
    Some(Differing { package: old.stage.clone(), trials: changed.map(|trial| trial.trial.clone()).collect() })
}
