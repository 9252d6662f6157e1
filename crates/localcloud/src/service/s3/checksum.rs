//! Checksums of objects ("Checking object integrity", S3 user guide): base64 of big-endian bytes.

use super::errors::bad_digest;
use crate::error::ApiError;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

/// Checksums of one object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Checksums {
    pub(super) crc32: String,
    /// Kept if the client sent one.
    pub(super) sha256: Option<String>,
    /// Entity tag with its quotes. It "may or may not be an MD5 digest of the object data" ("Object", S3 API
    /// reference); here it is half of the SHA-256.
    pub(super) etag: String,
}

/// Computes the checksums, and compares them with those that came along.
pub(super) fn verify(body: &[u8], crc32: Option<&str>, sha256: Option<&str>) -> Result<Checksums, ApiError> {
    let digest = Sha256::digest(body);
    let own_sha256 = BASE64_STANDARD.encode(digest);
    let own_crc32 = BASE64_STANDARD.encode(crc32fast::hash(body).to_be_bytes());
    if crc32.is_some_and(|given| given != own_crc32) || sha256.is_some_and(|given| given != own_sha256) {
        return Err(bad_digest());
    }
    let tag = hex::encode(digest.iter().take(16).copied().collect::<Vec<u8>>());
    Ok(Checksums { crc32: own_crc32, sha256: sha256.map(str::to_owned), etag: format!("\"{tag}\"") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrong_checksum_is_refused() {
        // CRC-32 of "123456789" is 0xcbf43926.
        assert_eq!(verify(b"123456789", Some("y/Q5Jg=="), None).unwrap().crc32, "y/Q5Jg==");
        assert_eq!(verify(b"123456780", Some("y/Q5Jg=="), None).unwrap_err().code, "BadDigest");
        assert_eq!(verify(b"", None, Some("AAAA")).unwrap_err().code, "BadDigest");
    }
}
