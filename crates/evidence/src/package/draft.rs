//! A package being written. It becomes visible under its name by one rename, or never.

use super::{
    PackageError, Sealed,
    check::compare,
    index::{FileEntry, INDEX, Index, READABLE, fold_is_index},
};
use crate::{
    canonical,
    digest::{BUFFER, Digest, Hasher},
    name::{NameSet, check_path, check_single},
    tree::{Entry, Folder, Found},
};
use rayon::prelude::*;
use rustix::{
    fs::{Mode, RenameFlags, fsync, mkdirat, renameat_with},
    io::Errno,
};
use serde::Serialize;
use std::{
    collections::{BTreeSet, HashSet},
    fs::{self, File},
    io::{self, Read, Write as _},
    path::{Path, PathBuf},
};

/// Folder name of the draft of `name`.
#[must_use]
pub fn draft_name(name: &str) -> String {
    format!(".draft-{name}")
}

/// A package being written. Dropped without [`Draft::seal`], its folder stays as `.draft-<name>`: an interrupted
/// freeze can be looked at, and never passes for a package.
#[derive(Debug)]
pub struct Draft {
    parent: PathBuf,
    folder: Folder,
    name: String,
    run: String,
    predecessors: Vec<Digest>,
    names: NameSet,
    /// In order of writing; `names` keeps them apart.
    files: Vec<FileEntry>,
    /// Files were written without a sync of their own.
    unsynced: bool,
}

impl Draft {
    /// Starts the package `name` of run `run` in `parent`, which is created if it is not there.
    /// `predecessors`: identities of all packages sealed before in this run, in order of sealing.
    ///
    /// # Errors
    /// [`PackageError::AlreadySealed`], [`PackageError::LeftoverDraft`], unsafe names, or the file system.
    pub fn create(parent: &Path, name: &str, run: &str, predecessors: &[Digest]) -> Result<Self, PackageError> {
        check_single(name)?;
        check_single(run)?;
        let mut seen = HashSet::new();
        if let Some(twice) = predecessors.iter().find(|identity| !seen.insert(**identity)) {
            return Err(PackageError::RepeatedPredecessor(*twice));
        }
        let shown = parent.display().to_string();
        fs::create_dir_all(parent).map_err(PackageError::io("create", &shown))?;
        let above = Folder::open(parent).map_err(PackageError::io("open", &shown))?;
        if above.entry(name).map_err(PackageError::io("look at", name))?.is_some() {
            return Err(PackageError::AlreadySealed(parent.join(name)));
        }
        let draft = draft_name(name);
        match mkdirat(above.fd(), draft.as_str(), Mode::from_raw_mode(0o755)) {
            Ok(()) => {}
            Err(Errno::EXIST) => return Err(PackageError::LeftoverDraft(parent.join(draft))),
            Err(errno) => return Err(PackageError::io("create", draft)(errno.into())),
        }
        let folder = above.folder(&draft).map_err(PackageError::io("open", draft))?;
        Ok(Self {
            parent: parent.to_owned(),
            folder,
            name: name.to_owned(),
            run: run.to_owned(),
            predecessors: predecessors.to_vec(),
            names: NameSet::new(),
            files: Vec::new(),
            unsynced: false,
        })
    }

    /// Removes the draft that an interrupted freeze of `name` left in `parent`; says whether there was one.
    ///
    /// # Errors
    /// Unsafe name, or the file system.
    pub fn discard_leftover(parent: &Path, name: &str) -> Result<bool, PackageError> {
        check_single(name)?;
        let path = parent.join(draft_name(name));
        match fs::remove_dir_all(&path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(PackageError::io("remove", path.display().to_string())(error)),
        }
    }

    /// Adds a file.
    ///
    /// # Errors
    /// Unsafe or colliding path, before anything is written; or the file system.
    pub fn write(&mut self, path: &str, bytes: &[u8]) -> Result<(), PackageError> {
        self.claim(path)?;
        let written = self.folder.create(path).and_then(|mut file| {
            file.write_all(bytes)?;
            file.sync_all()
        });
        written.map_err(PackageError::io("write", path))?;
        self.files.push(FileEntry { path: path.to_owned(), sha256: Digest::of(bytes), size: bytes.len() as u64 });
        Ok(())
    }

