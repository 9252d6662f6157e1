//! A run's folder: `runs/<run-id>/` and what stands where in it.

use super::{Event, State};
use crate::exit::Failure;
use crate::plan::{Plan, names};
use std::fmt::Display;
use std::io::Write as _;
use std::path::{Path, PathBuf};

/// An existing run folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFolder {
    path: PathBuf,
}

impl RunFolder {
    /// Makes a new run's folder; refuses one that exists.
    ///
    /// # Errors
    /// [`Failure::Internal`] if the folder cannot be made.
    pub fn create(runs: &Path, run: &str) -> Result<Self, Failure> {
        std::fs::create_dir_all(runs).map_err(|e| Failure::io("create folder", runs, &e))?;
        let path = runs.join(run);
        std::fs::create_dir(&path).map_err(|e| Failure::io("create run folder", &path, &e))?;
        for inner in ["packages", "verdicts"] {
            let inner = path.join(inner);
            std::fs::create_dir(&inner).map_err(|e| Failure::io("create folder", &inner, &e))?;
        }
        Ok(Self { path })
    }

    /// The run's state, as its journal tells it.
    ///
    /// # Errors
    /// [`Failure::Unverified`] if the journal is damaged.
    pub fn state(&self) -> Result<State, Failure> {
        let unverified = |e: &dyn Display| Failure::Unverified(format!("{}: {e}", self.journal().display()));
        let journal = evidence::journal::read::<Event>(&self.journal()).map_err(|e| unverified(&e))?;
        State::fold(journal.entries.into_iter().map(|entry| entry.event)).map_err(|e| unverified(&e))
    }

    /// Opens a run by id or by path.
    ///
    /// # Errors
    /// [`Failure::Usage`] if there is no such run, naming the newest ones.
    pub fn open(runs: &Path, run: &str) -> Result<Self, Failure> {
        let candidates = [PathBuf::from(run), runs.join(run)];
        match candidates.into_iter().find(|path| path.join("journal.jsonl").is_file()) {
            Some(path) => Ok(Self { path }),
            None => Err(Failure::Usage(format!("no run `{run}` in {}{}", runs.display(), newest(runs)))),
        }
    }

    /// Every run in a folder, oldest first.
    ///
    /// # Errors
    /// [`Failure::Internal`] if the folder cannot be read; a missing folder has no runs.
    pub fn all(runs: &Path) -> Result<Vec<Self>, Failure> {
        let entries = match std::fs::read_dir(runs) {
            Ok(entries) => entries,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(e) => return Err(Failure::io("list", runs, &e)),
        };
        let mut folders = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|e| Failure::io("list", runs, &e))?;
            if entry.file_name().to_str().is_some_and(names::is_run_id) && entry.path().join("journal.jsonl").is_file()
            {
                folders.push(Self { path: entry.path() });
            }
        }
        folders.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(folders)
    }

    /// The folder.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The run's id.
    #[must_use]
    pub fn id(&self) -> &str {
        self.path.file_name().and_then(|n| n.to_str()).unwrap_or_default()
    }

    /// The command that takes the run up again.
    #[must_use]
    pub fn recovery(&self) -> String {
        match self.path.parent() {
            Some(parent) if parent != Path::new("runs") => format!("assay resume {} --yes", self.path.display()),
            _ => format!("assay resume {} --yes", self.id()),
        }
    }

    /// `journal.jsonl`.
    #[must_use]
    pub fn journal(&self) -> PathBuf {
        self.path.join("journal.jsonl")
    }

    /// `packages/`.
    #[must_use]
    pub fn packages(&self) -> PathBuf {
        self.path.join("packages")
    }

    /// `verdicts/<package>.json`.
    #[must_use]
    pub fn verdict(&self, package: &str) -> PathBuf {
        self.path.join("verdicts").join(format!("{package}.json"))
    }

    /// Replaces a file of the folder as a whole: temporary name, fsync, rename, fsync of the folder.
    ///
    /// # Errors
    /// [`Failure::Internal`] with the path and the system's reason.
    pub fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, Failure> {
        let path = self.path.join(name);
        let folder = path.parent().unwrap_or(&self.path).to_owned();
        let attempt = || -> std::io::Result<()> {
            let mut file = tempfile::NamedTempFile::new_in(&folder)?;
            file.write_all(bytes)?;
            file.as_file().sync_all()?;
            file.persist(&path).map_err(|e| e.error)?;
            std::fs::File::open(&folder)?.sync_all()
        };
        attempt().map_err(|e| Failure::io("write", &path, &e))?;
        Ok(path)
    }

    /// The run's plan.
    ///
    /// # Errors
    /// [`Failure::Unverified`] if it cannot be read as a plan.
    pub fn plan(&self) -> Result<Plan, Failure> {
        let path = self.path.join("plan.json");
        let bytes = std::fs::read(&path).map_err(|e| Failure::io("read", &path, &e))?;
        serde_json::from_slice(&bytes).map_err(|e| Failure::Unverified(format!("{}: not a plan: {e}", path.display())))
    }
}

fn newest(runs: &Path) -> String {
    let all = RunFolder::all(runs).unwrap_or_default();
    let names: Vec<_> = all.iter().rev().take(3).map(RunFolder::id).collect();
    if names.is_empty() {
        return "; `assay rehearse` makes one, --runs names another folder".to_owned();
    }
    format!("; newest: {}", names.join(", "))
}
