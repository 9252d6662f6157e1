//! SHA-256 digests as values.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use sha2::{Digest as _, Sha256};
use std::{fmt, io, str::FromStr};

/// Bytes read at a time while hashing a stream: the memory one hashing thread needs.
pub const BUFFER: usize = 256 * 1024;

/// A SHA-256 digest; its text form is 64 lower-case hex digits and nothing else.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest([u8; 32]);

impl Digest {
    /// What stands for "no predecessor": 64 zeros.
    pub const ZERO: Self = Self([0; 32]);

    /// Digest of `bytes`.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// Digest and length of everything `reader` yields, with a bounded buffer.
    ///
    /// # Errors
    /// Those of the reader.
    pub fn of_reader(mut reader: impl io::Read) -> io::Result<(Self, u64)> {
        let mut hasher = Hasher::new();
        let mut buffer = vec![0; BUFFER];
        loop {
            match reader.read(&mut buffer) {
                Ok(0) => return Ok((hasher.finish(), hasher.len())),
                Ok(n) => hasher.update(&buffer[..n]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// The 32 bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = [0_u8; 64];
        hex::encode_to_slice(self.0, &mut text).map_err(|_| fmt::Error)?;
        f.pad(std::str::from_utf8(&text).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

/// The text is not a digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a SHA-256 digest: expected 64 lower-case hex digits")]
pub struct ParseDigestError;

impl FromStr for Digest {
    type Err = ParseDigestError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text.bytes().any(|b| b.is_ascii_uppercase()) {
            return Err(ParseDigestError);
        }
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes).map_err(|_| ParseDigestError)?;
        Ok(Self(bytes))
    }
}

impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}

/// A digest in the making.
#[derive(Clone, Default)]
pub struct Hasher {
    state: Sha256,
    len: u64,
}

impl Hasher {
    /// Nothing hashed yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `bytes`.
    pub fn update(&mut self, bytes: &[u8]) {
        self.state.update(bytes);
        self.len += bytes.len() as u64;
    }

    /// Bytes hashed since the last [`Hasher::finish`].
    #[must_use]
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Whether nothing has been hashed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The digest so far.
    #[must_use]
    pub fn finish(&self) -> Digest {
        Digest(self.state.clone().finalize().into())
    }
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hasher({} bytes)", self.len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // FIPS 180-4 example values of SHA-256.
    const ABC: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[test]
    fn known_answers() {
        assert_eq!(Digest::of(b"abc").to_string(), ABC);
        assert_eq!(Digest::of(b"").to_string(), EMPTY);
        let long = vec![7; BUFFER * 2 + 3];
        assert_eq!(Digest::of_reader(&long[..]).unwrap(), (Digest::of(&long), long.len() as u64));
    }

    #[test]
    fn text_form_is_strict() {
        assert_eq!(ABC.parse::<Digest>().unwrap(), Digest::of(b"abc"));
        let bad = [String::new(), ABC.to_uppercase(), ABC[1..].to_owned(), format!("{ABC} "), ABC.replace('b', "g")];
        for text in bad {
            assert_eq!(text.parse::<Digest>(), Err(ParseDigestError), "{text}");
        }
    }

    #[test]
    fn json_form_is_the_text_form() {
        let json = serde_json::to_string(&Digest::of(b"abc")).unwrap();
        assert_eq!(json, format!("\"{ABC}\""));
        assert_eq!(serde_json::from_str::<Digest>(&json).unwrap(), Digest::of(b"abc"));
        assert!(serde_json::from_str::<Digest>("\"ab\"").is_err());
    }
}
