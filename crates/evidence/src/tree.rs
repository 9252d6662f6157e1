//! Folders looked at through file descriptors, so that no symbolic link is ever followed inside them.

use rustix::{
    fs::{AtFlags, CWD, Dir, FileType, Mode, OFlags, fstat, mkdirat, openat, statat},
    io::Errno,
};
use std::{
    fs::File,
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::Path,
};

/// Most entries a walk returns; more is an error, not a shorter list.
pub const MAX_ENTRIES: usize = 1_000_000;
/// Deepest folder a walk enters.
const MAX_DEPTH: usize = crate::name::MAX_DEPTH + 4;
const FOLDER: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// What stands under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// Regular file.
    File {
        /// Bytes.
        size: u64,
        /// Names this file has in the file system.
        links: u64,
    },
    /// Symbolic link, wherever it leads.
    Symlink,
    /// Folder without entries.
    EmptyFolder,
    /// Socket, device, pipe.
    Special,
    /// Name is not UTF-8, or the folder is too deep to be entered.
    Strange,
}

/// One entry of a walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Relative path with `/`.
    pub path: String,
    /// What stands there.
    pub entry: Entry,
}

/// An open folder.
#[derive(Debug)]
pub struct Folder {
    fd: OwnedFd,
}

impl Folder {
    /// Opens the folder that a person named; here, and only here, a link is followed.
    ///
    /// # Errors
    /// Not there, not a folder, no permission.
    pub fn open(path: &Path) -> io::Result<Self> {
        Ok(Self { fd: openat(CWD, path, FOLDER, Mode::empty())? })
    }

    /// Opens a folder inside this one.
    ///
    /// # Errors
    /// As [`Folder::open`], and if any part of the path is a symbolic link.
    pub fn folder(&self, path: &str) -> io::Result<Self> {
        let mut fd = self.fd.try_clone()?;
        for part in path.split('/').filter(|part| !part.is_empty()) {
            fd = openat(&fd, part, FOLDER | OFlags::NOFOLLOW, Mode::empty())?;
        }
        Ok(Self { fd })
    }

    /// Opens a regular file inside this folder for reading.
    ///
    /// # Errors
    /// Not there, no permission, any part a symbolic link, or not a regular file.
    pub fn file(&self, path: &str) -> io::Result<File> {
        let fd = match path.rsplit_once('/') {
            None => open_leaf(self.fd.as_fd(), path)?,
            Some((folder, leaf)) => open_leaf(self.folder(folder)?.fd.as_fd(), leaf)?,
        };
        if FileType::from_raw_mode(fstat(&fd)?.st_mode) != FileType::RegularFile {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        Ok(File::from(fd))
    }

    /// Creates a new file, read-only for everyone afterwards, and the folders above it.
    ///
    /// # Errors
    /// The file is there already, or a part of the path is not a folder.
    pub fn create(&self, path: &str) -> io::Result<File> {
        let mut fd = self.fd.try_clone()?;
        let (folders, leaf) = path.rsplit_once('/').unwrap_or(("", path));
        for part in folders.split('/').filter(|part| !part.is_empty()) {
            match mkdirat(&fd, part, Mode::from_raw_mode(0o755)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(errno) => return Err(errno.into()),
            }
            fd = openat(&fd, part, FOLDER | OFlags::NOFOLLOW, Mode::empty())?;
        }
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        Ok(File::from(openat(&fd, leaf, flags, Mode::from_raw_mode(0o444))?))
    }

    /// What stands under `path`; `None` if nothing does.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn entry(&self, path: &str) -> io::Result<Option<Entry>> {
        let (folder, leaf) = path.rsplit_once('/').unwrap_or(("", path));
        let folder = match self.folder(folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            other => other?,
        };
        match statat(&folder.fd, leaf, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Ok(Some(classify(&stat))),
            Err(Errno::NOENT) => Ok(None),
            Err(errno) => Err(errno.into()),
        }
    }

    /// Everything below, sorted by path; folders appear only if they are empty.
    ///
    /// # Errors
    /// Those of the file system, and more than [`MAX_ENTRIES`] entries.
    pub fn walk(&self) -> io::Result<Vec<Found>> {
        let mut found = Vec::new();
        walk_into(self.fd.as_fd(), "", 0, &mut found)?;
        found.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        Ok(found)
    }

    /// Names directly in this folder, sorted; names that are not UTF-8 with replacement characters.
    ///
    /// # Errors
    /// Those of the file system.
    pub fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in Dir::read_from(&self.fd)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name != "." && name != ".." {
                names.push(name);
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    /// The descriptor, for renames and syncs.
    #[must_use]
    pub fn fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

fn open_leaf(folder: BorrowedFd<'_>, leaf: &str) -> io::Result<OwnedFd> {
    // NONBLOCK: opening a pipe must not wait for a writer; it has no effect on regular files.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(openat(folder, leaf, flags, Mode::empty())?)
}

fn classify(stat: &rustix::fs::Stat) -> Entry {
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => {
            // The widths of these fields differ between systems.
            #[allow(clippy::useless_conversion)]
            let links = u64::from(stat.st_nlink);
            Entry::File { size: u64::try_from(stat.st_size).unwrap_or(0), links }
        }
        FileType::Symlink => Entry::Symlink,
        FileType::Directory => Entry::EmptyFolder,
        _ => Entry::Special,
    }
}

fn walk_into(folder: BorrowedFd<'_>, prefix: &str, depth: usize, found: &mut Vec<Found>) -> io::Result<bool> {
    let mut empty = true;
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let raw = entry.file_name();
        if matches!(raw.to_bytes(), b"." | b"..") {
            continue;
        }
        empty = false;
        if found.len() >= MAX_ENTRIES {
            return Err(io::Error::other(format!("more than {MAX_ENTRIES} entries")));
        }
        let name = raw.to_str().map_or_else(|_| raw.to_string_lossy().into_owned(), ToOwned::to_owned);
        let path = if prefix.is_empty() { name } else { format!("{prefix}/{name}") };
        let kind = classify(&statat(folder, raw, AtFlags::SYMLINK_NOFOLLOW)?);
        let strange = raw.to_str().is_err() || (kind == Entry::EmptyFolder && depth >= MAX_DEPTH);
        if strange {
            found.push(Found { path, entry: Entry::Strange });
        } else if kind == Entry::EmptyFolder {
            let inner = openat(folder, raw, FOLDER | OFlags::NOFOLLOW, Mode::empty())?;
            if walk_into(inner.as_fd(), &path, depth + 1, found)? {
                found.push(Found { path, entry: Entry::EmptyFolder });
            }
        } else {
            found.push(Found { path, entry: kind });
        }
    }
    Ok(empty)
}
