//! `index.json`: what a package holds. Its SHA-256 is the package's identity.

use crate::{
    digest::{Digest, Hasher},
    name::{NameSet, check_path, check_single},
    problem::{Kind, Problem},
    version::{Readable, Unreadable, check_readable_by},
};
use serde::{Deserialize, Serialize};
use std::{
    collections::HashSet,
    io::{self, Write},
};

/// File name of the index; never listed in itself.
pub const INDEX: &str = "index.json";
/// Versions of the package format this code reads.
pub const READABLE: Readable = Readable { family: "assay.package", oldest: 1, newest: 1 };
/// Largest index read, bytes: over 200,000 files.
pub(crate) const MAX_INDEX: u64 = 48 * 1024 * 1024;

/// Contents of `index.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Index {
    /// `assay.package/1`.
    pub schema: String,
    /// Name of the package: its folder and, in a run, its stage.
    pub name: String,
    /// Run id.
    pub run: String,
    /// Identities of all packages sealed before in this run, in order of sealing.
    pub predecessors: Vec<Digest>,
    /// Every file but the index itself, sorted by path (byte order).
    pub files: Vec<FileEntry>,
}

/// One file of a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    /// Relative to the package's folder.
    pub path: String,
    /// Of the file's bytes.
    pub sha256: Digest,
    /// Bytes.
    pub size: u64,
}

#[derive(Deserialize)]
struct Head {
    schema: String,
}

impl Index {
    /// Reads an index strictly: known version, known fields, safe and sorted paths, canonical form.
    ///
    /// # Errors
    /// Everything that is wrong with it, at least one problem.
    pub fn parse(bytes: &[u8]) -> Result<Self, Vec<Problem>> {
        let malformed = |error: serde_json::Error| {
            vec![Problem::new(Kind::IndexMalformed, INDEX, format!("not a package index: {error}"))]
        };
        // The version first: a newer index may well have fields that this program does not know.
        let head: Head = serde_json::from_slice(bytes).map_err(malformed)?;
        if let Err(error) = check_readable_by(&head.schema, &READABLE) {
            let kind = match error {
                Unreadable::TooOld { .. } => Kind::TooOld,
                Unreadable::TooNew { .. } => Kind::TooNew,
                Unreadable::NotThisFormat { .. } => Kind::IndexMalformed,
            };
            return Err(vec![Problem::new(kind, INDEX, error.to_string())]);
        }
        let index: Self = serde_json::from_slice(bytes).map_err(malformed)?;
        let mut problems = index.content_problems();
        if !index.is_written_as(bytes) {
            problems.push(Problem::new(Kind::IndexNotCanonical, INDEX, "not in canonical form (RFC 8785)"));
        }
        if problems.is_empty() { Ok(index) } else { Err(problems) }
    }

    /// The entry of `path`.
    #[must_use]
    pub fn find(&self, path: &str) -> Option<&FileEntry> {
        self.position(path).map(|at| &self.files[at])
    }

    /// Place of `path` in [`Index::files`].
    pub(crate) fn position(&self, path: &str) -> Option<usize> {
        self.files.binary_search_by(|file| file.path.as_str().cmp(path)).ok()
    }

    /// Sum of the files' sizes, bytes.
    #[must_use]
    pub fn total_size(&self) -> u64 {
        self.files.iter().fold(0, |sum, file| sum.saturating_add(file.size))
    }

    /// The canonical bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(256 + self.files.len() * 128);
        // Writing into memory does not fail.
        let _ = self.write_canonical(&mut bytes);
        bytes
    }

    /// SHA-256 of the canonical bytes: the package's identity.
    #[must_use]
    pub fn identity(&self) -> Digest {
        let mut sink = HashSink(Hasher::new());
        let _ = self.write_canonical(&mut sink);
        sink.0.finish()
    }

    /// Canonical form without building a tree of values, which for 100,000 files would outweigh the index itself.
    fn write_canonical(&self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(b"{\"files\":[")?;
        for (at, file) in self.files.iter().enumerate() {
            let comma = if at == 0 { "" } else { "," };
            write!(out, "{comma}{{\"path\":")?;
            serde_json::to_writer(&mut *out, &file.path)?;
            write!(out, ",\"sha256\":\"{}\",\"size\":{}}}", file.sha256, file.size)?;
        }
        out.write_all(b"],\"name\":")?;
        serde_json::to_writer(&mut *out, &self.name)?;
        out.write_all(b",\"predecessors\":")?;
        serde_json::to_writer(&mut *out, &self.predecessors)?;
        out.write_all(b",\"run\":")?;
        serde_json::to_writer(&mut *out, &self.run)?;
        out.write_all(b",\"schema\":")?;
        serde_json::to_writer(&mut *out, &self.schema)?;
        out.write_all(b"}")
    }

    fn is_written_as(&self, bytes: &[u8]) -> bool {
        let mut rest = Remainder(bytes);
        self.write_canonical(&mut rest).is_ok() && rest.0.is_empty()
    }

    fn content_problems(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        for name in [&self.name, &self.run] {
            if let Err(error) = check_single(name) {
                problems.push(Problem::new(Kind::UnsafeName, INDEX, error.to_string()));
            }
        }
        let mut seen = HashSet::new();
        for identity in self.predecessors.iter().filter(|identity| !seen.insert(**identity)) {
            problems.push(Problem::new(Kind::ChainBroken, INDEX, format!("predecessor {identity} is named twice")));
        }
        if !self.files.is_sorted_by(|a, b| a.path <= b.path) {
            problems.push(Problem::new(Kind::IndexNotCanonical, INDEX, "files are not sorted by path"));
        }
        self.path_problems(&mut problems);
        problems
    }

    fn path_problems(&self, problems: &mut Vec<Problem>) {
        let mut names = NameSet::new();
        for file in &self.files {
            if file.size >= 1 << 53 {
                let message = format!("a size of {} bytes is out of range", file.size);
                problems.push(Problem::new(Kind::IndexMalformed, &file.path, message));
            }
            if fold_is_index(&file.path) {
                problems.push(Problem::new(Kind::NameCollision, &file.path, "the index must not list itself"));
            }
            if let Err(error) = check_path(&file.path) {
                problems.push(Problem::new(Kind::UnsafeName, &file.path, format!("unsafe name: {error}")));
            } else if let Err(error) = names.insert(&file.path) {
                problems.push(Problem::new(Kind::NameCollision, &file.path, format!("name collides: {error}")));
            }
        }
    }
}

