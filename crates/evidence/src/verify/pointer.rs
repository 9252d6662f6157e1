//! Whether places exist in a JSON text, without building a tree of it: memory stays that of the text, whatever it
//! holds.

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::{collections::BTreeMap, fmt};

/// Pointers (RFC 6901) as a tree of reference tokens.
#[derive(Debug, Default)]
struct Node {
    /// Position of the pointer that ends here.
    ends: Option<usize>,
    below: BTreeMap<String, Node>,
}

/// Says for each pointer whether `bytes` have such a place; `None` if they are not JSON.
pub(super) fn present(bytes: &[u8], pointers: &[&str]) -> Option<Vec<bool>> {
    let mut found = vec![false; pointers.len()];
    let mut root = Node::default();
    // Equal pointers share one place in the tree, so each is answered by the first of its kind.
    let mut first: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, pointer) in pointers.iter().enumerate() {
        if *first.entry(*pointer).or_insert(at) == at && (pointer.is_empty() || pointer.starts_with('/')) {
            let tokens = pointer.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~"));
            let node = tokens.fold(&mut root, |node, token| node.below.entry(token).or_default());
            node.ends = Some(at);
        }
    }
    let mut json = serde_json::Deserializer::from_slice(bytes);
    Walk { node: &root, found: &mut found }.deserialize(&mut json).ok()?;
    json.end().ok()?;
    for (at, pointer) in pointers.iter().enumerate() {
        found[at] = found[first[pointer]];
    }
    Some(found)
}

struct Walk<'a, 'f> {
    node: &'a Node,
    found: &'f mut Vec<bool>,
}

impl<'de> DeserializeSeed<'de> for Walk<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        if let Some(at) = self.node.ends {
            self.found[at] = true;
        }
        if self.node.below.is_empty() {
            json.deserialize_ignored_any(IgnoredAny).map(drop)
        } else {
            json.deserialize_any(self)
        }
    }
}

impl<'de> Visitor<'de> for Walk<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match self.node.below.get(&key) {
                Some(node) => map.next_value_seed(Walk { node, found: self.found })?,
                None => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let mut at = 0_usize;
        loop {
            // RFC 6901: an index has no leading zeros, which is how numbers are written.
            let more = match self.node.below.get(&at.to_string()) {
                Some(node) => items.next_element_seed(Walk { node, found: self.found })?.is_some(),
                None => items.next_element::<IgnoredAny>()?.is_some(),
            };
            if !more {
                return Ok(());
            }
            at += 1;
        }
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }
    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }
    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }
    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }
    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::present;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    #[test]
    fn finds_what_a_tree_would_find() {
        let value = json!({"a": [1, {"b/c": null, "~": 2}], "": {"": true}, "01": 3, "s": "text"});
        let pointers = [
            "",
            "/a",
            "/a/0",
            "/a/1/b~1c",
            "/a/1/~0",
            "/",
            "//",
            "/01",
            "/a/01",
            "/a/2",
            "/a/-",
            "/s/x",
            "a",
            "/s",
            "/a/1/b",
            "/a/0",
        ];
        let expected: Vec<_> = pointers.iter().map(|pointer| value.pointer(pointer).is_some()).collect();
        assert_eq!(present(value.to_string().as_bytes(), &pointers).unwrap(), expected);
    }

    #[test]
    fn other_than_json_is_said_and_deep_nesting_is_no_harm() {
        for bytes in [&b""[..], b"{", b"{} x", b"\xff", b"NaN", b"\xef\xbb\xbf{}"] {
            assert_eq!(present(bytes, &["/a"]), None, "{bytes:?}");
        }
        let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
        assert_eq!(present(deep.as_bytes(), &["/1"]), Some(vec![false]));
    }

    proptest! {
        #[test]
        fn agrees_with_serde_json(text in "[\\[\\]{}\",:0-9a ~/]{0,40}", pointer in "(/[a0-9~]{0,2}){0,3}") {
            let tree = serde_json::from_str::<Value>(&text).ok();
            let expected = tree.map(|value| vec![value.pointer(&pointer).is_some()]);
            prop_assert_eq!(present(text.as_bytes(), &[&pointer]), expected);
        }
    }
}
