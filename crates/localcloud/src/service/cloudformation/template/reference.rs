//! What a value refers to, found without evaluating it.

use super::intrinsic::function;
use super::substitute::{Piece, pieces};
use serde_json::Value;

/// One reference inside a template's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reference {
    /// `Ref`, or a plain name in `Fn::Sub`.
    Name(String),
    /// `Fn::GetAtt`, or a dotted name in `Fn::Sub`: the logical id.
    Attribute(String),
    /// A condition named by `Fn::If`.
    Condition(String),
    /// A mapping named by `Fn::FindInMap`.
    Mapping(String),
    /// An `Fn::` key that is no function.
    UnknownFunction(String),
}

/// All references inside `value`, in both branches of `Fn::If`.
pub(crate) fn references(value: &Value) -> Vec<Reference> {
    let mut found = Vec::new();
    walk(value, &mut found);
    found
}

fn walk(value: &Value, found: &mut Vec<Reference>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| walk(item, found)),
        Value::Object(map) => match function(value) {
            Some((name, argument)) => walk_function(name, argument, found),
            None => map.values().for_each(|item| walk(item, found)),
        },
        _ => {}
    }
}

fn walk_function(name: &str, argument: &Value, found: &mut Vec<Reference>) {
    match (name, argument) {
        ("Ref", Value::String(target)) => found.push(Reference::Name(target.clone())),
        ("Fn::GetAtt", Value::String(dotted)) => {
            let logical = dotted.split('.').next().unwrap_or_default();
            found.push(Reference::Attribute(logical.to_owned()));
        }
        ("Fn::GetAtt", Value::Array(parts)) => {
            found.extend(parts.first().and_then(Value::as_str).map(|name| Reference::Attribute(name.to_owned())));
            parts.iter().skip(1).for_each(|part| walk(part, found));
        }
        ("Fn::Sub", _) => walk_sub(argument, found),
        ("Fn::If", Value::Array(parts)) => {
            found.extend(parts.first().and_then(Value::as_str).map(|name| Reference::Condition(name.to_owned())));
            parts.iter().skip(1).for_each(|part| walk(part, found));
        }
        ("Fn::FindInMap", Value::Array(parts)) => {
            found.extend(parts.first().and_then(Value::as_str).map(|name| Reference::Mapping(name.to_owned())));
            parts.iter().for_each(|part| walk(part, found));
        }
        _ => {
            if name.starts_with("Fn::") && !super::intrinsic::FUNCTIONS.contains(&name) {
                found.push(Reference::UnknownFunction(name.to_owned()));
            }
            walk(argument, found);
        }
    }
}

fn walk_sub(argument: &Value, found: &mut Vec<Reference>) {
    let (text, variables) = match argument {
        Value::String(text) => (text, None),
        Value::Array(parts) => match parts.as_slice() {
            [Value::String(text), variables] => (text, Some(variables)),
            _ => return,
        },
        _ => return,
    };
    if let Some(Value::Object(map)) = variables {
        map.values().for_each(|value| walk(value, found));
    }
    let own = |name: &str| variables.is_some_and(|map| map.get(name).is_some());
    for piece in pieces(text).unwrap_or_default() {
        match piece {
            Piece::Variable(name) if own(&name) => {}
            Piece::Variable(name) => match name.split_once('.') {
                Some((logical, _)) => found.push(Reference::Attribute(logical.to_owned())),
                None => found.push(Reference::Name(name)),
            },
            Piece::Text(_) => {}
        }
    }
}

/// The arguments of every `Fn::ImportValue` inside `value`.
pub(crate) fn imports(value: &Value) -> Vec<&Value> {
    match value {
        Value::Array(items) => items.iter().flat_map(imports).collect(),
        Value::Object(map) => map
            .iter()
            .flat_map(|(key, item)| if key == "Fn::ImportValue" { vec![item] } else { imports(item) })
            .collect(),
        _ => Vec::new(),
    }
}
