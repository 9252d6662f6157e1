//! `redaction-manifest.json`: which file of an archive is the original, and which a redacted copy of what.

use crate::{
    digest::Digest,
    problem::{Kind, Problem},
    version::{Readable, check_readable_by},
};
use serde::{Deserialize, Serialize};

/// File name of the manifest, first in the archive and not listed in itself.
pub const MANIFEST: &str = "redaction-manifest.json";
/// Versions of the manifest this code reads.
pub const READABLE: Readable = Readable { family: "assay.redaction", oldest: 1, newest: 1 };

/// Contents of the manifest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// `assay.redaction/1`.
    pub schema: String,
    /// What was replaced by what; the originals are not named.
    pub replacements: Vec<Replacement>,
    /// Every other file of the archive, sorted by path.
    pub files: Vec<ManifestEntry>,
}

/// A stand-in that appears in the redacted files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Replacement {
    /// `account`, `path`, `host` or `user`.
    pub kind: crate::redact::What,
    /// The stand-in; the same original always has the same.
    pub token: String,
}

/// One file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ManifestEntry {
    /// Path in the archive.
    pub path: String,
    /// Of the bytes as sealed.
    pub original_sha256: Digest,
    /// Of the bytes in the archive.
    pub redacted_sha256: Digest,
    /// Whether the two differ.
    pub changed: bool,
}

impl Manifest {
    /// Reads a manifest strictly.
    ///
    /// # Errors
    /// Everything that is wrong with it, at least one problem.
    pub fn parse(bytes: &[u8]) -> Result<Self, Vec<Problem>> {
        let invalid = |message: String| Problem::new(Kind::ManifestInvalid, MANIFEST, message);
        #[derive(Deserialize)]
        struct Head {
            schema: String,
        }
        let head: Head = serde_json::from_slice(bytes).map_err(|e| vec![invalid(format!("not a manifest: {e}"))])?;
        check_readable_by(&head.schema, &READABLE).map_err(|error| vec![invalid(error.to_string())])?;
        let manifest: Self =
            serde_json::from_slice(bytes).map_err(|e| vec![invalid(format!("not a manifest: {e}"))])?;
        let mut problems = Vec::new();
        if !manifest.files.is_sorted_by(|a, b| a.path < b.path) {
            problems.push(invalid("files are not sorted by path, or one is there twice".to_owned()));
        }
        for file in &manifest.files {
            if file.changed != (file.original_sha256 != file.redacted_sha256) {
                problems.push(invalid(format!("{:?}: `changed` contradicts the digests", file.path)));
            }
        }
        if problems.is_empty() { Ok(manifest) } else { Err(problems) }
    }

    /// The manifest of nothing.
    pub(crate) fn none() -> Self {
        Self { schema: READABLE.current(), replacements: Vec::new(), files: Vec::new() }
    }

    /// The entry of `path`.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<&ManifestEntry> {
        self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok().map(|at| &self.files[at])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonical;

    fn manifest(changed: bool) -> Manifest {
        let file = |path: &str| ManifestEntry {
            path: path.to_owned(),
            original_sha256: Digest::of(b"x"),
            redacted_sha256: Digest::of(b"x"),
            changed,
        };
        Manifest { schema: READABLE.current(), replacements: Vec::new(), files: vec![file("a"), file("b")] }
    }

    #[test]
    fn reads_what_was_written() {
        let bytes = canonical::to_line(&manifest(false)).unwrap();
        assert_eq!(Manifest::parse(&bytes).unwrap(), manifest(false));
    }

    #[test]
    fn contradictions_and_disorder_are_refused() {
        let lying = canonical::to_line(&manifest(true)).unwrap();
        assert_eq!(Manifest::parse(&lying).unwrap_err().len(), 2);
        let mut twice = manifest(false);
        twice.files[1].path = "a".to_owned();
        assert_eq!(Manifest::parse(&canonical::to_line(&twice).unwrap()).unwrap_err().len(), 1);
        let newer = br#"{"schema":"assay.redaction/9"}"#;
        assert!(Manifest::parse(newer).unwrap_err()[0].message.contains("too new"));
    }
}
