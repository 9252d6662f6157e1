//! MD5 digests that answers carry and SDKs check.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use md5::{Digest, Md5};
use serde_json::{Map, Value};

/// Digest of a body, lower-case hex.
pub(super) fn of_text(text: &str) -> String {
    hex::encode(Md5::digest(text.as_bytes()))
}

/// Digest of message attributes; none without attributes. "Calculating the MD5 message digest for message
/// attributes" (SQS developer guide): by name, each part with its length in front.
pub(super) fn of_attributes(attributes: &Map<String, Value>) -> Option<String> {
    if attributes.is_empty() {
        return None;
    }
    let mut names: Vec<&String> = attributes.keys().collect();
    names.sort();
    let mut digest = Md5::new();
    for name in names {
        let attribute = attributes.get(name)?;
        let kind = attribute.get("DataType").and_then(Value::as_str).unwrap_or_default();
        part(&mut digest, name.as_bytes());
        part(&mut digest, kind.as_bytes());
        if kind.starts_with("Binary") {
            let value = attribute.get("BinaryValue").and_then(Value::as_str).unwrap_or_default();
            digest.update([2]);
            part(&mut digest, &BASE64_STANDARD.decode(value).unwrap_or_default());
        } else {
            let value = attribute.get("StringValue").and_then(Value::as_str).unwrap_or_default();
            digest.update([1]);
            part(&mut digest, value.as_bytes());
        }
    }
    Some(hex::encode(digest.finalize()))
}

fn part(digest: &mut Md5, bytes: &[u8]) {
    digest.update(u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_be_bytes());
    digest.update(bytes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn digests_of_the_documented_form() {
        assert_eq!(of_text("hello"), "5d41402abc4b2a76b9719d911017c592");
        assert_eq!(of_attributes(&Map::new()), None);
        let mut raw = Vec::new();
        for (length, text) in [(1u32, "k"), (6, "String")] {
            raw.extend(length.to_be_bytes());
            raw.extend(text.as_bytes());
        }
        raw.push(1);
        raw.extend(1u32.to_be_bytes());
        raw.push(b'v');
        let attributes = json!({ "k": { "DataType": "String", "StringValue": "v" } });
        assert_eq!(of_attributes(attributes.as_object().unwrap()), Some(hex::encode(Md5::digest(&raw))));
    }
}
