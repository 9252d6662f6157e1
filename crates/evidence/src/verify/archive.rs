//! A published archive, packed or unpacked: files against the redaction manifest, the manifest against the
//! packages' indexes, the indexes against each other.

use super::{
    Subject, SubjectKind,
    claims::{self, Claims},
    run::PACKAGES,
    settle_chain,
};
use crate::{
    archive::{self, Limits},
    chain::Link,
    digest::Digest,
    package::{INDEX, Index, MAX_INDEX},
    problem::{Kind, Problem},
    publish::{MANIFEST, Manifest},
    tree::{Entry, Folder},
};
use std::{
    collections::{HashMap, HashSet},
    fs::File,
    io::{self, Read},
    path::Path,
};

pub(super) fn verify_file(path: &Path, limits: &Limits) -> Subject {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) => return super::failed(&error),
    };
    let mut collector = Collector::default();
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

pub(super) fn verify_unpacked(folder: &Folder) -> Subject {
    let mut collector = Collector::default();
    let found = match folder.walk() {
        Ok(found) => found,
        Err(error) => return super::failed(&error),
    };
    for found in found {
        let Entry::File { size, .. } = found.entry else {
            collector.problems.push(Problem::new(Kind::SpecialFile, found.path, "is not a plain file"));
            continue;
        };
        let taken = folder.file(&found.path).and_then(|mut file| collector.take(&found.path, size, &mut file));
        if let Err(error) = taken {
            collector.problems.push(Problem::new(Kind::Unreadable, found.path, format!("cannot be read: {error}")));
        }
    }
    let (mut subject, Claimed { claims, manifest }) = collector.finish(SubjectKind::Unpacked);
    for artifact in claims.artifacts() {
        let bytes = super::document(folder, artifact);
        subject.problems.extend(claims.check(artifact, bytes.as_deref(), sealed(&manifest, artifact)));
    }
    subject.problems.extend(claims.into_problems());
    subject.problems.sort_unstable();
    subject
}

/// What an archive's documents claim, and the manifest that tells what was sealed.
struct Claimed {
    claims: Claims,
    manifest: Manifest,
}

/// What is kept of an archive while it streams by: digests, the manifest and the indexes.
#[derive(Default)]
struct Collector {
    files: HashMap<String, (Digest, u64)>,
    manifest: Option<Result<Manifest, Vec<Problem>>>,
    indexes: Vec<(String, Digest, Result<Index, Vec<Problem>>)>,
    claims: Claims,
    problems: Vec<Problem>,
    bytes: u64,
}

impl Collector {
    fn take(&mut self, path: &str, size: u64, content: &mut dyn Read) -> io::Result<()> {
        self.bytes += size;
        let package = package_of_index(path);
        if claims::is_document(path) && size <= claims::MAX_DOCUMENT {
            let mut bytes = Vec::new();
            content.take(claims::MAX_DOCUMENT).read_to_end(&mut bytes)?;
            self.files.insert(path.to_owned(), (Digest::of(&bytes), bytes.len() as u64));
            self.claims.document(path, &bytes);
            return Ok(());
        }
        if path != MANIFEST && package.is_none() {
            self.files.insert(path.to_owned(), Digest::of_reader(content)?);
            return Ok(());
        }
        if size > MAX_INDEX {
            let message = format!("larger than {MAX_INDEX} bytes");
            self.problems.push(Problem::new(Kind::LimitReached, path, message));
            return Ok(());
        }
        let mut bytes = Vec::new();
        content.take(MAX_INDEX).read_to_end(&mut bytes)?;
        if let Some(package) = package {
            let digest = Digest::of(&bytes);
            self.files.insert(path.to_owned(), (digest, bytes.len() as u64));
            self.indexes.push((package.to_owned(), digest, Index::parse(&bytes)));
        } else {
            self.manifest = Some(Manifest::parse(&bytes));
        }
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
        subject.problems = self.problems;
        settle_chain(&mut subject, links);
        subject.problems.sort_unstable();
        let manifest = manifest.unwrap_or_else(Manifest::none);
        self.claims.settle(&super::identities(&subject));
        (subject, Claimed { claims: self.claims, manifest })
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

/// `canonical` for `packages/canonical/index.json`.
fn package_of_index(path: &str) -> Option<&str> {
    let name = path.strip_prefix(PACKAGES)?.strip_prefix('/')?.strip_suffix(INDEX)?.strip_suffix('/')?;
    (!name.is_empty() && !name.contains('/')).then_some(name)
}
