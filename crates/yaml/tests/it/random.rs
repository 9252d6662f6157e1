//! Arbitrary input is read or refused, never a panic.

use crate::{plain, template};
use proptest::prelude::*;
use serde_json::Value;

/// Text that is likely to be nearly YAML.
fn nearly() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\n".to_owned()),
        Just("\n  ".to_owned()),
        Just("- ".to_owned()),
        Just(": ".to_owned()),
        Just("a".to_owned()),
        Just("ü\u{2028}".to_owned()),
        Just("&a ".to_owned()),
        Just("*a ".to_owned()),
        Just("!Ref ".to_owned()),
        Just("!!int ".to_owned()),
        Just("!GetAtt a.b".to_owned()),
        Just("[".to_owned()),
        Just("]".to_owned()),
        Just("{".to_owned()),
        Just("}".to_owned()),
        Just(", ".to_owned()),
        Just("? ".to_owned()),
        Just("|\n".to_owned()),
        Just(">-\n ".to_owned()),
        Just("'".to_owned()),
        Just("\"".to_owned()),
        Just("\\x".to_owned()),
        Just("---\n".to_owned()),
        Just("...\n".to_owned()),
        Just("%TAG ! x\n".to_owned()),
        Just("# c".to_owned()),
        Just("\t".to_owned()),
        Just("\r".to_owned()),
        Just("012".to_owned()),
        Just("1e999".to_owned()),
    ];
    proptest::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

fn exercise(text: &str) {
    for result in [plain(text), template(text)] {
        match result {
            Ok(document) => {
                let _ = document.deserialize::<Value>().map_err(|error| error.render());
                for (pointer, _) in document.scalars() {
                    assert!(document.value().pointer(pointer).is_some(), "{pointer} in {text:?}");
                    assert!(!document.at(pointer, "here").render().is_empty());
                }
            }
            Err(error) => {
                assert!(!error.render().is_empty());
                assert_eq!(error.to_string().lines().count(), 1, "{text:?}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn any_text(text in any::<String>()) {
        exercise(&text);
    }

    #[test]
    fn nearly_yaml(text in nearly()) {
        exercise(&text);
    }

    /// What JSON writes, this reads back: JSON is YAML.
    #[test]
    fn json_reads_back(keys in proptest::collection::btree_map("[a-zA-Z0-9 ~/:#-]{0,8}", any::<(String, i64, bool)>(), 1..6)) {
        let value = serde_json::to_value(&keys).unwrap();
        let document = plain(&value.to_string()).unwrap();
        prop_assert_eq!(document.value(), &value);
        prop_assert_eq!(document.deserialize::<Value>().unwrap(), value);
    }
}
