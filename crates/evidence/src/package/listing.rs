//! A package whose index has been read and whose bytes are still to be checked: every file is read once, by whoever
//! needs its bytes or by [`Listing::finish`], instead of once to verify and once to use.

use super::{
    PackageError, Sealed,
    check::{hash_all, list},
    index::{FileEntry, Index},
};
use crate::{
    digest::Digest,
    problem::{Kind, Problem},
    tree::Folder,
};
use std::{
    fs::File,
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::{
        OnceLock,
        atomic::{AtomicBool, Ordering},
    },
};

/// A package on its way to being verified. What was read from it means nothing before [`Listing::finish`] has said
/// that the whole package is what was sealed.
#[derive(Debug)]
pub struct Listing {
    path: PathBuf,
    folder: Folder,
    identity: Digest,
    index: Index,
    /// By position in the index: whether the file was read and has the digest that the index says.
    intact: Vec<AtomicBool>,
    /// The folder of the first file that was read, kept open: most of the others are there too.
    usual: OnceLock<(String, Folder)>,
}

impl Listing {
    /// Reads the index of the package in `folder` and compares names, kinds and sizes with it; hashes nothing yet.
    ///
    /// # Errors
    /// As [`Sealed::open`].
    pub fn open(folder: &Path) -> Result<Self, PackageError> {
        let open = Folder::open(folder).map_err(PackageError::io("open", folder.display().to_string()))?;
        let invalid = |problems| PackageError::Invalid { path: folder.to_owned(), problems };
        let (identity, index, problems) = list(&open).map_err(invalid)?;
        if !problems.is_empty() {
            // The digests too: whoever reads the message wants all of it.
            return Err(Sealed::open(folder).err().unwrap_or_else(|| invalid(problems)));
        }
        let intact = index.files.iter().map(|_| AtomicBool::new(false)).collect();
        Ok(Self { path: folder.to_owned(), folder: open, identity, index, intact, usual: OnceLock::new() })
    }

    /// SHA-256 of `index.json`.
    #[must_use]
    pub fn identity(&self) -> &Digest {
        &self.identity
    }

    /// What the package lists.
    #[must_use]
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The bytes of a file, with the digest that the index says.
    ///
    /// # Errors
    /// [`PackageError::NoSuchFile`] if not listed; [`PackageError::Invalid`] if the bytes are others.
    pub fn read(&self, path: &str) -> Result<Vec<u8>, PackageError> {
        let at = self.index.position(path).ok_or_else(|| PackageError::NoSuchFile(path.to_owned()))?;
        let source = self.file(path).map_err(PackageError::io("open", path))?;
        let bytes = read(source, &self.path, &self.index.files[at])?;
        self.intact[at].store(true, Ordering::Relaxed);
        Ok(bytes)
    }

    fn file(&self, path: &str) -> io::Result<File> {
        let Some((parent, leaf)) = path.rsplit_once('/') else { return self.folder.file(path) };
        let (name, folder) = match self.usual.get() {
            Some(usual) => usual,
            None => {
                let opened = (parent.to_owned(), self.folder.folder(parent)?);
                self.usual.get_or_init(|| opened)
            }
        };
        if name == parent { folder.file(leaf) } else { self.folder.file(path) }
    }

    /// Checks what nobody has read; the package is then verified as [`Sealed::open`] does it.
    ///
    /// # Errors
    /// [`PackageError::Invalid`] with every problem.
    pub fn finish(self) -> Result<Sealed, PackageError> {
        let files = self.index.files.iter().zip(&self.intact);
        let unread: Vec<_> =
            files.filter(|(_, intact)| !intact.load(Ordering::Relaxed)).map(|(file, _)| file).collect();
        let problems = hash_all(&self.folder, &unread);
        if problems.is_empty() {
            Ok(Sealed::verified(self.path, self.folder, self.identity, self.index))
        } else {
            Err(PackageError::Invalid { path: self.path, problems })
        }
    }
}

/// Largest file that is read into memory, bytes; larger ones are only hashed.
const MAX_READ: u64 = 1 << 30;

/// Reads a file of the package in the folder `package`, checking its digest.
pub(super) fn read(mut source: File, package: &Path, file: &FileEntry) -> Result<Vec<u8>, PackageError> {
    let path = &file.path;
    if file.size > MAX_READ {
        let what = format!("{} bytes are too many to read at once", file.size);
        return Err(PackageError::Refused { path: path.clone(), what });
    }
    let mut bytes = vec![0; usize::try_from(file.size).unwrap_or(0)];
    match source.read_exact(&mut bytes) {
        Ok(()) if Digest::of(&bytes) == file.sha256 => return Ok(bytes),
        Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
            return Err(PackageError::io("read", path)(error));
        }
        _ => {}
    }
    let message = "has other bytes than the index says, or changed while it was read";
    let problem = Problem::new(Kind::DigestDiffers, path, message);
    Err(PackageError::Invalid { path: package.to_owned(), problems: vec![problem] })
}
