//! Conversion between serde values and DynamoDB attributes: string ↔ S, integer ↔ N, boolean ↔ BOOL, array ↔ L,
//! object ↔ M. A null member of an object is left out; numbers must be integers, because money is never a float.

use aws_sdk_dynamodb::types::AttributeValue;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Number, Value};
use std::collections::HashMap;

/// A DynamoDB item.
pub type Item = HashMap<String, AttributeValue>;

/// A value that has no attribute form here, or an attribute that has no value form.
#[derive(Debug, thiserror::Error)]
pub enum ItemError {
    /// The value to store is not an object.
    #[error("an item is made from an object, not from {0}")]
    NotAnObject(&'static str),
    /// Floats lose cents.
    #[error("`{0}` is not an integer, and items hold integers only")]
    NotAnInteger(String),
    /// Sets and binary values are never written here.
    #[error("attribute type {0} is not used in journals and ledgers")]
    Unexpected(String),
    /// The type's own serialisation refused.
    #[error("the item does not have the expected shape: {0}")]
    Shape(#[from] serde_json::Error),
}

/// Turns a struct into an item.
///
/// # Errors
/// When the value is not an object or holds a float.
pub fn to_item<T: Serialize>(value: &T) -> Result<Item, ItemError> {
    match serde_json::to_value(value)? {
        Value::Object(members) => attributes(members),
        other => Err(ItemError::NotAnObject(kind(&other))),
    }
}

/// Reads a struct back from an item.
///
/// # Errors
/// When an attribute is of a type never written here, or the shape is not `T`'s.
pub fn from_item<T: DeserializeOwned>(item: Item) -> Result<T, ItemError> {
    Ok(serde_json::from_value(to_value(item)?)?)
}

/// Reads a struct from the JSON form of an item, `{"name":{"S":"…"}}`, as stream events carry it.
///
/// # Errors
/// As [`from_item`].
pub fn from_image<T: DeserializeOwned>(image: &Map<String, Value>) -> Result<T, ItemError> {
    let plain: Result<Map<_, _>, _> = image.iter().map(|(name, tagged)| Ok((name.clone(), untag(tagged)?))).collect();
    Ok(serde_json::from_value(Value::Object(plain.map_err(|e: ItemError| e)?))?)
}

fn attributes(members: Map<String, Value>) -> Result<Item, ItemError> {
    members
        .into_iter()
        .filter(|(_, value)| !value.is_null())
        .map(|(name, value)| Ok((name, to_attribute(value)?)))
        .collect()
}

fn to_attribute(value: Value) -> Result<AttributeValue, ItemError> {
    Ok(match value {
        Value::Null => AttributeValue::Null(true),
        Value::Bool(b) => AttributeValue::Bool(b),
        Value::Number(n) if n.is_f64() => return Err(ItemError::NotAnInteger(n.to_string())),
        Value::Number(n) => AttributeValue::N(n.to_string()),
        Value::String(s) => AttributeValue::S(s),
        Value::Array(values) => AttributeValue::L(values.into_iter().map(to_attribute).collect::<Result<_, _>>()?),
        Value::Object(members) => AttributeValue::M(attributes(members)?),
    })
}

fn to_value(item: Item) -> Result<Value, ItemError> {
    let members: Result<Map<_, _>, ItemError> =
        item.into_iter().map(|(name, attribute)| Ok((name, from_attribute(attribute)?))).collect();
    Ok(Value::Object(members?))
}

fn from_attribute(attribute: AttributeValue) -> Result<Value, ItemError> {
    Ok(match attribute {
        AttributeValue::Null(_) => Value::Null,
        AttributeValue::Bool(b) => Value::Bool(b),
        AttributeValue::N(n) => Value::Number(integer(&n)?),
        AttributeValue::S(s) => Value::String(s),
        AttributeValue::L(values) => Value::Array(values.into_iter().map(from_attribute).collect::<Result<_, _>>()?),
        AttributeValue::M(members) => to_value(members)?,
        other => return Err(ItemError::Unexpected(variant(&other).to_owned())),
    })
}

fn untag(tagged: &Value) -> Result<Value, ItemError> {
    let unexpected = || ItemError::Unexpected(tagged.to_string());
    let object = tagged.as_object().filter(|o| o.len() == 1).ok_or_else(unexpected)?;
    let (tag, value) = object.iter().next().ok_or_else(unexpected)?;
    Ok(match (tag.as_str(), value) {
        ("S" | "BOOL", value) => value.clone(),
        ("NULL", _) => Value::Null,
        ("N", Value::String(n)) => Value::Number(integer(n)?),
        ("L", Value::Array(values)) => Value::Array(values.iter().map(untag).collect::<Result<_, _>>()?),
        ("M", Value::Object(members)) => {
            let plain: Result<Map<_, _>, ItemError> =
                members.iter().map(|(name, tagged)| Ok((name.clone(), untag(tagged)?))).collect();
            Value::Object(plain?)
        }
        _ => return Err(unexpected()),
    })
}

fn integer(text: &str) -> Result<Number, ItemError> {
    let signed = text.parse::<i64>().map(Number::from);
    signed.or_else(|_| text.parse::<u64>().map(Number::from)).map_err(|_| ItemError::NotAnInteger(text.to_owned()))
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

fn variant(attribute: &AttributeValue) -> &'static str {
    match attribute {
        AttributeValue::B(_) => "B",
        AttributeValue::Bs(_) => "BS",
        AttributeValue::Ns(_) => "NS",
        AttributeValue::Ss(_) => "SS",
        _ => "unknown",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            ".*".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::btree_map(".*", inner, 0..5)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    fn object() -> impl Strategy<Value = Value> {
        prop::collection::btree_map(".*", value(), 0..6)
            .prop_map(|members| Value::Object(members.into_iter().collect()))
    }

    /// The JSON form of an attribute, written independently of `untag`.
    fn tag(value: &Value) -> Value {
        match value {
            Value::Null => json!({"NULL": true}),
            Value::Bool(b) => json!({"BOOL": b}),
            Value::Number(n) => json!({"N": n.to_string()}),
            Value::String(s) => json!({"S": s}),
            Value::Array(values) => json!({"L": values.iter().map(tag).collect::<Vec<_>>()}),
            Value::Object(members) => {
                json!({"M": members.iter().map(|(k, v)| (k.clone(), tag(v))).collect::<Map<_, _>>()})
            }
        }
    }

    proptest! {
        #[test]
        fn an_item_gives_back_what_went_in(value in object()) {
            let back: Value = from_item(to_item(&value).unwrap()).unwrap();
            prop_assert_eq!(back, value);
        }

        #[test]
        fn a_stream_image_reads_like_the_item(value in object()) {
            let tagged = tag(&value);
            let back: Value = from_image(tagged["M"].as_object().unwrap()).unwrap();
            prop_assert_eq!(back, value);
        }
    }

    #[test]
    fn a_null_member_is_absent() {
        let item = to_item(&json!({"a": null, "b": {"c": null}})).unwrap();
        assert_eq!(item.len(), 1);
        assert_eq!(item["b"], AttributeValue::M(HashMap::new()));
    }

    #[test]
    fn floats_and_non_objects_are_refused() {
        assert!(matches!(to_item(&json!({"amount": 1.5})), Err(ItemError::NotAnInteger(_))));
        assert!(matches!(to_item(&json!([1])), Err(ItemError::NotAnObject("an array"))));
        let float = Item::from([("amount".to_owned(), AttributeValue::N("1e3".to_owned()))]);
        assert!(matches!(from_item::<Value>(float), Err(ItemError::NotAnInteger(_))));
        let set = Item::from([("names".to_owned(), AttributeValue::Ss(vec!["a".to_owned()]))]);
        assert!(matches!(from_item::<Value>(set), Err(ItemError::Unexpected(_))));
    }

    #[test]
    fn a_record_is_stored_flat() {
        let record = crate::testing::record("canonical-1", 1_700_000_000_000);
        let item = to_item(&record).unwrap();
        assert_eq!(item["kind"], AttributeValue::S("dispatch_started".to_owned()));
        assert_eq!(item["at_ms"], AttributeValue::N("1700000000000".to_owned()));
        assert_eq!(from_item::<evidence::record::Record>(item).unwrap(), record);
    }
}
