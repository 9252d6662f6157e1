//! A run judged again by today's oracle: old verdicts stay, new ones stand beside them.

use crate::exit::Failure;
use crate::run::RunFolder;
use evidence::verdict::PackageVerdict;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A package judged twice.
#[derive(Clone, Debug, PartialEq)]
pub struct Rejudged {
    /// Package name.
    pub package: String,
    /// The oracle's comparison: both oracles, both verdicts, every change.
    pub comparison: Value,
    /// File with the new verdict; absent if the oracle is the same.
    pub kept: Option<PathBuf>,
}

impl Rejudged {
    /// Whether both oracles say the same.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.comparison["changes"].as_array().is_some_and(Vec::is_empty)
    }

    /// For people.
    #[must_use]
    pub fn text(&self) -> String {
        let word = |key: &str| self.comparison[key].as_str().unwrap_or("?").to_owned();
        let source = |key: &str| {
            let full = self.comparison[key]["source_sha256"].as_str().unwrap_or("?");
            full.chars().take(12).collect::<String>()
        };
        let mut text = format!(
            "{}: {} by oracle {}, {} by oracle {}\n",
            self.package,
            word("old"),
            source("old_oracle"),
            word("new"),
            source("new_oracle")
        );
        for change in self.comparison["changes"].as_array().into_iter().flatten() {
            let of = |key: &str| change[key].as_str().unwrap_or_default();
            text.push_str(&format!("  {} {}: {} → {}\n", of("trial"), of("what"), of("old"), of("new")));
        }
        if let Some(kept) = &self.kept {
            text.push_str(&format!("  new verdict: {}\n", kept.display()));
        }
        text
    }
}

/// Judges every package of a run that has a verdict. Verdicts of another oracle are kept in
/// `rejudged/<first 12 digits of its sources>/<package>.json`.
///
/// # Errors
/// [`Failure::Usage`] if nothing was judged yet, [`Failure::Unverified`] if a package does not verify.
pub fn rejudge_run(folder: &RunFolder, oracle: &Path) -> Result<Vec<Rejudged>, Failure> {
    let verdicts = folder.path().join("verdicts");
    let entries = std::fs::read_dir(&verdicts).map_err(|e| Failure::io("list", &verdicts, &e))?;
    let mut files: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    files.sort();
    if files.is_empty() {
        return Err(Failure::Usage(format!("run {} has no verdict yet", folder.id())));
    }
    files.iter().map(|file| one(folder, oracle, file)).collect()
}

fn one(folder: &RunFolder, oracle: &Path, file: &Path) -> Result<Rejudged, Failure> {
    let package = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
    let temporary = tempfile::tempdir().map_err(|e| Failure::io("create a folder in", &std::env::temp_dir(), &e))?;
    let new = temporary.path().join("verdict.json");
    let output = Command::new(oracle)
        .args(["rejudge", "--json", "--out"])
        .arg(&new)
        .arg(file)
        .arg(folder.packages().join(&package))
        .env_clear()
        .stdin(Stdio::null())
        .output()
        .map_err(|e| Failure::io("start the oracle", oracle, &e))?;
    let said = || String::from_utf8_lossy(&output.stderr).trim().to_owned();
    match output.status.code() {
        Some(0 | 10 | 20) => {}
        Some(30 | 64) => return Err(Failure::Unverified(format!("package {package}: {}", said()))),
        _ => return Err(Failure::Internal(format!("the oracle ended with {}: {}", output.status, said()))),
    }
    let comparison: Value =
        serde_json::from_slice(&output.stdout).map_err(|e| Failure::Internal(format!("the oracle's answer: {e}")))?;
    let kept =
        if comparison["old_oracle"] == comparison["new_oracle"] { None } else { Some(keep(folder, &package, &new)?) };
    Ok(Rejudged { package, comparison, kept })
}

fn keep(folder: &RunFolder, package: &str, new: &Path) -> Result<PathBuf, Failure> {
    let bytes = std::fs::read(new).map_err(|e| Failure::io("read", new, &e))?;
    let verdict: PackageVerdict =
        serde_json::from_slice(&bytes).map_err(|e| Failure::Internal(format!("the oracle's answer: {e}")))?;
    let source: String = verdict.oracle.source_sha256.chars().take(12).collect();
    let name = format!("rejudged/{source}");
    let inner = folder.path().join(&name);
    std::fs::create_dir_all(&inner).map_err(|e| Failure::io("create folder", &inner, &e))?;
    folder.write(&format!("{name}/{package}.json"), &bytes)
}
