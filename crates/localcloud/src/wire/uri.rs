//! Percent-encoding.

/// Decodes `%XX`; what is not an escape stays as it is, bytes that are not UTF-8 become U+FFFD.
pub(crate) fn decode(text: &str) -> String {
    decode_with(text, false)
}

/// Encodes everything but unreserved characters (RFC 3986, section 2.3) and slashes.
pub(crate) fn encode_path(text: &str) -> String {
    let mut encoded = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            encoded.push(char::from(byte));
        } else {
            encoded.push_str(&format!("%{byte:02X}"));
        }
    }
    encoded
}

/// Splits and decodes `a=1&b=2`, where `+` is a space, as forms and query strings have it.
pub(crate) fn parse_query(raw: &str) -> Vec<(String, String)> {
    raw.split('&')
        .filter(|pair| !pair.is_empty())
        .map(|pair| {
            let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
            (decode_with(key, true), decode_with(value, true))
        })
        .collect()
}

fn decode_with(text: &str, plus: bool) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        rest = after;
        match (first, after) {
            (b'%', [high, low, tail @ ..]) if high.is_ascii_hexdigit() && low.is_ascii_hexdigit() => {
                bytes.push(hex_digit(*high) << 4 | hex_digit(*low));
                rest = tail;
            }
            (b'+', _) if plus => bytes.push(b' '),
            (byte, _) => bytes.push(*byte),
        }
    }
    match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }
}

fn hex_digit(digit: u8) -> u8 {
    match digit {
        b'0'..=b'9' => digit - b'0',
        b'a'..=b'f' => digit - b'a' + 10,
        _ => digit.saturating_sub(b'A') + 10,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn escapes_are_decoded_and_the_rest_kept() {
        assert_eq!(decode("a%2Fb%3a%zz%4"), "a/b:%zz%4");
        assert_eq!(parse_query("a=1+2&b&c=%20"), [("a", "1 2"), ("b", ""), ("c", " ")].map(own));
    }

    fn own((key, value): (&str, &str)) -> (String, String) {
        (key.to_owned(), value.to_owned())
    }

    proptest! {
        #[test]
        fn decoding_undoes_encoding(text: String) {
            prop_assert_eq!(decode(&encode_path(&text)), text);
        }

        #[test]
        fn any_text_can_be_decoded(text: String) {
            parse_query(&text);
        }
    }
}
