//! Attribute values and items.

use super::invalid;
use super::number::Decimal;
use crate::error::ApiError;
use base64::prelude::{BASE64_STANDARD, Engine};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Nesting of lists and maps (service quota "Nested attribute depth").
const MAX_DEPTH: usize = 32;

/// Bytes of an item (service quota "Item size").
pub(super) const MAX_ITEM_BYTES: usize = 400 * 1024;

/// An item: its attributes by name.
pub(super) type Item = BTreeMap<String, Attr>;

/// An attribute value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Attr {
    S(String),
    N(Decimal),
    B(Vec<u8>),
    Bool(bool),
    Null,
    M(Item),
    L(Vec<Attr>),
    Ss(BTreeSet<String>),
    Ns(BTreeSet<Decimal>),
    Bs(BTreeSet<Vec<u8>>),
}

impl Attr {
    /// Its type, as the JSON form names it.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::S(_) => "S",
            Self::N(_) => "N",
            Self::B(_) => "B",
            Self::Bool(_) => "BOOL",
            Self::Null => "NULL",
            Self::M(_) => "M",
            Self::L(_) => "L",
            Self::Ss(_) => "SS",
            Self::Ns(_) => "NS",
            Self::Bs(_) => "BS",
        }
    }

    pub(super) fn from_json(value: &Value) -> Result<Self, ApiError> {
        Self::read(value, 0)
    }

    fn read(value: &Value, depth: usize) -> Result<Self, ApiError> {
        let object = value.as_object().ok_or_else(unreadable)?;
        let mut members = object.iter().filter(|(_, value)| !value.is_null());
        let (Some((kind, value)), None) = (members.next(), members.next()) else {
            return Err(invalid(if object.is_empty() {
                "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
            } else {
                "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
            }));
        };
        if depth > MAX_DEPTH {
            return Err(invalid("Nesting Levels have exceeded supported limits"));
        }
        Ok(match kind.as_str() {
            "S" => Self::S(text(value)?.to_owned()),
            "N" => Self::N(number(value)?),
            "B" => Self::B(bytes(value)?),
            "BOOL" => Self::Bool(value.as_bool().ok_or_else(unreadable)?),
            "NULL" if value.as_bool() == Some(true) => Self::Null,
            "NULL" => {
                return Err(invalid(
                    "One or more parameter values were invalid: Null attribute value types must have the value of true",
                ));
            }
            "M" => Self::M(read_members(value, depth + 1)?),
            "L" => {
                let items = value.as_array().ok_or_else(unreadable)?;
                Self::L(items.iter().map(|item| Self::read(item, depth + 1)).collect::<Result<_, _>>()?)
            }
            "SS" => Self::Ss(set(value, |item| Ok(text(item)?.to_owned()))?),
            "NS" => Self::Ns(set(value, number)?),
            "BS" => Self::Bs(set(value, bytes)?),
            _ => return Err(unreadable()),
        })
    }

    pub(super) fn to_json(&self) -> Value {
        match self {
            Self::S(text) => json!({ "S": text }),
            Self::N(number) => json!({ "N": number.to_string() }),
            Self::B(bytes) => json!({ "B": BASE64_STANDARD.encode(bytes) }),
            Self::Bool(flag) => json!({ "BOOL": flag }),
            Self::Null => json!({ "NULL": true }),
            Self::M(members) => json!({ "M": item_to_json(members) }),
            Self::L(items) => json!({ "L": items.iter().map(Self::to_json).collect::<Vec<_>>() }),
            Self::Ss(set) => json!({ "SS": set }),
            Self::Ns(set) => json!({ "NS": set.iter().map(ToString::to_string).collect::<Vec<_>>() }),
            Self::Bs(set) => json!({ "BS": set.iter().map(|item| BASE64_STANDARD.encode(item)).collect::<Vec<_>>() }),
        }
    }

    /// Size in bytes ("DynamoDB item sizes and formats", developer guide).
    pub(super) fn bytes(&self) -> usize {
        match self {
            Self::S(text) => text.len(),
            Self::N(number) => number.size(),
            Self::B(bytes) => bytes.len(),
            Self::Bool(_) | Self::Null => 1,
            Self::M(members) => 3 + members.len() + item_bytes(members),
            Self::L(items) => 3 + items.iter().map(|item| 1 + item.bytes()).sum::<usize>(),
            Self::Ss(set) => set.iter().map(String::len).sum(),
            Self::Ns(set) => set.iter().map(Decimal::size).sum(),
            Self::Bs(set) => set.iter().map(Vec::len).sum(),
        }
    }
}

