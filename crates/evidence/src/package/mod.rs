//! Evidence packages: a [`Draft`] is written, sealed by one rename, and from then on only read as [`Sealed`].
//!
//! The format is described in `FORMAT.md`.

mod check;
mod draft;
mod index;
mod listing;
mod sealed;

pub(crate) use check::{Checked, check_folder};
pub use draft::{Draft, draft_name};
pub(crate) use index::MAX_INDEX;
pub use index::{FileEntry, INDEX, Index, READABLE};
pub use listing::Listing;
pub use sealed::Sealed;

use crate::{canonical::CanonicalError, name::NameError, problem::Problem};
use std::{io, path::PathBuf};

/// Why a package could not be written, sealed or opened.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// A file, package or run name that is not safe everywhere.
    #[error("refused: {0}")]
    Name(#[from] NameError),
    /// Symbolic link, hard link or special file where a plain file belongs.
    #[error("refused {path}: {what}")]
    Refused {
        /// Where.
        path: String,
        /// What was found there.
        what: String,
    },
    /// A package of this name exists; sealed evidence is never replaced.
    #[error("package {0} is sealed already; sealed evidence is never replaced")]
    AlreadySealed(PathBuf),
    /// A draft of an interrupted freeze is in the way.
    #[error("draft {0} is left over from an interrupted freeze; look at it, then discard it")]
    LeftoverDraft(PathBuf),
    /// The draft's folder no longer holds exactly what was written.
    #[error("draft changed behind the writer's back, not sealed: {}", list(.0))]
    DraftChanged(Vec<Problem>),
    /// A predecessor is named twice.
    #[error("predecessor {0} is named twice")]
    RepeatedPredecessor(crate::digest::Digest),
    /// The value has no canonical JSON form.
    #[error(transparent)]
    Canonical(#[from] CanonicalError),
    /// The file system refused.
    #[error("cannot {action} {path}: {}", explain(.source))]
    Io {
        /// What was attempted.
        action: &'static str,
        /// On what.
        path: String,
        /// The system's answer.
        source: io::Error,
    },
    /// The package does not verify.
    #[error("package {path} does not verify: {}", list(.problems))]
    Invalid {
        /// Folder.
        path: PathBuf,
        /// Everything that is wrong.
        problems: Vec<Problem>,
    },
    /// The package holds no such file.
    #[error("package has no file {0:?}")]
    NoSuchFile(String),
}

impl PackageError {
    fn io(action: &'static str, path: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }
}

fn list(problems: &[Problem]) -> String {
    const SHOWN: usize = 3;
    let mut text = problems.iter().take(SHOWN).map(ToString::to_string).collect::<Vec<_>>().join("; ");
    if problems.len() > SHOWN {
        text.push_str(&format!("; and {} more", problems.len() - SHOWN));
    }
    text
}

fn explain(error: &io::Error) -> String {
    let help = match error.kind() {
        io::ErrorKind::StorageFull => "; nothing was sealed: free some space and run again",
        io::ErrorKind::QuotaExceeded => "; nothing was sealed: the quota is used up",
        io::ErrorKind::ReadOnlyFilesystem => "; nothing was sealed: the file system is mounted read-only",
        io::ErrorKind::PermissionDenied => "; nothing was sealed: check the folder's owner and mode",
        _ => "",
    };
    format!("{error}{help}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn full_and_read_only_disks_are_explained() {
        for (errno, words) in [(rustix::io::Errno::NOSPC, "free some space"), (rustix::io::Errno::ROFS, "read-only")] {
            let error = PackageError::io("write", "a.json")(errno.into());
            let text = error.to_string();
            assert!(text.starts_with("cannot write a.json: ") && text.contains(words), "{text}");
            assert!(text.contains("nothing was sealed"), "{text}");
        }
    }

    #[test]
    fn long_problem_lists_are_cut_in_messages_only() {
        let problems = vec![Problem::new(crate::problem::Kind::Missing, "a", "gone"); 5];
        assert_eq!(list(&problems), "a: gone; a: gone; a: gone; and 2 more");
    }
}
