//! The `aws-chunked` content encoding ("Signature calculations … Transferring payload in multiple chunks", S3 API
//! reference): `<hex size>[;chunk-signature=…]` and data, line by line, then trailers.

use crate::error::ApiError;
use hyper::body::Bytes;

/// A decoded body.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Decoded {
    pub(super) body: Bytes,
    /// Trailing headers with lower-case names, for example `x-amz-checksum-crc32`.
    pub(super) trailers: Vec<(String, String)>,
}

/// Decodes a whole body.
pub(super) fn decode(encoded: &[u8]) -> Result<Decoded, ApiError> {
    let mut body = Vec::with_capacity(encoded.len());
    let mut rest = encoded;
    loop {
        let (line, after) = split_line(rest)?;
        let size = line.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(size, 16).map_err(|_| incomplete())?;
        if size == 0 {
            return Ok(Decoded { body: body.into(), trailers: trailers(after) });
        }
        let data = after.get(..size).ok_or_else(incomplete)?;
        body.extend_from_slice(data);
        rest = after.get(size..).and_then(|tail| tail.strip_prefix(b"\r\n")).ok_or_else(incomplete)?;
    }
}

fn split_line(bytes: &[u8]) -> Result<(&str, &[u8]), ApiError> {
    let end = bytes.windows(2).position(|pair| pair == b"\r\n").ok_or_else(incomplete)?;
    let (line, after) = bytes.split_at(end);
    Ok((std::str::from_utf8(line).map_err(|_| incomplete())?, after.get(2..).unwrap_or_default()))
}

fn trailers(bytes: &[u8]) -> Vec<(String, String)> {
    String::from_utf8_lossy(bytes)
        .lines()
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.trim().to_ascii_lowercase(), value.trim().to_owned()))
        .collect()
}

fn incomplete() -> ApiError {
    ApiError::bad("IncompleteBody", "The request body terminated unexpectedly")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn chunks_are_joined_and_trailers_kept() {
        let encoded = b"5;chunk-signature=ab\r\nhello\r\n1\r\n!\r\n0\r\nx-amz-checksum-crc32:AAAA\r\n\r\n";
        let decoded = decode(encoded).unwrap();
        assert_eq!(&decoded.body[..], b"hello!");
        assert_eq!(decoded.trailers, [("x-amz-checksum-crc32".to_owned(), "AAAA".to_owned())]);
    }

    #[test]
    fn a_torn_body_is_refused() {
        for torn in [&b"5\r\nhel"[..], b"5\r\nhello", b"5\r\nhello\r\n", b"zz\r\n", b"", b"ffffffffffffffff\r\na\r\n"] {
            assert_eq!(decode(torn).unwrap_err().code, "IncompleteBody");
        }
    }

    proptest! {
        #[test]
        fn any_bytes_can_be_decoded(bytes in proptest::collection::vec(any::<u8>(), 0..100)) {
            let _ = decode(&bytes);
        }

        #[test]
        fn sizes_and_data_in_any_mix_can_be_decoded(text in "[0-9a-f\r\n;:]{0,60}") {
            let _ = decode(text.as_bytes());
        }
    }
}
