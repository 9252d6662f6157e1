//! Reading members of an operation's input.

use super::errors::invalid;
use crate::error::ApiError;
use serde_json::Value;
use std::collections::BTreeMap;

/// An operation's input. Numbers and booleans may also be text: query strings and templates write them so.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Input<'a>(pub(crate) &'a Value);

impl<'a> Input<'a> {
    /// A member that is there and not null.
    pub(crate) fn get(self, key: &str) -> Option<&'a Value> {
        self.0.get(key).filter(|value| !value.is_null())
    }

    /// A text member.
    pub(crate) fn text(self, key: &str) -> Option<&'a str> {
        self.get(key).and_then(Value::as_str)
    }

    /// A text member that must be there.
    pub(crate) fn required(self, key: &str) -> Result<&'a str, ApiError> {
        self.text(key).filter(|text| !text.is_empty()).ok_or_else(|| {
            ApiError::bad("ValidationException", format!("1 validation error detected: Value null at '{key}' failed"))
        })
    }

    /// A whole number.
    pub(crate) fn integer(self, key: &str) -> Result<Option<i64>, ApiError> {
        let Some(value) = self.get(key) else { return Ok(None) };
        let number = value.as_i64().or_else(|| value.as_str().and_then(|text| text.parse().ok()));
        number.map(Some).ok_or_else(|| invalid(format!("{key} is not a whole number")))
    }

    /// A whole number between two bounds.
    pub(crate) fn bounded(self, key: &str, low: i64, high: i64) -> Result<Option<i64>, ApiError> {
        match self.integer(key)? {
            Some(n) if n < low || n > high => Err(ApiError::bad(
                "ValidationException",
                format!("1 validation error detected: Value '{n}' at '{key}' is not between {low} and {high}"),
            )),
            other => Ok(other),
        }
    }

    /// A boolean.
    pub(crate) fn boolean(self, key: &str) -> Option<bool> {
        let value = self.get(key)?;
        value.as_bool().or_else(|| value.as_str().and_then(|text| text.parse().ok()))
    }

    /// A map of texts, empty where the member is missing.
    pub(crate) fn texts(self, key: &str) -> BTreeMap<String, String> {
        self.get(key).map(text_map).unwrap_or_default()
    }

    /// A list of texts, empty where the member is missing.
    pub(crate) fn list(self, key: &str) -> Vec<String> {
        let items = self.get(key).and_then(Value::as_array).into_iter().flatten();
        items.filter_map(|item| item.as_str().map(str::to_owned)).collect()
    }

    /// A structure.
    pub(crate) fn nested(self, key: &str) -> Option<Input<'a>> {
        self.get(key).map(Input)
    }
}

fn text_map(value: &Value) -> BTreeMap<String, String> {
    let entries = value.as_object().into_iter().flatten();
    entries.filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned()))).collect()
}

/// One page of a listing, and the marker of the next. The marker is the number of items before the page.
pub(crate) fn page<T>(items: Vec<T>, input: Input<'_>, default: i64, most: i64) -> Result<Page<T>, ApiError> {
    let size = match input.integer("MaxItems")? {
        None | Some(0) => default,
        Some(n) if n < 0 => return Err(invalid("MaxItems must not be negative")),
        Some(n) => n.min(most),
    };
    let start = match input.text("Marker").filter(|marker| !marker.is_empty()) {
        None => 0,
        Some(marker) => marker.parse::<usize>().map_err(|_| invalid("Invalid Marker"))?,
    };
    let end = start.saturating_add(usize::try_from(size).unwrap_or(usize::MAX));
    let next = (end < items.len()).then(|| end.to_string());
    Ok((items.into_iter().skip(start).take(end - start).collect(), next))
}

/// Items and the next marker.
pub(crate) type Page<T> = (Vec<T>, Option<String>);

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn pages_end_without_a_marker() {
        let input = json!({"MaxItems": 2});
        let (first, next) = page(vec![1, 2, 3], Input(&input), 50, 50).unwrap();
        assert_eq!((first, next.as_deref()), (vec![1, 2], Some("2")));
        let input = json!({"MaxItems": "2", "Marker": "2"});
        let (last, next) = page(vec![1, 2, 3], Input(&input), 50, 50).unwrap();
        assert_eq!((last, next), (vec![3], None));
    }

    #[test]
    fn a_foreign_marker_is_refused() {
        let input = json!({"Marker": "zzz"});
        assert_eq!(page(vec![1], Input(&input), 50, 50).unwrap_err().code, "InvalidParameterValueException");
    }
}
