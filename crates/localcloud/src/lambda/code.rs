//! Deployment packages, unzipped once per digest into folders that vanish with their last user.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

/// Most bytes that an unzipped package may have ("Lambda quotas").
const UNZIPPED_LIMIT: u64 = 250 * 1024 * 1024;

/// An unzipped deployment package.
#[derive(Debug)]
pub(crate) struct Code {
    /// SHA-256 of the zip, base64, as `CodeSha256` shows it.
    pub(crate) sha256_base64: String,
    /// Size of the zip in bytes.
    pub(crate) zip_size: usize,
    folder: tempfile::TempDir,
}

/// Why a package was not accepted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum CodeError {
    /// Not a zip, or one with entries outside its folder.
    #[error("Could not unzip uploaded file. Please check your file, then try to upload again.")]
    Zip,
    /// Too large once unzipped.
    #[error("Unzipped size must be smaller than {UNZIPPED_LIMIT} bytes")]
    TooLarge,
    /// The local disk failed.
    #[error("cannot write the package's folder: {0}")]
    Disk(#[from] io::Error),
}

impl Code {
    /// The folder that `LAMBDA_TASK_ROOT` names.
    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }

    /// The runtime's entry point.
    pub(crate) fn bootstrap(&self) -> PathBuf {
        self.root().join("bootstrap")
    }
}

/// The digest of a zip, as `CodeSha256` shows it.
pub(crate) fn digest(zip: &[u8]) -> String {
    STANDARD.encode(Sha256::digest(zip))
}

/// Unzips a package. Blocks on the disk.
pub(crate) fn unzip(zip: &[u8]) -> Result<Code, CodeError> {
    let folder = tempfile::Builder::new().prefix(&super::sweep::prefix()).tempdir()?;
    let mut archive = zip::ZipArchive::new(Cursor::new(zip)).map_err(|_| CodeError::Zip)?;
    let mut left = UNZIPPED_LIMIT;
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(|_| CodeError::Zip)?;
        let path = entry.enclosed_name().ok_or(CodeError::Zip)?;
        let target = folder.path().join(path);
        if entry.is_dir() {
            std::fs::create_dir_all(&target)?;
            continue;
        }
        if let Some(parent) = target.parent() {
            std::fs::create_dir_all(parent)?;
        }
        let mode = entry.unix_mode();
        let mut file = std::fs::File::create(&target)?;
        // One byte more than allowed tells "exactly full" from "too large", whatever the header claims.
        let copied =
            io::copy(&mut entry.by_ref().take(left.saturating_add(1)), &mut file).map_err(|_| CodeError::Zip)?;
        left = left.checked_sub(copied).ok_or(CodeError::TooLarge)?;
        set_mode(&file, mode)?;
    }
    Ok(Code { sha256_base64: digest(zip), zip_size: zip.len(), folder })
}

#[cfg(unix)]
fn set_mode(file: &std::fs::File, mode: Option<u32>) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = mode.unwrap_or(0o644) & 0o777;
    file.set_permissions(std::fs::Permissions::from_mode(mode | 0o400))
}

#[cfg(not(unix))]
fn set_mode(_file: &std::fs::File, _mode: Option<u32>) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use zip::write::SimpleFileOptions;

    fn zipped(name: &str, content: &[u8]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        writer.start_file(name, SimpleFileOptions::default().unix_permissions(0o755)).unwrap();
        writer.write_all(content).unwrap();
        writer.finish().unwrap().into_inner()
    }

    #[test]
    fn a_package_is_unzipped_with_its_modes() {
        use std::os::unix::fs::PermissionsExt;
        let zip = zipped("bootstrap", b"#!/bin/sh\n");
        let code = unzip(&zip).unwrap();
        assert_eq!(code.zip_size, zip.len());
        assert_eq!(std::fs::read(code.bootstrap()).unwrap(), b"#!/bin/sh\n");
        assert_eq!(std::fs::metadata(code.bootstrap()).unwrap().permissions().mode() & 0o777, 0o755);
        let root = code.root().to_owned();
        drop(code);
        assert!(!root.exists());
    }

    #[test]
    fn rubbish_and_escaping_entries_are_refused() {
        assert!(matches!(unzip(b"not a zip"), Err(CodeError::Zip)));
        assert!(matches!(unzip(&zipped("../evil", b"x")), Err(CodeError::Zip)));
    }
}
