//! `anchors.json` in the closing package: what was made outside the packages is fixed inside one.
//!
//! Verdicts are written after the packages that they judge, and the journal goes on to the end. Their digests in the
//! last package of the run let the chain's root vouch for them too.

use crate::{
    digest::Digest,
    journal::Head,
    version::{Readable, check_readable_by},
};
use serde::{Deserialize, Serialize};

/// Versions of the format this code reads.
pub const READABLE: Readable = Readable { family: "assay.anchors", oldest: 1, newest: 1 };
/// Name of the file in its package.
pub const FILE: &str = "anchors.json";
/// Its path in a run.
pub const PATH: &str = "packages/closing/anchors.json";

/// Contents of `anchors.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Anchors {
    /// Every verdict file, sorted by path.
    pub files: Vec<Anchor>,
    /// The journal's last line when the package was sealed.
    pub journal: Head,
    /// `assay.anchors/1`.
    pub schema: String,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Anchor {
    /// Relative to the run's folder.
    pub path: String,
    /// Of its bytes.
    pub sha256: Digest,
}

impl Anchors {
    /// Anchors in the current version; `files` in any order.
    #[must_use]
    pub fn new(mut files: Vec<Anchor>, journal: Head) -> Self {
        files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Self { files, journal, schema: READABLE.current() }
    }

    /// Reads the file strictly.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let anchors: Self = serde_json::from_slice(bytes).map_err(|error| format!("not anchors: {error}"))?;
        check_readable_by(&anchors.schema, &READABLE).map_err(|error| error.to_string())?;
        let sorted = anchors.files.is_sorted_by(|a, b| a.path < b.path);
        if sorted { Ok(anchors) } else { Err("files are not sorted by path, or one is there twice".to_owned()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonical;

    #[test]
    fn reads_what_was_written_and_nothing_else() {
        let anchor = |path: &str| Anchor { path: path.to_owned(), sha256: Digest::of(path.as_bytes()) };
        let mut anchors = Anchors::new(vec![anchor("b"), anchor("a")], Head::EMPTY);
        assert_eq!(Anchors::parse(&canonical::to_line(&anchors).unwrap()).unwrap(), anchors);
        anchors.files.reverse();
        assert!(Anchors::parse(&canonical::to_line(&anchors).unwrap()).unwrap_err().contains("not sorted"));
        assert!(Anchors::parse(b"{}").is_err());
    }
}
