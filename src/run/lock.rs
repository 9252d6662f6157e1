//! One process per run: a lock file that the kernel releases when its holder dies.

use crate::exit::Failure;
use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::io::{Read as _, Seek as _, Write as _};
use std::path::{Path, PathBuf};

/// Held for as long as the process works on a run.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

impl Lock {
    /// Takes the lock of a run folder.
    ///
    /// # Errors
    /// [`Failure::Refused`] naming the holder, if another process has it.
    pub fn take(folder: &Path) -> Result<Self, Failure> {
        let path = path_in(folder);
        let (mut file, is_free) = try_lock(&path)?;
        if !is_free {
            return Err(held(folder, &mut file));
        }
        sign(&mut file, std::process::id().to_string().as_bytes()).map_err(|e| Failure::io("write lock", &path, &e))?;
        Ok(Self { _file: file })
    }

    /// Process id of the living holder, if there is one.
    #[must_use]
    pub fn holder(folder: &Path) -> Option<String> {
        let mut file = File::options().read(true).write(true).open(path_in(folder)).ok()?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => None,
            Err(_) => Some(content(&mut file)),
        }
    }
}

/// Opens a lock's file and locks it, if nobody else has: the kernel lets go of it when its holder dies.
pub(super) fn try_lock(path: &Path) -> Result<(File, bool), Failure> {
    let open = File::options().read(true).write(true).create(true).truncate(false).open(path);
    let file = open.map_err(|e| Failure::io("open lock", path, &e))?;
    match flock(&file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok((file, true)),
        Err(rustix::io::Errno::WOULDBLOCK) => Ok((file, false)),
        Err(e) => Err(Failure::io("lock", path, &e.into())),
    }
}

/// Writes who holds a lock into its file, in place of who held it before.
pub(super) fn sign(file: &mut File, holder: &[u8]) -> std::io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(holder)?;
    file.sync_all()
}

fn path_in(folder: &Path) -> PathBuf {
    folder.join("lock")
}

fn content(file: &mut File) -> String {
    let mut text = String::new();
    let _ = file.read_to_string(&mut text);
    text.trim().to_owned()
}

fn held(folder: &Path, file: &mut File) -> Failure {
    let run = folder.file_name().and_then(|n| n.to_str()).unwrap_or_default().to_owned();
    let pid = content(file);
    Failure::Refused(format!(
        "run {run} is held by process {pid}; wait for it, or stop it with `kill {pid}` and try again"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_holder_is_refused_and_the_first_is_named() {
        let folder = tempfile::tempdir().expect("folder");
        let lock = Lock::take(folder.path()).expect("free");
        let refused = Lock::take(folder.path()).expect_err("held").to_string();
        assert!(refused.contains(&format!("process {}", std::process::id())), "{refused}");
        assert_eq!(Lock::holder(folder.path()), Some(std::process::id().to_string()));
        drop(lock);
        assert_eq!(Lock::holder(folder.path()), None, "a dead holder's lock is free");
        Lock::take(folder.path()).expect("free again");
    }
}
