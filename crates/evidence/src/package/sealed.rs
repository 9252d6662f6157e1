//! A sealed package: read only, verified when opened and again whenever a file is read.

use super::{PackageError, check_folder, index::Index};
use crate::{digest::Digest, tree::Folder};
use std::{
    io::Read as _,
    path::{Path, PathBuf},
};

/// A package whose every byte has been checked against its index. Nothing in this crate writes to it.
#[derive(Debug)]
pub struct Sealed {
    path: PathBuf,
    folder: Folder,
    identity: Digest,
    index: Index,
}

impl Sealed {
    /// Opens and fully verifies the package in `folder`.
    ///
    /// # Errors
    /// [`PackageError::Invalid`] with every problem; [`PackageError::Io`] if the folder cannot be opened.
    pub fn open(folder: &Path) -> Result<Self, PackageError> {
        let open = Folder::open(folder).map_err(PackageError::io("open", folder.display().to_string()))?;
        let checked = check_folder(&open);
        match checked.index {
            Some((identity, index)) if checked.problems.is_empty() => {
                Ok(Self { path: folder.to_owned(), folder: open, identity, index })
            }
            _ => Err(PackageError::Invalid { path: folder.to_owned(), problems: checked.problems }),
        }
    }

    /// The package that [`super::Draft::seal`] has just hashed, written and renamed.
    pub(super) fn just_sealed(path: PathBuf, folder: Folder, index: Index) -> Self {
        Self { identity: index.identity(), path, folder, index }
    }

    /// SHA-256 of `index.json`.
    #[must_use]
    pub fn identity(&self) -> &Digest {
        &self.identity
    }

    /// What the package holds.
    #[must_use]
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// The folder as opened.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The bytes of a file, checked again: what is judged is what was sealed.
    ///
    /// # Errors
    /// [`PackageError::NoSuchFile`] if not listed; [`PackageError::Invalid`] if the bytes changed since.
    pub fn read(&self, path: &str) -> Result<Vec<u8>, PackageError> {
        let file = self.index.find(path).ok_or_else(|| PackageError::NoSuchFile(path.to_owned()))?;
        let source = self.folder.file(path).map_err(PackageError::io("open", path))?;
        // One byte more than listed: the end is found without growing the buffer.
        let mut bytes = Vec::with_capacity(usize::try_from(file.size + 1).unwrap_or(0));
        source.take(file.size + 1).read_to_end(&mut bytes).map_err(PackageError::io("read", path))?;
        if Digest::of(&bytes) == file.sha256 {
            return Ok(bytes);
        }
        let message = "changed since the package was opened";
        let problem = crate::problem::Problem::new(crate::problem::Kind::DigestDiffers, path, message);
        Err(PackageError::Invalid { path: self.path.clone(), problems: vec![problem] })
    }
}
