//! Canonical JSON (RFC 8785): one value, one sequence of bytes.

mod sort;

use crate::digest::Digest;
use serde::Serialize;
use serde_json::Value;
use sort::Sorter;

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
    Sorter::new(&serde_json::to_vec(value)?).finish()
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
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

    proptest! {
        /// The other implementation: slower, and by somebody else.
        #[test]
        fn agrees_with_the_crate_that_builds_a_tree(value in value()) {
            prop_assert_eq!(to_vec(&value).unwrap(), serde_json_canonicalizer::to_vec(&value).unwrap());
        }
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-(1_i64 << 53) + 1..1 << 53).prop_map(Value::from),
            any::<f64>().prop_filter("no integer beyond 2^53", |f| f.is_finite()).prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 64, 8, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                proptest::collection::hash_map(any::<String>(), inner.clone(), 0..6)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
                proptest::collection::hash_map("[a-c\"\\\\_é\u{1f600}\u{fb33}]{0,3}", inner, 0..6)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    #[test]
    fn members_of_a_struct_are_sorted_and_two_of_one_name_refused() {
        #[derive(Serialize)]
        struct Outer {
            z: u8,
            inner: Inner,
            #[serde(flatten)]
            more: std::collections::BTreeMap<&'static str, u8>,
        }
        #[derive(Serialize)]
        struct Inner {
            b: f64,
            a: f64,
        }
        let outer = |more| Outer { z: 1, inner: Inner { b: 100.0, a: -0.0 }, more };
        let bytes = to_vec(&outer([("k", 2)].into())).unwrap();
        assert_eq!(bytes, br#"{"inner":{"a":0,"b":100},"k":2,"z":1}"#);
        assert!(to_vec(&outer([("z", 2)].into())).unwrap_err().to_string().contains("two members of one name"));
        assert!(to_vec(&f64::NAN).is_ok_and(|bytes| bytes == b"null"), "as serde_json writes it");
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
