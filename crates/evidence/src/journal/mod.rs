//! The run's journal: append only, one canonical JSON object a line, each line naming the hash of the line before.
//!
//! `journal.head` beside it says how far the journal has come, so that a lost last line is noticed. An event counts
//! once [`Writer::append`] has returned; a line cut short by a crash never did.

mod reader;
mod redacted;
mod writer;

pub(crate) use reader::{Fault, check};
pub use reader::{Journal, read};
pub(crate) use redacted::check as check_published;
pub use writer::Writer;

use crate::{canonical::CanonicalError, digest::Digest};
use serde::{Deserialize, Serialize};
use std::{
    io,
    path::{Path, PathBuf},
};

/// Longest line, bytes, without newline.
pub const MAX_LINE: usize = 16 * 1024 * 1024;

/// One line of the journal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Entry<E> {
    /// From 1, without gaps.
    pub seq: u64,
    /// Writer's clock, milliseconds since the Unix epoch, UTC.
    pub at_ms: i64,
    /// SHA-256 of the line before, without its newline; [`Digest::ZERO`] for the first.
    pub prev: Digest,
    /// What happened.
    pub event: E,
}

/// Contents of `journal.head`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Head {
    /// Number of the last line written; 0 for none.
    pub seq: u64,
    /// SHA-256 of that line without newline; [`Digest::ZERO`] for none.
    pub hash: Digest,
}

impl Head {
    /// Head of an empty journal.
    pub const EMPTY: Self = Self { seq: 0, hash: Digest::ZERO };
}

/// Why a journal cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file system refused.
    #[error("cannot {action} {path}: {source}")]
    Io {
        /// What was attempted.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// A journal is there already.
    #[error("journal {0} exists already; resume it instead")]
    Exists(PathBuf),
    /// Another process writes to this journal.
    #[error("journal {0} is in use by another process; wait for it or stop it")]
    InUse(PathBuf),
    /// The lines do not follow from each other: the journal was edited or damaged.
    #[error("journal {path} line {line} is broken: {reason}; it was edited or damaged, and nothing may build on it")]
    Broken {
        /// File.
        path: PathBuf,
        /// From 1; 0 for the head.
        line: u64,
        /// What does not fit.
        reason: String,
    },
    /// The chain is sound, but an event is not one this program knows.
    #[error("journal line {line} holds an event this program does not know: {source}")]
    Event {
        /// From 1.
        line: u64,
        /// From the event's type.
        source: serde_json::Error,
    },
    /// The event has no canonical form.
    #[error(transparent)]
    Canonical(#[from] CanonicalError),
    /// An earlier append failed halfway; the journal has to be resumed.
    #[error("an earlier write to the journal failed; resume it to go on")]
    Poisoned,
}

impl JournalError {
    fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
    }
}

/// Path of the head that belongs to the journal at `path`.
#[must_use]
pub fn head_path(path: &Path) -> PathBuf {
    path.with_extension("head")
}
