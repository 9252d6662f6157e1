//! A zip with one entry, `bootstrap`, that depends on nothing but the bytes of the binary.

use super::MAX_ZIP_BYTES;
use std::io::{Cursor, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, System, ZipWriter};

/// The artifact could not be packed.
#[derive(Debug, thiserror::Error)]
pub enum PackError {
    /// The zip library refused.
    #[error("the artifact cannot be packed: {0}")]
    Zip(#[from] zip::result::ZipError),
    /// The binary could not be compressed.
    #[error("the artifact cannot be packed: {0}")]
    Io(#[from] std::io::Error),
    /// Lambda would refuse it.
    #[error("the artifact is {0} bytes, and Lambda takes at most {MAX_ZIP_BYTES}; build it with --release")]
    TooLarge(usize),
}

/// Packs the binary with fixed time, mode and system, so that the digest names the code and not the moment or the
/// machine of packing. Compression is the fastest one: the artifact travels once, and a rehearsal waits for it.
///
/// # Errors
/// When the zip cannot be written or is too large for Lambda.
pub fn pack(bootstrap: &[u8]) -> Result<Vec<u8>, PackError> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .compression_level(Some(1))
        .last_modified_time(DateTime::DEFAULT)
        .system(System::Unix)
        .unix_permissions(0o755);
    let mut writer = ZipWriter::new(Cursor::new(Vec::with_capacity(bootstrap.len() / 2)));
    writer.start_file("bootstrap", options)?;
    writer.write_all(bootstrap)?;
    let zip = writer.finish()?.into_inner();
    if zip.len() > MAX_ZIP_BYTES { Err(PackError::TooLarge(zip.len())) } else { Ok(zip) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    #[test]
    fn the_zip_holds_the_binary_executable_and_timeless() {
        let bytes: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
        let zip = pack(&bytes).unwrap();
        let mut archive = zip::ZipArchive::new(Cursor::new(&zip)).unwrap();
        assert_eq!(archive.len(), 1);
        let mut entry = archive.by_name("bootstrap").unwrap();
        assert_eq!(entry.unix_mode().map(|mode| mode & 0o777), Some(0o755));
        assert_eq!(entry.last_modified(), Some(DateTime::DEFAULT));
        let mut back = Vec::new();
        entry.read_to_end(&mut back).unwrap();
        assert_eq!(back, bytes);
    }

    /// Pins the format: if the packing library or its settings change, artifacts get other names, and that must be
    /// a decision.
    #[test]
    fn the_digest_of_a_known_binary_is_known() {
        let digest = evidence::digest::Digest::of(&pack(b"#!/bin/sh\n").unwrap());
        assert_eq!(digest.to_string(), "4e0a020e59e5101f0e811bd98820ddab0459fcad73200a7b847c1090e0af0230");
    }
}
