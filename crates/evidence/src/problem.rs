//! What can be wrong with evidence. Verification collects all of it and stops at none.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The class of a problem; `kind` in reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// There is nothing to verify, which is not the same as valid.
    NothingToVerify,
    /// Could not be read.
    Unreadable,
    /// No `index.json`.
    IndexMissing,
    /// `index.json` is not an index.
    IndexMalformed,
    /// `index.json` is not in canonical form, or its files are not sorted.
    IndexNotCanonical,
    /// Written in a format older than this program reads.
    TooOld,
    /// Written in a format newer than this program reads.
    TooNew,
    /// A name that could lead out of the folder or means different files on different systems.
    UnsafeName,
    /// Two names differ only in case or normalisation, or a name is there twice.
    NameCollision,
    /// Listed, but not there.
    Missing,
    /// There, but not listed.
    Unexpected,
    /// Symbolic link.
    Symlink,
    /// A second name of the same file may exist elsewhere.
    HardLink,
    /// Socket, device, pipe, or a folder where a file belongs.
    SpecialFile,
    /// Other size than listed.
    SizeDiffers,
    /// Same size, other bytes.
    DigestDiffers,
    /// The package names another run or another name than where it stands.
    Misplaced,
    /// The predecessors are not exactly the packages sealed before.
    ChainBroken,
    /// The journal's lines do not follow from each other.
    JournalBroken,
    /// The chain's root is not the expected one.
    RootDiffers,
    /// The archive cannot be decoded.
    ArchiveMalformed,
    /// A limit on size, number or ratio was reached; what lies beyond was not read.
    LimitReached,
    /// The redaction manifest is missing, malformed or contradicts itself.
    ManifestInvalid,
    /// A verdict or a result rests on something that is not there, or says something else than what it rests on.
    CitationBroken,
    /// Two records of a run say different things of the same matter.
    RecordsDisagree,
    /// A third party's timestamp does not verify, or says another time than the run does.
    TimestampInvalid,
}

impl Kind {
    /// Whether it was found in the bytes of one place alone, and not by holding places against each other. Such problems
    /// cause those of the other kinds.
    #[must_use]
    pub fn is_of_bytes(self) -> bool {
        !matches!(
            self,
            Self::Misplaced
                | Self::ChainBroken
                | Self::RootDiffers
                | Self::CitationBroken
                | Self::RecordsDisagree
                | Self::TimestampInvalid
        )
    }
}

/// One thing that is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Problem {
    /// Class.
    pub kind: Kind,
    /// Path in the run, package or archive; empty for the whole.
    pub path: String,
    /// One sentence for people.
    pub message: String,
    /// Path of what this problem is about, if it is said of one file and caused by another: a citation that no longer
    /// holds, a verdict on a package that is gone. Only for putting causes first; not part of reports for programs.
    #[serde(skip)]
    pub about: Option<String>,
}

impl Problem {
    /// A problem at `path`.
    pub fn new(kind: Kind, path: impl Into<String>, message: impl Into<String>) -> Self {
        Self { kind, path: path.into(), message: message.into(), about: None }
    }

    /// The same problem, said to be about another path.
    #[must_use]
    pub fn about(mut self, path: impl Into<String>) -> Self {
        self.about = Some(path.into());
        self
    }

    /// The same problem, seen from the folder above.
    #[must_use]
    pub fn below(mut self, folder: &str) -> Self {
        self.path = match self.path.as_str() {
            "" => folder.to_owned(),
            path => format!("{folder}/{path}"),
        };
        self
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.path.as_str() {
            "" => f.write_str(&self.message),
            path => write!(f, "{}: {}", path.escape_debug(), self.message),
        }
    }
}