    /// Adds a value as canonical JSON with a final newline.
    ///
    /// # Errors
    /// As [`Draft::write`], and values without a canonical form.
    pub fn write_json(&mut self, path: &str, value: &impl Serialize) -> Result<(), PackageError> {
        let bytes = canonical::to_line(value)?;
        self.write(path, &bytes)
    }

    /// Adds a copy of the file `from`, which must be a regular file of one name: no link of either kind.
    ///
    /// # Errors
    /// As [`Draft::write`], and [`PackageError::Refused`].
    pub fn copy_file(&mut self, path: &str, from: &Path) -> Result<(), PackageError> {
        let shown = from.display().to_string();
        let leaf = from.file_name().and_then(|name| name.to_str()).ok_or_else(|| PackageError::Refused {
            path: shown.clone(),
            what: "its name is not UTF-8 or not a file's".to_owned(),
        })?;
        let parent = from.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let source = Folder::open(parent).map_err(PackageError::io("open", parent.display().to_string()))?;
        match source.entry(leaf).map_err(PackageError::io("look at", &shown))? {
            None => return Err(PackageError::io("read", shown)(io::ErrorKind::NotFound.into())),
            Some(entry) => refuse_odd(&shown, entry)?,
        }
        self.claim(path)?;
        let entry = copy(&source, leaf, &self.folder, path, true)?;
        self.files.push(entry);
        Ok(())
    }

    /// Adds copies of all files below the folder `from`, in parallel, under `prefix` (empty for the top).
    /// Everything is checked before the first byte is written.
    ///
    /// # Errors
    /// As [`Draft::copy_file`].
    pub fn copy_folder(&mut self, prefix: &str, from: &Path) -> Result<(), PackageError> {
        let shown = from.display().to_string();
        let source = Folder::open(from).map_err(PackageError::io("open", &shown))?;
        let found = source.walk().map_err(PackageError::io("list", &shown))?;
        let target = |path: &str| if prefix.is_empty() { path.to_owned() } else { format!("{prefix}/{path}") };
        let before = self.names.clone();
        let checked = found.iter().try_for_each(|Found { path, entry }| {
            refuse_odd(path, *entry)?;
            self.claim(&target(path))
        });
        if let Err(error) = checked {
            self.names = before;
            return Err(error);
        }
        let sync_each = !cfg!(target_os = "linux");
        self.unsynced |= !sync_each;
        let copies: Result<Vec<FileEntry>, PackageError> = found
            .par_iter()
            .map(|Found { path, .. }| copy(&source, path, &self.folder, &target(path), sync_each))
            .collect();
        self.files.extend(copies?);
        Ok(())
    }

    /// Seals the package: index written, everything synced, then one rename to its final name.
    ///
    /// The bytes were hashed on their way to the disk; here the folder is compared with what was written, so that
    /// nothing foreign is sealed in.
    ///
    /// # Errors
    /// [`PackageError::DraftChanged`], [`PackageError::AlreadySealed`], or the file system. The draft then
    /// remains a draft.
    pub fn seal(mut self) -> Result<Sealed, PackageError> {
        drop(self.names);
        self.files.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        let draft = draft_name(&self.name);
        let above = Folder::open(&self.parent).map_err(PackageError::io("open", self.parent.display().to_string()))?;
        // Opened anew by name: what is checked is what will be renamed.
        let folder = above.folder(&draft).map_err(PackageError::io("open", &draft))?;
        let index = Index {
            schema: READABLE.current(),
            name: self.name,
            run: self.run,
            predecessors: self.predecessors,
            files: self.files,
        };
        let found = folder.walk().map_err(PackageError::io("list", &draft))?;
        let (problems, _) = compare(&index.files, found);
        if !problems.is_empty() {
            return Err(PackageError::DraftChanged(problems));
        }
        write_index(&folder, &index)?;
        sync_tree(&folder, &index, self.unsynced).map_err(PackageError::io("sync", &draft))?;
        rename_new(&above, &draft, &index.name, &self.parent)?;
        fsync(above.fd()).map_err(|errno| PackageError::io("sync", self.parent.display().to_string())(errno.into()))?;
        Ok(Sealed::just_sealed(self.parent.join(&index.name), folder, index))
    }

