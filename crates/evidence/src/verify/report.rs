//! What verification says.

use super::causes;
use crate::{digest::Digest, package::Index, problem::Problem};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Schema name of a report.
pub const SCHEMA: &str = "assay.verify/1";

/// Result over everything that was asked about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Report {
    /// [`SCHEMA`].
    pub schema: String,
    /// There was something to verify and nothing is wrong with any of it.
    pub valid: bool,
    /// In the order asked.
    pub subjects: Vec<Subject>,
}

/// Result of one path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Subject {
    /// As asked.
    pub path: String,
    /// What it turned out to be.
    pub kind: SubjectKind,
    /// Packages in order of sealing, as far as they could be read.
    pub packages: Vec<PackageSummary>,
    /// Root of the chain up to the last package; absent if the chain is broken or there is none.
    pub root: Option<Digest>,
    /// Bytes hashed.
    pub bytes: u64,
    /// Everything that is wrong.
    pub problems: Vec<Problem>,
    /// What is worth knowing and not wrong.
    pub notes: Vec<String>,
}

/// What a path holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SubjectKind {
    /// Run folder: packages, chain and journal.
    Run,
    /// One package folder.
    Package,
    /// Published `.tar.gz`.
    Archive,
    /// The same, unpacked.
    Unpacked,
    /// Could not be told.
    Unknown,
}

/// One package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackageSummary {
    /// Name.
    pub name: String,
    /// Run id.
    pub run: String,
    /// SHA-256 of its index.
    pub identity: Digest,
    /// Number of files listed.
    pub files: u64,
    /// Sum of their sizes, bytes.
    pub bytes: u64,
}

impl PackageSummary {
    pub(super) fn new(identity: Digest, index: &Index) -> Self {
        Self {
            name: index.name.clone(),
            run: index.run.clone(),
            identity,
            files: index.files.len() as u64,
            bytes: index.total_size(),
        }
    }
}

impl Report {
    pub(super) fn new(subjects: Vec<Subject>) -> Self {
        let valid = !subjects.is_empty() && subjects.iter().all(Subject::is_valid);
        Self { schema: SCHEMA.to_owned(), valid, subjects }
    }

    /// Every problem of every subject.
    pub fn problems(&self) -> impl Iterator<Item = &Problem> {
        self.subjects.iter().flat_map(|subject| &subject.problems)
    }
}

impl Subject {
    pub(super) fn new(kind: SubjectKind) -> Self {
        Self {
            path: String::new(),
            kind,
            packages: Vec::new(),
            root: None,
            bytes: 0,
            problems: Vec::new(),
            notes: Vec::new(),
        }
    }

    pub(super) fn with(mut self, problem: Problem) -> Self {
        self.problems.push(problem);
        self
    }

    /// Something was there and nothing is wrong with it.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        self.problems.is_empty() && !self.packages.is_empty()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for subject in &self.subjects {
            let word = if subject.is_valid() { "valid" } else { "NOT VALID" };
            writeln!(f, "{}: {word}", subject.path)?;
            for package in &subject.packages {
                let PackageSummary { name, identity, files, bytes, .. } = package;
                writeln!(f, "  {identity}  {name} ({files} files, {bytes} bytes)")?;
            }
            if let Some(root) = subject.root {
                writeln!(f, "  root {root}")?;
            }
            for group in causes::first(&subject.problems) {
                writeln!(f, "  problem: {}", group.cause)?;
                if let Some(follow) = group.follow() {
                    writeln!(f, "    {follow}")?;
                }
            }
            for note in &subject.notes {
                writeln!(f, "  note: {note}")?;
            }
        }
        Ok(())
    }
}
