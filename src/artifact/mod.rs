//! The function artifact: building or finding the `bootstrap` binary, checking that Lambda can run it, and packing it
//! so that the same bytes in give the same digest out.

mod build;
mod cargo;
mod elf;
mod pack;

pub use build::{Build, BuildError};
pub use elf::{Architecture, Binary, ElfError, GlibcVersion};
pub use pack::{PackError, pack};

use base64::Engine as _;
use evidence::digest::Digest;

/// Largest zip that Lambda takes from S3, bytes; the unzipped limit of 250 MB is further away ("Lambda quotas").
pub const MAX_ZIP_BYTES: usize = 50 * 1024 * 1024;

/// A packed artifact with the digests that name it everywhere.
#[derive(Clone, Debug)]
pub struct Artifact {
    /// The zip.
    pub zip: Vec<u8>,
    /// SHA-256 of the zip.
    pub digest: Digest,
}

impl Artifact {
    /// Packs a bootstrap binary.
    ///
    /// # Errors
    /// When the zip cannot be written or is larger than Lambda takes.
    pub fn of_bootstrap(bootstrap: &[u8]) -> Result<Self, PackError> {
        let zip = pack(bootstrap)?;
        let digest = Digest::of(&zip);
        Ok(Self { zip, digest })
    }

    /// SHA-256 of the zip as Lambda reports it in `CodeSha256`: base64.
    #[must_use]
    pub fn code_sha256(&self) -> String {
        base64::engine::general_purpose::STANDARD.encode(self.digest.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_bytes_give_the_same_digest_in_both_spellings() {
        let (one, two) = (Artifact::of_bootstrap(b"binary").unwrap(), Artifact::of_bootstrap(b"binary").unwrap());
        assert_eq!(one.digest, two.digest);
        assert_ne!(one.digest, Artifact::of_bootstrap(b"another").unwrap().digest);
        let decoded = base64::engine::general_purpose::STANDARD.decode(one.code_sha256()).unwrap();
        assert_eq!(decoded, one.digest.as_bytes());
        assert_eq!(hex::encode(decoded), one.digest.to_string());
    }
}
