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
        let mut file = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(|e| Failure::io("open lock", &path, &e))?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => return Err(held(folder, &mut file)),
            Err(e) => return Err(Failure::io("lock", &path, &e.into())),
        }
        let write = |file: &mut File| -> std::io::Result<()> {
            file.set_len(0)?;
            file.rewind()?;
            write!(file, "{}", std::process::id())
        };
        write(&mut file).map_err(|e| Failure::io("write lock", &path, &e))?;
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