/// Reads an item or a key.
pub(super) fn item_from_json(value: &Value) -> Result<Item, ApiError> {
    read_members(value, 0)
}

pub(super) fn item_to_json(item: &Item) -> Value {
    Value::Object(item.iter().map(|(name, value)| (name.clone(), value.to_json())).collect::<Map<_, _>>())
}

/// Size of an item in bytes, names included.
pub(super) fn item_bytes(item: &Item) -> usize {
    item.iter().map(|(name, value)| name.len() + value.bytes()).sum()
}

fn read_members(value: &Value, depth: usize) -> Result<Item, ApiError> {
    let members = value.as_object().ok_or_else(unreadable)?;
    members.iter().map(|(name, value)| Ok((name.clone(), Attr::read(value, depth)?))).collect()
}

fn set<T: Ord>(value: &Value, read: impl Fn(&Value) -> Result<T, ApiError>) -> Result<BTreeSet<T>, ApiError> {
    let items = value.as_array().ok_or_else(unreadable)?;
    if items.is_empty() {
        return Err(invalid("One or more parameter values were invalid: An set may not be empty"));
    }
    let mut out = BTreeSet::new();
    for item in items {
        if !out.insert(read(item)?) {
            return Err(invalid("One or more parameter values were invalid: Input collection contains duplicates."));
        }
    }
    Ok(out)
}

fn text(value: &Value) -> Result<&str, ApiError> {
    value.as_str().ok_or_else(unreadable)
}

fn number(value: &Value) -> Result<Decimal, ApiError> {
    let text = text(value)?;
    text.parse::<Decimal>().map_err(|error| invalid(error.message(text)))
}

fn bytes(value: &Value) -> Result<Vec<u8>, ApiError> {
    BASE64_STANDARD.decode(text(value)?).map_err(|_| unreadable())
}

fn unreadable() -> ApiError {
    ApiError::bad("SerializationException", "an attribute value does not have the form of its type")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_as_they_were() {
        let item = json!({
            "s": { "S": "" }, "n": { "N": "1.5" }, "b": { "B": "AQI=" }, "t": { "BOOL": true }, "z": { "NULL": true },
            "m": { "M": { "l": { "L": [{ "S": "x" }, { "M": {} }] } } },
            "ss": { "SS": ["a", "b"] }, "ns": { "NS": ["1", "2"] }, "bs": { "BS": ["AQ=="] },
        });
        assert_eq!(item_to_json(&item_from_json(&item).unwrap()), item);
    }

    #[test]
    fn bad_values_are_refused() {
        for (value, code) in [
            (json!({}), "ValidationException"),
            (json!({ "S": "a", "N": "1" }), "ValidationException"),
            (json!({ "N": "x" }), "ValidationException"),
            (json!({ "SS": [] }), "ValidationException"),
            (json!({ "NS": ["1", "1.0"] }), "ValidationException"),
            (json!({ "NULL": false }), "ValidationException"),
            (json!({ "X": 1 }), "SerializationException"),
            (json!("a"), "SerializationException"),
        ] {
            assert_eq!(Attr::from_json(&value).unwrap_err().code, code, "{value}");
        }
        let deep = (0..40).fold(json!({ "S": "x" }), |inner, _| json!({ "L": [inner] }));
        assert_eq!(Attr::from_json(&deep).unwrap_err().message, "Nesting Levels have exceeded supported limits");
    }
}
