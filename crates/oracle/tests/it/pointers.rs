//! Walks over JSON: every place, and edits at a place.

use serde_json::Value;

/// Pointers of all values below the root, parents before children.
pub(crate) fn all(root: &Value) -> Vec<String> {
    let mut found = Vec::new();
    walk(root, "", &mut found);
    found
}

fn walk(value: &Value, pointer: &str, found: &mut Vec<String>) {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(members) => members.iter().map(|(key, value)| (escape(key), value)).collect(),
        Value::Array(items) => items.iter().enumerate().map(|(index, value)| (index.to_string(), value)).collect(),
        _ => return,
    };
    for (name, child) in children {
        let pointer = format!("{pointer}/{name}");
        found.push(pointer.clone());
        walk(child, &pointer, found);
    }
}

fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Parent pointer and last token.
pub(crate) fn split(pointer: &str) -> (&str, &str) {
    pointer.rsplit_once('/').unwrap()
}

/// Copy with another value at a place.
pub(crate) fn set(root: &Value, pointer: &str, value: Value) -> Value {
    let mut copy = root.clone();
    *copy.pointer_mut(pointer).unwrap() = value;
    copy
}

/// Copy without a member or element.
pub(crate) fn remove(root: &Value, pointer: &str) -> Value {
    let mut copy = root.clone();
    let (parent, name) = split(pointer);
    match copy.pointer_mut(parent).unwrap() {
        Value::Object(members) => drop(members.remove(name)),
        Value::Array(items) => drop(items.remove(name.parse().unwrap())),
        other => panic!("{other} has no members"),
    }
    copy
}

/// Copy with an edited array.
pub(crate) fn edit(root: &Value, pointer: &str, change: impl FnOnce(&mut Vec<Value>)) -> Value {
    let mut copy = root.clone();
    change(copy.pointer_mut(pointer).unwrap().as_array_mut().unwrap());
    copy
}
