//! Canonical JSON (RFC 8785): one value, one sequence of bytes.

use crate::digest::Digest;
use serde::Serialize;
use serde_json::Value;

/// Largest integer that RFC 8785 writes exactly (IEEE 754 doubles): 2^53 − 1.
const MAX_EXACT: u64 = (1 << 53) - 1;

/// A value without a canonical form.
#[derive(Debug, thiserror::Error)]
pub enum CanonicalError {
    /// Not expressible as JSON at all.
    #[error("value cannot be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// RFC 8785 numbers are doubles, which would round it.
    #[error("the number {0} has no exact canonical form (RFC 8785 numbers are doubles); write it as a string")]
    Inexact(serde_json::Number),
}

/// Canonical bytes of `value`, without a newline.
///
/// # Errors
/// [`CanonicalError`]; integers beyond ±(2^53 − 1) are refused rather than rounded.
pub fn to_vec(value: &impl Serialize) -> Result<Vec<u8>, CanonicalError> {
    let value = serde_json::to_value(value)?;
    check_numbers(&value)?;
    Ok(serde_json_canonicalizer::to_vec(&value)?)
}

/// Canonical bytes of `value` and a final newline: the form of JSON files in packages.
///
/// # Errors
/// As [`to_vec`].
pub fn to_line(value: &impl Serialize) -> Result<Vec<u8>, CanonicalError> {
    let mut bytes = to_vec(value)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// SHA-256 of the canonical bytes.
///
/// # Errors
/// As [`to_vec`].
pub fn digest(value: &impl Serialize) -> Result<Digest, CanonicalError> {
    Ok(Digest::of(&to_vec(value)?))
}

/// Whether `bytes` are the canonical form of the JSON value they hold. A duplicate key, a space, another
/// spelling of a number or an escape too many makes them not so.
#[must_use]
pub fn is_canonical(bytes: &[u8]) -> bool {
    serde_json::from_slice::<Value>(bytes).is_ok_and(|value| to_vec(&value).is_ok_and(|canonical| canonical == bytes))
}

fn check_numbers(value: &Value) -> Result<(), CanonicalError> {
    match value {
        Value::Number(number) => {
            let exact = number.as_u64().is_none_or(|n| n <= MAX_EXACT)
                && number.as_i64().is_none_or(|n| n.unsigned_abs() <= MAX_EXACT);
            if exact { Ok(()) } else { Err(CanonicalError::Inexact(number.clone())) }
        }
        Value::Array(items) => items.iter().try_for_each(check_numbers),
        Value::Object(members) => members.values().try_for_each(check_numbers),
        Value::Null | Value::Bool(_) | Value::String(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn keys_are_sorted_by_utf16_and_spaces_are_gone() {
        let value = json!({"b": 1, "a": [true, null, "é"], "\u{1f600}": 0, "\u{fb33}": 0});
        let text = String::from_utf8(to_vec(&value).unwrap()).unwrap();
        assert_eq!(text, "{\"a\":[true,null,\"é\"],\"b\":1,\"\u{1f600}\":0,\"\u{fb33}\":0}");
    }

    #[test]
    fn integers_that_would_be_rounded_are_refused() {
        assert_eq!(to_vec(&json!(9_007_199_254_740_991_i64)).unwrap(), b"9007199254740991");
        for n in [json!(9_007_199_254_740_993_i64), json!(-9_007_199_254_740_993_i64), json!(u64::MAX)] {
            let error = to_vec(&json!([{"n": n}])).unwrap_err();
            assert!(error.to_string().contains("no exact canonical form"), "{error}");
        }
    }

    #[test]
    fn only_canonical_bytes_are_canonical() {
        assert!(is_canonical(br#"{"a":1,"b":"x"}"#));
        for other in [r#"{"a": 1}"#, r#"{"b":1,"a":1}"#, r#"{"a":1,"a":1}"#, r#"{"a":1.0}"#, r#""\u0041""#, "{", "1\n"]
        {
            assert!(!is_canonical(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn lines_end_in_one_newline_and_digests_leave_it_out() {
        assert_eq!(to_line(&json!({"a": 1})).unwrap(), b"{\"a\":1}\n");
        assert_eq!(digest(&json!({"a": 1})).unwrap(), Digest::of(b"{\"a\":1}"));
    }
}
