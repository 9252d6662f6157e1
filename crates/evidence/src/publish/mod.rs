//! Publication: a redacted copy of a run's files as one deterministic archive that anyone can check.

mod manifest;

pub use manifest::{MANIFEST, Manifest, ManifestEntry, READABLE, Replacement};

use crate::{
    archive,
    canonical::{self, CanonicalError},
    digest::{Digest, Hasher},
    package::INDEX,
    redact::{BinaryFile, Redactor, Sensitive, What, is_account},
    scan::{self, Finding, Policy},
    tree::{Entry, Folder},
};
use rayon::prelude::*;
use rustix::{
    fs::{FlockOperation, Mode, OFlags, flock},
    io::Errno,
};
use std::{
    collections::BTreeSet,
    fs::{self, File},
    io::{self, BufWriter, Read as _, Write},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

/// Largest file published, bytes: files are redacted in memory, a few at a time.
pub const MAX_FILE: u64 = 256 * 1024 * 1024;

/// Most tries to have the unfinished archive for oneself.
const CLAIMS: u32 = 8;

/// What was published.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Publication {
    /// The archive.
    pub path: PathBuf,
    /// SHA-256 of the archive.
    pub sha256: Digest,
    /// Its size, bytes.
    pub bytes: u64,
    /// The manifest inside.
    pub manifest: Manifest,
}

/// Why nothing was published.
#[derive(Debug, thiserror::Error)]
pub enum PublishError {
    /// The file system refused.
    #[error("cannot {action} {path}: {source}")]
    Io {
        /// What was attempted.
        action: &'static str,
        /// On what.
        path: String,
        /// The system's answer.
        source: io::Error,
    },
    /// Not a plain file, or too large.
    #[error("refused to publish {path}: {what}")]
    Refused {
        /// Which.
        path: String,
        /// Why.
        what: String,
    },
    /// A binary file with something sensitive in it.
    #[error(transparent)]
    Binary(#[from] BinaryFile),
    /// Credentials or account ids would have been published.
    #[error("not published: the redacted files still hold {} finding(s), the first a {:?} in {} line {}",
        .0.len(), .0[0].kind, .0[0].path, .0[0].line)]
    Findings(Vec<Finding>),
    /// The manifest has no canonical form.
    #[error(transparent)]
    Canonical(#[from] CanonicalError),
}

impl PublishError {
    fn io(action: &'static str, path: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |source| Self::Io { action, path, source }
    }
}

/// Every file below `folder` that may be published: no drafts, no hidden files.
///
/// # Errors
/// The file system, and anything that is not a plain file.
pub fn list_files(folder: &Path) -> Result<Vec<String>, PublishError> {
    let shown = folder.display().to_string();
    let found = Folder::open(folder).and_then(|open| open.walk()).map_err(PublishError::io("list", shown))?;
    let visible = found.into_iter().filter(|found| !found.path.split('/').any(|part| part.starts_with('.')));
    visible
        .map(|found| match found.entry {
            Entry::File { links: 1, .. } => Ok(found.path),
            _ => Err(PublishError::Refused { path: found.path, what: "not a plain file".to_owned() }),
        })
        .collect()
}

/// Publishes `files` (paths in `folder`) as the archive `out`, which is there completely or not at all.
///
/// It grows beside `out` under the ending `partial`, which is locked meanwhile: what a killed publication left there is
/// written over, another that is at work is not disturbed.
///
/// `sensitive` is what the caller knows must not be published; account ids in ARNs, URLs and account fields are
/// found in addition. The same files and the same `sensitive` give the same bytes.
///
/// # Errors
/// [`PublishError`]; nothing is left behind.
pub fn publish(
    folder: &Path,
    files: &[String],
    sensitive: &Sensitive,
    out: &Path,
) -> Result<Publication, PublishError> {
    let open = Folder::open(folder).map_err(PublishError::io("open", folder.display().to_string()))?;
    let files: Vec<&str> = files.iter().map(String::as_str).collect::<BTreeSet<_>>().into_iter().collect();
    let (sensitive, taken) = discover(&open, &files, sensitive)?;
    let redactor = Redactor::new(&sensitive, &taken);
    let manifest = compile(&open, &files, &sensitive, &redactor)?;
    let temporary = out.with_extension("partial");
    let file = claim(&temporary)?;
    let written = write_archive(&open, &manifest, &redactor, &file, &temporary)
        .and_then(|written| fs::rename(&temporary, out).map_err(shown("rename", &temporary)).map(|()| written))
        .and_then(|written| crate::atomic::sync_parent(out).map_err(shown("sync", out)).map(|()| written));
    match written {
        Ok((sha256, bytes)) => Ok(Publication { path: out.to_owned(), sha256, bytes, manifest }),
        Err(error) => {
            // The first error is the one to report.
            let _ = fs::remove_file(&temporary);
            Err(error)
        }
    }
}

