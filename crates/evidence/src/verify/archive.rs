//! A published archive, packed or unpacked: files against the redaction manifest, the manifest against the
//! packages' indexes, the indexes against each other.

use super::{
    Subject, SubjectKind,
    claims::{self, Claims},
    records::{self, Around, Records},
    run::{JOURNAL, PACKAGES, broken_line},
    said::Said,
    settle_chain,
};
use crate::{
    archive::{self, Limits},
    chain::Link,
    digest::{Digest, Hasher},
    journal::{self, Head},
    package::{INDEX, Index, MAX_INDEX},
    problem::{Kind, Problem},
    publish::{MANIFEST, Manifest},
    tree::{Entry, Folder},
};
use std::{
    collections::{HashMap, HashSet},
    fs::File,
    io::{self, BufReader, Read},
    path::Path,
};

pub(super) fn verify_file(path: &Path, limits: &Limits) -> Subject {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) => return super::failed(&error),
    };
    let mut collector = Collector::within(limits.max_kept_bytes);
    let problems = archive::read(file, limits, &mut |path, size, content| collector.take(path, size, content));
    collector.problems.extend(problems);
    let (mut subject, claimed) = collector.finish(SubjectKind::Archive);
    if subject.problems.is_empty() {
        read_again(path, limits, claimed, &mut subject);
    }
    subject
}

/// A second pass over an archive that is sound so far: the cited files, one at a time.
fn read_again(path: &Path, limits: &Limits, claimed: Claimed, subject: &mut Subject) {
    let Claimed { claims, manifest } = claimed;
    let mut seen: HashSet<String> = HashSet::new();
    let mut visit = |path: &str, size: u64, content: &mut dyn Read| -> io::Result<()> {
        if claims.concern(path) && size <= claims::MAX_DOCUMENT {
            let mut bytes = Vec::new();
            content.take(claims::MAX_DOCUMENT).read_to_end(&mut bytes)?;
            subject.problems.extend(claims.check(path, Some(&bytes), sealed(&manifest, path)));
            seen.insert(path.to_owned());
        }
        Ok(())
    };
    let problems = match File::open(path) {
        Ok(file) => archive::read(file, limits, &mut visit),
        Err(error) => return subject.problems.extend(super::failed(&error).problems),
    };
    subject.problems.extend(problems);
    let absent = claims.artifacts().into_iter().filter(|artifact| !seen.contains(*artifact));
    subject.problems.extend(absent.flat_map(|artifact| claims.check(artifact, None, sealed(&manifest, artifact))));
    subject.problems.extend(claims.into_problems());
    subject.problems.sort_unstable();
}

/// What a file's digest was before it was redacted.
fn sealed(manifest: &Manifest, path: &str) -> Option<Digest> {
    manifest.find(path).map(|entry| entry.original_sha256)
}

pub(super) fn verify_unpacked(folder: &Folder, limits: &Limits) -> Subject {
    let mut collector = Collector::within(limits.max_kept_bytes);
    let found = match folder.walk() {
        Ok(found) => found,
        Err(error) => return super::failed(&error),
    };
    // The manifest first, as in an archive.
    let (first, rest): (Vec<_>, Vec<_>) = found.into_iter().partition(|found| found.path == MANIFEST);
    for found in first.into_iter().chain(rest) {
        let Entry::File { size, links: 1 } = found.entry else {
            collector.problems.push(Problem::new(Kind::SpecialFile, found.path, "is not a plain file"));
            continue;
        };
        let taken = folder.file(&found.path).and_then(|mut file| collector.take(&found.path, size, &mut file));
        if let Err(error) = taken {
            collector.problems.push(Problem::new(Kind::Unreadable, found.path, format!("cannot be read: {error}")));
        }
    }
    let (mut subject, Claimed { claims, manifest, .. }) = collector.finish(SubjectKind::Unpacked);
    for artifact in claims.artifacts() {
        let bytes = super::document(folder, artifact);
        subject.problems.extend(claims.check(artifact, bytes.as_deref(), sealed(&manifest, artifact)));
    }
    subject.problems.extend(claims.into_problems());
    subject.problems.sort_unstable();
    subject
}

/// Head of the journal.
const HEAD: &str = "journal.head";
/// Index of the registration's package, which is outside the chain.
const REGISTERED: &str = "registration/registration/index.json";

/// What an archive's documents claim, and the manifest that tells what was sealed.
struct Claimed {
    claims: Claims,
    manifest: Manifest,
}

/// What is kept of an archive while it streams by: digests, the manifest and the indexes.
struct Collector {
    files: HashMap<String, (Digest, u64)>,
    manifest: Option<Result<Manifest, Vec<Problem>>>,
    indexes: Vec<(String, Digest, Result<Index, Vec<Problem>>)>,
    registered: Option<(Digest, Result<Index, Vec<Problem>>)>,
    /// The manifest comes first and the head before the journal, so both are known when the journal streams by.
    head: Option<Head>,
    said: Option<Said>,
    claims: Claims,
    records: Records,
    problems: Vec<Problem>,
    notes: Vec<String>,
    bytes: u64,
    /// Bytes of indexes and records, and the most that they may have.
    kept: u64,
    most: u64,
}

