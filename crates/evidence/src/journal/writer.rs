//! Appending to a journal.

use super::{
    Entry, Head, JournalError, MAX_LINE, head_path,
    reader::{Extent, Fault, scan},
};
use crate::{atomic, canonical, digest::Digest};
use rustix::{
    fs::{FlockOperation, flock},
    io::Errno,
};
use serde::{Serialize, de::DeserializeOwned};
use std::{
    fs::File,
    io::{self, Seek as _, SeekFrom, Write as _},
    marker::PhantomData,
    path::{Path, PathBuf},
};

/// The one writer of a journal; a lock on the file keeps a second one out, and goes with the process.
#[derive(Debug)]
pub struct Writer<E> {
    path: PathBuf,
    file: File,
    head: Head,
    torn_tail: Option<u64>,
    poisoned: bool,
    events: PhantomData<fn(&E)>,
}

impl<E: Serialize> Writer<E> {
    /// Starts an empty journal at `path`.
    ///
    /// # Errors
    /// [`JournalError::Exists`], or the file system.
    pub fn create(path: &Path) -> Result<Self, JournalError> {
        let file = match File::options().read(true).append(true).create_new(true).open(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(JournalError::Exists(path.to_owned()));
            }
            other => other.map_err(JournalError::io("create", path))?,
        };
        lock(&file, path)?;
        let writer = Self::new(path, file, Head::EMPTY, None);
        writer.write_head(Head::EMPTY)?;
        Ok(writer)
    }

    /// Goes on with the journal at `path`. A torn tail is cut off ([`Writer::torn_tail`] says so); anything else
    /// that is not sound is refused.
    ///
    /// # Errors
    /// [`JournalError::Broken`], [`JournalError::Event`], [`JournalError::InUse`], or the file system.
    pub fn resume(path: &Path) -> Result<Self, JournalError>
    where
        E: DeserializeOwned,
    {
        let mut file = File::options().read(true).append(true).open(path).map_err(JournalError::io("open", path))?;
        lock(&file, path)?;
        let mut unknown = None;
        let (extent, faults) = scan(path, &mut |entry| {
            if let (None, Err(source)) = (&unknown, serde_json::from_value::<E>(entry.event)) {
                unknown = Some(JournalError::Event { line: entry.seq, source });
            }
        })?;
        if let Some(Fault { line, reason }) = faults.into_iter().next() {
            return Err(JournalError::Broken { path: path.to_owned(), line, reason });
        }
        if let Some(error) = unknown {
            return Err(error);
        }
        let Extent { head, bytes, torn } = extent;
        if torn.is_some() {
            let cut = file.set_len(bytes).and_then(|()| file.sync_all());
            cut.map_err(JournalError::io("cut the torn tail of", path))?;
        }
        file.seek(SeekFrom::End(0)).map_err(JournalError::io("read", path))?;
        let writer = Self::new(path, file, head, torn);
        writer.write_head(head)?;
        Ok(writer)
    }

    /// Appends an event that happened at `at_ms` (milliseconds since the epoch); once this returns, the line is
    /// on the disk. Returns its number.
    ///
    /// # Errors
    /// The file system, an event without canonical form or longer than [`MAX_LINE`]. After a failed write the
    /// writer refuses to go on, since what reached the disk is unknown.
    pub fn append(&mut self, at_ms: i64, event: &E) -> Result<u64, JournalError> {
        if self.poisoned {
            return Err(JournalError::Poisoned);
        }
        let entry = Entry { seq: self.head.seq + 1, at_ms, prev: self.head.hash, event };
        let mut line = canonical::to_vec(&entry)?;
        if line.len() >= MAX_LINE {
            let error = io::Error::new(io::ErrorKind::InvalidInput, format!("event is larger than {MAX_LINE} bytes"));
            return Err(JournalError::io("append to", &self.path)(error));
        }
        let head = Head { seq: entry.seq, hash: Digest::of(&line) };
        line.push(b'\n');
        self.poisoned = true;
        let written = self.file.write_all(&line).and_then(|()| self.file.sync_data());
        written.map_err(JournalError::io("append to", &self.path))?;
        self.write_head(head)?;
        self.head = head;
        self.poisoned = false;
        Ok(head.seq)
    }

    /// Bytes of the torn line that [`Writer::resume`] cut off, if there was one.
    #[must_use]
    pub fn torn_tail(&self) -> Option<u64> {
        self.torn_tail
    }

    /// Number and hash of the last line.
    #[must_use]
    pub fn head(&self) -> Head {
        self.head
    }

    /// The journal's file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn new(path: &Path, file: File, head: Head, torn_tail: Option<u64>) -> Self {
        Self { path: path.to_owned(), file, head, torn_tail, poisoned: false, events: PhantomData }
    }

    fn write_head(&self, head: Head) -> Result<(), JournalError> {
        let path = head_path(&self.path);
        atomic::write(&path, &canonical::to_line(&head)?).map_err(JournalError::io("write", &path))
    }
}

impl<E> Drop for Writer<E> {
    /// Lets go of the lock itself instead of leaving that to the closing of the file: a process that another thread is
    /// just starting has a copy of the descriptor until it becomes another program, and with it the lock.
    fn drop(&mut self) {
        // What cannot be unlocked is unlocked when the last copy is closed.
        let _ = flock(&self.file, FlockOperation::Unlock);
    }
}

fn lock(file: &File, path: &Path) -> Result<(), JournalError> {
    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(()),
        Err(Errno::WOULDBLOCK) => Err(JournalError::InUse(path.to_owned())),
        Err(errno) => Err(JournalError::io("lock", path)(errno.into())),
    }
}