/// Opens the unfinished archive, empty and for this publication alone.
fn claim(path: &Path) -> Result<File, PublishError> {
    let flags = OFlags::CREATE | OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    // Another's may be renamed or removed between opening and locking it; then it is opened anew.
    for _ in 0..CLAIMS {
        let opened = rustix::fs::open(path, flags, Mode::from_raw_mode(0o666));
        let file = File::from(opened.map_err(|errno| shown("create", path)(errno.into()))?);
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => {
                let what = "another publication is writing it; wait until that has ended".to_owned();
                return Err(PublishError::Refused { path: path.display().to_string(), what });
            }
            Err(errno) => return Err(shown("lock", path)(errno.into())),
        }
        let ours = file.metadata().map_err(shown("look at", path))?;
        let same = fs::symlink_metadata(path).is_ok_and(|there| (there.dev(), there.ino()) == (ours.dev(), ours.ino()));
        if same && ours.nlink() == 1 {
            file.set_len(0).map_err(shown("empty", path))?;
            return Ok(file);
        }
    }
    let what = "it has another name too, or is replaced again and again; remove it".to_owned();
    Err(PublishError::Refused { path: path.display().to_string(), what })
}

fn shown(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> PublishError {
    PublishError::io(action, path.display().to_string())
}

/// All account ids to redact, and the ids that cannot be stand-ins because they occur. Local paths and names that
/// appear nowhere are left out, so that the archive does not depend on the machine that packs it.
fn discover(folder: &Folder, files: &[&str], known: &Sensitive) -> Result<(Sensitive, BTreeSet<String>), PublishError> {
    let mut sensitive = Sensitive { accounts: known.accounts.clone(), ..Sensitive::default() };
    let mut taken = BTreeSet::new();
    for path in files {
        let bytes = load(folder, path)?;
        sensitive.discover(&bytes);
        for (chosen, from, what) in [
            (&mut sensitive.paths, &known.paths, What::Path),
            (&mut sensitive.hosts, &known.hosts, What::Host),
            (&mut sensitive.users, &known.users, What::User),
        ] {
            chosen.extend(from.iter().filter(|word| holds(path, &bytes, what, word)).cloned());
        }
        let numbers = bytes.split(|byte| !byte.is_ascii_digit()).filter(|run| run.starts_with(b"9999"));
        taken.extend(
            numbers.filter_map(|run| std::str::from_utf8(run).ok()).filter(|run| is_account(run)).map(str::to_owned),
        );
    }
    Ok((sensitive, taken))
}

/// Whether a word appears in a file or its name. Escapes in JSON could hide it, so a file with any is redacted to see.
fn holds(path: &str, bytes: &[u8], what: What, word: &str) -> bool {
    let plain = word.trim_end_matches('/').as_bytes();
    let within = |text: &[u8]| !plain.is_empty() && text.windows(plain.len()).any(|window| window == plain);
    if within(bytes) || within(path.as_bytes()) {
        return true;
    }
    if !bytes.windows(2).any(|pair| pair == b"\\u" || pair == b"\\/") {
        return false;
    }
    let one = BTreeSet::from([word.to_owned()]);
    let none = Sensitive::default();
    let alone = match what {
        What::Account => Sensitive { accounts: one, ..none },
        What::Path => Sensitive { paths: one, ..none },
        What::Host => Sensitive { hosts: one, ..none },
        What::User => Sensitive { users: one, ..none },
    };
    !matches!(Redactor::new(&alone, &BTreeSet::new()).redact(path, bytes), Ok(None))
}

fn load(folder: &Folder, path: &str) -> Result<Vec<u8>, PublishError> {
    let refused = |what: &str| PublishError::Refused { path: path.to_owned(), what: what.to_owned() };
    crate::name::check_path(path).map_err(|error| refused(&error.reason))?;
    if path == MANIFEST {
        return Err(refused("this name is the manifest's"));
    }
    let mut bytes = Vec::new();
    let file = folder.file(path).map_err(PublishError::io("open", path))?;
    file.take(MAX_FILE + 1).read_to_end(&mut bytes).map_err(PublishError::io("read", path))?;
    if bytes.len() as u64 > MAX_FILE { Err(refused("larger than 256 MiB")) } else { Ok(bytes) }
}

/// Redacts and scans every file once, keeping digests only.
fn compile(
    folder: &Folder,
    files: &[&str],
    sensitive: &Sensitive,
    redactor: &Redactor,
) -> Result<Manifest, PublishError> {
    let allowed_accounts = redactor.replacements().filter(|(what, _)| *what == What::Account);
    let policy = Policy {
        allowed_accounts: allowed_accounts.map(|(_, token)| token.to_owned()).collect(),
        known_accounts: sensitive.accounts.clone(),
    };
    let results: Result<Vec<(ManifestEntry, Vec<Finding>)>, PublishError> =
        files.par_iter().with_max_len(16).map(|path| compile_one(folder, path, redactor, &policy)).collect();
    let (files, findings): (Vec<_>, Vec<_>) = results?.into_iter().unzip();
    let findings: Vec<Finding> = findings.into_iter().flatten().collect();
    if !findings.is_empty() {
        return Err(PublishError::Findings(findings));
    }
    let replacements = redactor.replacements().map(|(kind, token)| Replacement { kind, token: token.to_owned() });
    Ok(Manifest { schema: READABLE.current(), replacements: replacements.collect(), files })
}

fn compile_one(
    folder: &Folder,
    path: &str,
    redactor: &Redactor,
    policy: &Policy,
) -> Result<(ManifestEntry, Vec<Finding>), PublishError> {
    if redactor.finds(path) {
        let what = "its name holds something that must not be published".to_owned();
        return Err(PublishError::Refused { path: path.to_owned(), what });
    }
    let bytes = load(folder, path)?;
    let redacted = redactor.redact(path, &bytes)?;
    let changed = redacted.is_some();
    let sealed = path.starts_with("packages/") || path.starts_with("registration/");
    if changed && sealed && path.ends_with(&format!("/{INDEX}")) {
        let what = "a package's index would change, and with it the package's identity".to_owned();
        return Err(PublishError::Refused { path: path.to_owned(), what });
    }
    let published = redacted.as_deref().unwrap_or(&bytes);
    let entry = ManifestEntry {
        path: path.to_owned(),
        original_sha256: Digest::of(&bytes),
        redacted_sha256: Digest::of(published),
        changed,
    };
    Ok((entry, scan::scan(path, published, policy)))
}

/// Redacts a second time, into the archive: memory for one file instead of all.
fn write_archive(
    folder: &Folder,
    manifest: &Manifest,
    redactor: &Redactor,
    file: &File,
    to: &Path,
) -> Result<(Digest, u64), PublishError> {
    let hashing = Hashing { inner: BufWriter::new(file), hasher: Hasher::new() };
    let mut writer = archive::Writer::new(hashing);
    let bytes = canonical::to_line(manifest)?;
    writer.file(MANIFEST, bytes.len() as u64, &bytes[..]).map_err(PublishError::io("write", MANIFEST))?;
    for ManifestEntry { path, redacted_sha256, .. } in &manifest.files {
        let bytes = load(folder, path)?;
        let bytes = redactor.redact(path, &bytes)?.unwrap_or(bytes);
        if Digest::of(&bytes) != *redacted_sha256 {
            return Err(PublishError::Refused {
                path: path.clone(),
                what: "it changed while it was published".to_owned(),
            });
        }
        writer.file(path, bytes.len() as u64, &bytes[..]).map_err(PublishError::io("write", path))?;
    }
    let mut hashing = writer.finish().map_err(shown("write", to))?;
    hashing.flush().and_then(|()| hashing.inner.get_ref().sync_all()).map_err(shown("sync", to))?;
    Ok((hashing.hasher.finish(), hashing.hasher.len()))
}

struct Hashing<W> {
    inner: W,
    hasher: Hasher,
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.inner.write(bytes)?;
        self.hasher.update(&bytes[..n]);
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