impl Collector {
    fn within(most: u64) -> Self {
        Self {
            files: HashMap::new(),
            manifest: None,
            indexes: Vec::new(),
            registered: None,
            head: None,
            said: None,
            claims: Claims::within(most),
            records: Records::default(),
            problems: Vec::new(),
            notes: Vec::new(),
            bytes: 0,
            kept: 0,
            most,
        }
    }

    fn take(&mut self, path: &str, size: u64, content: &mut dyn Read) -> io::Result<()> {
        self.bytes += size;
        let kept = path == MANIFEST || path == REGISTERED || path == HEAD || records::is_record(path);
        if claims::is_document(path) && size <= claims::MAX_DOCUMENT {
            let bytes = self.load(path, claims::MAX_DOCUMENT, content)?;
            self.claims.document(path, &bytes);
        } else if path == JOURNAL {
            self.journal(content)?;
        } else if kept || package_of_index(path).is_some() {
            self.keep(path, size, content)?;
        } else {
            self.files.insert(path.to_owned(), Digest::of_reader(content)?);
        }
        Ok(())
    }

    /// Reads a file into memory and notes its digest.
    fn load(&mut self, path: &str, most: u64, content: &mut dyn Read) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        content.take(most).read_to_end(&mut bytes)?;
        if path != MANIFEST {
            self.files.insert(path.to_owned(), (Digest::of(&bytes), bytes.len() as u64));
        }
        Ok(bytes)
    }

    /// Takes in an index, the manifest or a record, within limits.
    fn keep(&mut self, path: &str, size: u64, content: &mut dyn Read) -> io::Result<()> {
        self.kept = self.kept.saturating_add(size);
        if size > MAX_INDEX || self.kept > self.most {
            let message =
                format!("larger than {MAX_INDEX} bytes, or beyond {} with all that is kept before it", self.most);
            self.problems.push(Problem::new(Kind::LimitReached, path, message));
            return Ok(());
        }
        let bytes = self.load(path, MAX_INDEX, content)?;
        match path {
            MANIFEST if self.files.is_empty() => self.manifest = Some(Manifest::parse(&bytes)),
            MANIFEST => {
                let problem = Problem::new(Kind::ManifestInvalid, MANIFEST, "is not the first file of the archive");
                self.manifest = Some(Err(vec![problem]));
            }
            REGISTERED => self.registered = Some((Digest::of(&bytes), Index::parse(&bytes))),
            HEAD => match serde_json::from_slice(&bytes) {
                Ok(head) => self.head = Some(head),
                Err(error) => self.problems.push(Problem::new(Kind::JournalBroken, HEAD, format!("no head: {error}"))),
            },
            _ => match package_of_index(path) {
                Some(package) => self.indexes.push((package.to_owned(), Digest::of(&bytes), Index::parse(&bytes))),
                None => self.records.take(path, &bytes),
            },
        }
        Ok(())
    }

    /// The journal's lines, those that were redacted by their stand-ins and all others by their hashes.
    fn journal(&mut self, content: &mut dyn Read) -> io::Result<()> {
        let mut hashing = Hashing { inner: content, hasher: Hasher::new() };
        let stand_ins: Option<Vec<String>> = match &self.manifest {
            Some(Ok(manifest)) => Some(manifest.replacements.iter().map(|one| one.token.clone()).collect()),
            _ => None,
        };
        let mut said = Said::default();
        let mut lines = BufReader::new(&mut hashing);
        let checked = journal::check_published(&mut lines, self.head, stand_ins.as_deref(), &mut |entry| {
            said.take(&entry);
        })?;
        io::copy(&mut lines, &mut io::sink())?;
        self.files.insert(JOURNAL.to_owned(), (hashing.hasher.finish(), hashing.hasher.len()));
        said.last = self.head.filter(|head| head.seq == checked.lines).map(|head| head.hash);
        if checked.redacted > 0 {
            let (lines, redacted) = (checked.lines, checked.redacted);
            self.notes.push(format!(
                "{JOURNAL}: {} of {lines} lines are as they were written, {redacted} hold something redacted; that \
                 nothing else in those was changed is the publisher's word",
                lines - redacted
            ));
        }
        if checked.faults.is_empty() {
            self.said = Some(said);
        }
        self.problems.extend(checked.faults.iter().map(broken_line));
        Ok(())
    }

    fn finish(mut self, kind: SubjectKind) -> (Subject, Claimed) {
        let mut subject = Subject::new(kind);
        subject.bytes = self.bytes;
        let manifest = match self.manifest.take() {
            Some(Ok(manifest)) => Some(manifest),
            Some(Err(problems)) => {
                self.problems.extend(problems);
                None
            }
            None => {
                self.problems.push(Problem::new(Kind::ManifestInvalid, MANIFEST, "is not in the archive"));
                None
            }
        };
        if let Some(manifest) = &manifest {
            self.compare_files(manifest);
        }
        let registered = self.compare_registration(manifest.as_ref());
        let mut links = Vec::new();
        for (folder, identity, index) in std::mem::take(&mut self.indexes) {
            let below = format!("{PACKAGES}/{folder}");
            match index {
                Ok(index) => {
                    if let Some(manifest) = &manifest {
                        self.compare_index(&below, &index, manifest);
                    }
                    links.push(Link { folder, identity, index });
                }
                Err(problems) => self.problems.extend(problems.into_iter().map(|problem| problem.below(&below))),
            }
        }
        if links.is_empty() {
            self.problems.push(Problem::new(Kind::NothingToVerify, PACKAGES, "holds no readable package"));
        }
        let known = self.said.is_some() || self.problems.iter().any(|problem| problem.path == JOURNAL);
        if !known {
            self.problems.push(Problem::new(Kind::Missing, JOURNAL, "the run's journal is not in the archive"));
        }
        subject.problems = self.problems;
        subject.notes = self.notes;
        let links = settle_chain(&mut subject, links);
        let manifest = manifest.unwrap_or_else(Manifest::none);
        self.claims.settle(&super::identities(&subject));
        let digest = |path: &str| sealed(&manifest, path).filter(|_| self.files.contains_key(path));
        let (said, claims) = (self.said.as_ref(), &self.claims);
        self.records.settle(&Around { links: &links, said, digest: &digest, registered, claims });
        subject.problems.extend(self.records.problems);
        subject.notes.extend(self.records.notes);
        subject.problems.sort_unstable();
        (subject, Claimed { claims: self.claims, manifest })
    }

    /// The registration's package against the manifest; gives its identity.
    fn compare_registration(&mut self, manifest: Option<&Manifest>) -> Option<Digest> {
        let (identity, index) = self.registered.take()?;
        let below = REGISTERED.trim_end_matches(INDEX).trim_end_matches('/');
        match (index, manifest) {
            (Ok(index), Some(manifest)) => self.compare_index(below, &index, manifest),
            (Ok(_), None) => {}
            (Err(problems), _) => self.problems.extend(problems.into_iter().map(|problem| problem.below(below))),
        }
        Some(identity)
    }

    /// Files against the manifest, both ways.
    fn compare_files(&mut self, manifest: &Manifest) {
        for file in &manifest.files {
            let problem = match self.files.get(&file.path) {
                None => Some((Kind::Missing, "is listed in the manifest and not there".to_owned())),
                Some((digest, _)) if *digest == file.redacted_sha256 => None,
                Some((digest, _)) => Some((
                    Kind::DigestDiffers,
                    format!("has SHA-256 {digest}, the manifest says {}", file.redacted_sha256),
                )),
            };
            self.problems.extend(problem.map(|(kind, message)| Problem::new(kind, &file.path, message)));
        }
        for path in self.files.keys().filter(|path| manifest.find(path).is_none()) {
            self.problems.push(Problem::new(Kind::Unexpected, path, "is there and not listed in the manifest"));
        }
    }

    /// The manifest's originals against what was sealed, both ways.
    fn compare_index(&mut self, package: &str, index: &Index, manifest: &Manifest) {
        for file in &index.files {
            let path = format!("{package}/{}", file.path);
            let message = match manifest.find(&path) {
                None => Some((Kind::Missing, "was sealed and is not in the archive".to_owned())),
                Some(entry) if entry.original_sha256 != file.sha256 => Some((
                    Kind::ManifestInvalid,
                    format!("original is {} by the manifest, {} by the index", entry.original_sha256, file.sha256),
                )),
                Some(_) => None,
            };
            self.problems.extend(message.map(|(kind, message)| Problem::new(kind, path, message)));
        }
        let own_index = format!("{package}/{INDEX}");
        let prefix = format!("{package}/");
        for entry in manifest.files.iter().filter(|entry| entry.path.starts_with(&prefix)) {
            let inner = &entry.path[prefix.len()..];
            if entry.path == own_index {
                if entry.changed {
                    let message = "an index must not be redacted: it is the package's identity";
                    self.problems.push(Problem::new(Kind::ManifestInvalid, &entry.path, message));
                }
            } else if index.find(inner).is_none() {
                self.problems.push(Problem::new(Kind::Unexpected, &entry.path, "was never sealed in its package"));
            }
        }
    }
}

/// Hashes what passes.
struct Hashing<'a> {
    inner: &'a mut dyn Read,
    hasher: Hasher,
}

impl Read for Hashing<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.hasher.update(&buffer[..n]);
        Ok(n)
    }
}

/// `canonical` for `packages/canonical/index.json`.
fn package_of_index(path: &str) -> Option<&str> {
    let name = path.strip_prefix(PACKAGES)?.strip_prefix('/')?.strip_suffix(INDEX)?.strip_suffix('/')?;
    (!name.is_empty() && !name.contains('/')).then_some(name)
}