    fn claim(&mut self, path: &str) -> Result<(), PackageError> {
        check_path(path)?;
        if fold_is_index(path) {
            return Err(PackageError::Refused {
                path: path.to_owned(),
                what: "the index is written by seal".to_owned(),
            });
        }
        Ok(self.names.insert(path)?)
    }
}

fn refuse_odd(path: &str, entry: Entry) -> Result<(), PackageError> {
    let what = match entry {
        Entry::File { links: 1, .. } => return Ok(()),
        Entry::File { links, .. } => format!("it has {links} hard links; copy it to a file of its own first"),
        Entry::Symlink => "it is a symbolic link".to_owned(),
        Entry::EmptyFolder => "it is a folder without files".to_owned(),
        Entry::Special => "it is a socket, device or pipe".to_owned(),
        Entry::Strange => "its name is not UTF-8, or it is too deep".to_owned(),
    };
    Err(PackageError::Refused { path: path.to_owned(), what })
}

/// Copies and hashes in one pass.
fn copy(from: &Folder, source: &str, to: &Folder, path: &str, sync: bool) -> Result<FileEntry, PackageError> {
    let mut source = from.file(source).map_err(PackageError::io("open", source))?;
    let mut target = to.create(path).map_err(PackageError::io("create", path))?;
    let (sha256, size) = pump(&mut source, &mut target).map_err(PackageError::io("copy", path))?;
    if sync {
        target.sync_all().map_err(PackageError::io("sync", path))?;
    }
    Ok(FileEntry { path: path.to_owned(), sha256, size })
}

fn pump(source: &mut File, target: &mut File) -> io::Result<(Digest, u64)> {
    let size = usize::try_from(source.metadata()?.len()).unwrap_or(BUFFER);
    // One byte more than the file, so that a small file's end is seen without a second, larger buffer.
    let mut buffer = vec![0; size.saturating_add(1).min(BUFFER)];
    let mut hasher = Hasher::new();
    loop {
        match source.read(&mut buffer) {
            Ok(0) => return Ok((hasher.finish(), hasher.len())),
            Ok(n) => {
                hasher.update(&buffer[..n]);
                target.write_all(&buffer[..n])?;
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

fn write_index(folder: &Folder, index: &Index) -> Result<(), PackageError> {
    let written = folder.create(INDEX).and_then(|mut file| {
        file.write_all(&index.to_bytes())?;
        file.sync_all()
    });
    written.map_err(PackageError::io("write", INDEX))
}

/// Makes files and names durable before the rename makes them visible.
fn sync_tree(folder: &Folder, index: &Index, unsynced: bool) -> io::Result<()> {
    if unsynced {
        // One sync of the file system instead of one per file: for 100,000 files the difference is minutes.
        #[cfg(target_os = "linux")]
        return Ok(rustix::fs::syncfs(folder.fd())?);
    }
    let folders: BTreeSet<&str> =
        index.files.iter().flat_map(|file| file.path.match_indices('/').map(|(at, _)| &file.path[..at])).collect();
    for path in folders {
        fsync(folder.folder(path)?.fd())?;
    }
    Ok(fsync(folder.fd())?)
}

/// Renames only if nothing has the new name.
fn rename_new(above: &Folder, draft: &str, name: &str, parent: &Path) -> Result<(), PackageError> {
    let renamed = match renameat_with(above.fd(), draft, above.fd(), name, RenameFlags::NOREPLACE) {
        // Some file systems do not know the flag. A folder is never renamed over one that holds files.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => rustix::fs::renameat(above.fd(), draft, above.fd(), name),
        other => other,
    };
    match renamed {
        Ok(()) => Ok(()),
        Err(Errno::EXIST | Errno::NOTEMPTY) => Err(PackageError::AlreadySealed(parent.join(name))),
        Err(errno) => Err(PackageError::io("rename", draft)(errno.into())),
    }
}