/// Whether a path would be the index itself, also on systems that ignore case.
pub(crate) fn fold_is_index(path: &str) -> bool {
    crate::name::fold(path) == INDEX
}

struct HashSink(Hasher);

impl Write for HashSink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Accepts writes as long as they repeat these bytes.
struct Remainder<'a>(&'a [u8]);

impl Write for Remainder<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.0.strip_prefix(bytes) {
            Some(rest) => {
                self.0 = rest;
                Ok(bytes.len())
            }
            None => Err(io::Error::other("differs")),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn index(paths: &[&str]) -> Index {
        let files = paths.iter().map(|path| FileEntry {
            path: (*path).to_owned(),
            sha256: Digest::of(path.as_bytes()),
            size: path.len() as u64,
        });
        Index {
            schema: READABLE.current(),
            name: "canonical".to_owned(),
            run: "r1".to_owned(),
            predecessors: vec![Digest::of(b"p")],
            files: files.collect(),
        }
    }

    fn kinds(bytes: &[u8]) -> Vec<Kind> {
        Index::parse(bytes).unwrap_err().into_iter().map(|problem| problem.kind).collect()
    }

    #[test]
    fn hand_written_form_is_the_canonical_one() {
        let mut index = index(&["a.json", "b/c.json"]);
        assert_eq!(index.to_bytes(), crate::canonical::to_vec(&index).unwrap());
        assert_eq!(index.identity(), Digest::of(&index.to_bytes()));
        assert_eq!(Index::parse(&index.to_bytes()).unwrap(), index);
        index.files.clear();
        index.predecessors.clear();
        assert_eq!(index.to_bytes(), crate::canonical::to_vec(&index).unwrap());
    }

    #[test]
    fn escaping_and_colliding_paths_are_all_reported() {
        let bytes = index(&["../x", "/etc/passwd", "C:\\x", "a/../../x", "a\\b", "n\0"]).to_bytes();
        assert_eq!(kinds(&bytes), [Kind::UnsafeName; 6]);
        let bytes = index(&["A.json", "a.json", "a.json"]).to_bytes();
        assert_eq!(kinds(&bytes), [Kind::NameCollision; 2]);
        assert_eq!(kinds(&index(&["Index.json"]).to_bytes()), [Kind::NameCollision]);
    }

    #[test]
    fn order_spaces_and_extra_members_are_refused() {
        assert_eq!(kinds(&index(&["b", "a"]).to_bytes()), [Kind::IndexNotCanonical]);
        let text = String::from_utf8(index(&["a"]).to_bytes()).unwrap();
        assert_eq!(kinds(text.replace("\"run\":", "\"run\": ").as_bytes()), [Kind::IndexNotCanonical]);
        assert_eq!(kinds(text.replace("{\"files\"", "{\"extra\":1,\"files\"").as_bytes()), [Kind::IndexMalformed]);
        assert_eq!(kinds(format!("{text}\n").as_bytes()), [Kind::IndexNotCanonical]);
        assert_eq!(kinds(b""), [Kind::IndexMalformed]);
    }

    #[test]
    fn other_versions_are_named_even_with_unknown_fields() {
        assert_eq!(kinds(br#"{"schema":"assay.package/2","shards":[]}"#), [Kind::TooNew]);
        assert_eq!(kinds(br#"{"schema":"assay.package/0"}"#), [Kind::TooOld]);
        assert_eq!(kinds(br#"{"schema":"bagit/1"}"#), [Kind::IndexMalformed]);
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..512)) {
            prop_assert!(Index::parse(&bytes).is_err());
        }

        #[test]
        fn arbitrary_edits_never_panic_nor_keep_the_identity(at in 0_usize..300, byte in any::<u8>()) {
            let good = index(&["a.json", "b/c.json"]);
            let mut bytes = good.to_bytes();
            let at = at % bytes.len();
            let same = bytes[at] == byte;
            bytes[at] = byte;
            if let Ok(parsed) = Index::parse(&bytes) {
                prop_assert_eq!(parsed.identity() == good.identity(), same);
                prop_assert_eq!(parsed.to_bytes(), bytes);
            }
        }
    }
}
