//! Which files of a run are published.

use crate::exit::Failure;
use crate::run::RunFolder;

/// Folders that are published whole.
const FOLDERS: [&str; 4] = ["packages", "verdicts", "rejudged", "registration"];
/// Files that are published. Everything else is left out: the artifact and the other inputs (their digests and, but
/// for the artifact, their bytes are sealed), the lock, and the working files, which the packages replace.
const FILES: [&str; 7] =
    ["journal.jsonl", "journal.head", "plan.json", "results.json", "close-out.md", "report.md", "report.html"];

/// Paths to publish, relative to the run's folder.
pub(super) fn files(folder: &RunFolder) -> Result<Vec<String>, Failure> {
    let all = evidence::publish::list_files(folder.path()).map_err(super::refused)?;
    Ok(all.into_iter().filter(|path| published(path)).collect())
}

fn published(path: &str) -> bool {
    match path.split_once('/') {
        Some((folder, _)) => FOLDERS.contains(&folder),
        None => FILES.contains(&path),
    }
}

#[cfg(test)]
mod tests {
    use super::published;

    #[test]
    fn inputs_lock_and_working_files_stay() {
        for path in ["inputs/bootstrap.zip", "lock", "working/canonical-1.json", "results.json.bak"] {
            assert!(!published(path), "{path}");
        }
        for path in ["packages/canonical/index.json", "verdicts/canonical.json", "close-out.md", "journal.jsonl"] {
            assert!(published(path), "{path}");
        }
    }
}
