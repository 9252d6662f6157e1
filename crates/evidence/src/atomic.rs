//! Writes that are there completely or not at all, also after a power cut.

use rustix::fs::fsync;
use std::{
    ffi::OsString,
    fs::{self, File},
    io::{self, Write as _},
    path::Path,
};

/// Replaces `path` with `bytes`: temporary name beside it, `fsync`, rename, `fsync` of the folder.
///
/// Two writers of the same path at the same time are the caller's to prevent.
///
/// # Errors
/// Those of the file system; the old file is then still there, unchanged.
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let name = path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "path has no file name"))?;
    let mut temporary = OsString::from(".tmp-");
    temporary.push(name);
    let temporary = path.with_file_name(temporary);
    let written = write_new(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
    if let Err(error) = written {
        // The first error is the one to report; a leftover temporary file is overwritten next time.
        let _ = fs::remove_file(&temporary);
        return Err(error);
    }
    sync_parent(path)
}

fn write_new(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A leftover of a killed write, or somebody's link: either way not something to write through.
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut file = File::options().write(true).create_new(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// Makes the names in the folder of `path` durable.
///
/// # Errors
/// Those of the file system.
pub fn sync_parent(path: &Path) -> io::Result<()> {
    let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fsync(File::open(parent)?)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.head");
        write(&path, b"one").unwrap();
        fs::write(folder.path().join(".tmp-journal.head"), b"left over").unwrap();
        write(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn does_not_write_through_a_link_at_the_temporary_name() {
        let folder = tempfile::tempdir().unwrap();
        let victim = folder.path().join("victim");
        fs::write(&victim, b"mine").unwrap();
        std::os::unix::fs::symlink(&victim, folder.path().join(".tmp-x")).unwrap();
        write(&folder.path().join("x"), b"new").unwrap();
        assert_eq!(fs::read(&victim).unwrap(), b"mine");
    }

    #[test]
    fn a_failed_write_keeps_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("target");
        fs::create_dir(&path).unwrap();
        assert!(write(&path, b"x").is_err());
        assert!(path.is_dir());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
