//! Writing an archive.

use crate::name::{NameError, NameSet, check_path};
use flate2::{Compression, GzBuilder, write::GzEncoder};
use std::io::{self, Read, Write};

/// Writes files one after the other; the order is the caller's and part of the bytes.
pub struct Writer<W: Write> {
    tar: tar::Builder<GzEncoder<W>>,
    names: NameSet,
}

impl<W: Write> Writer<W> {
    /// An archive on its way into `out`. The gzip header carries no time and no name.
    pub fn new(out: W) -> Self {
        // 255: "unknown" operating system (RFC 1952), so that the bytes do not depend on where they were made.
        let gzip = GzBuilder::new().mtime(0).operating_system(255).write(out, Compression::default());
        Self { tar: tar::Builder::new(gzip), names: NameSet::new() }
    }

    /// Adds a file of exactly `size` bytes.
    ///
    /// # Errors
    /// Unsafe or repeated path, another number of bytes than said, or the writer's.
    pub fn file(&mut self, path: &str, size: u64, content: impl Read) -> io::Result<()> {
        let refused = |error: NameError| io::Error::new(io::ErrorKind::InvalidInput, error);
        check_path(path).and_then(|()| self.names.insert(path)).map_err(refused)?;
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(tar::EntryType::Regular);
        header.set_mode(0o644);
        header.set_uid(0);
        header.set_gid(0);
        header.set_mtime(0);
        header.set_size(size);
        let mut content = Exact { inner: content.take(size + 1), left: size };
        self.tar.append_data(&mut header, path, &mut content)?;
        match content.left {
            0 => Ok(()),
            left => Err(io::Error::new(io::ErrorKind::UnexpectedEof, format!("{path} is {left} bytes short"))),
        }
    }

    /// Ends the archive and returns the writer.
    ///
    /// # Errors
    /// The writer's.
    pub fn finish(self) -> io::Result<W> {
        self.tar.into_inner()?.finish()
    }
}

/// Refuses more bytes than promised, which would shift everything after them.
struct Exact<R> {
    inner: io::Take<R>,
    left: u64,
}

impl<R: Read> Read for Exact<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.left = self
            .left
            .checked_sub(n as u64)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "file is longer than it was"))?;
        Ok(n)
    }
}
