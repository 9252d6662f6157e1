//! A sealed package: read only, verified when opened and again whenever a file is read.

use super::{PackageError, check_folder, index::Index, listing::read};
use crate::{digest::Digest, tree::Folder};
use std::path::{Path, PathBuf};

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

    /// The package whose every byte [`super::Listing`] has checked.
    pub(super) fn verified(path: PathBuf, folder: Folder, identity: Digest, index: Index) -> Self {
        Self { path, folder, identity, index }
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
        read(source, &self.path, file)
    }
}
