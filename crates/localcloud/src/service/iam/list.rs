//! Lists in pages, with `Marker` and `IsTruncated`.

use crate::error::ApiError;
use crate::service::input;
use serde_json::{Value, json};

/// One page of the entries, each under a key that the list is sorted by.
pub(super) fn page(input: &Value, member: &str, entries: Vec<(String, Value)>) -> Result<Value, ApiError> {
    let bad = |what: &str| ApiError::bad("ValidationError", format!("1 validation error detected: {what}"));
    let size = match input["MaxItems"].as_u64() {
        None if input["MaxItems"].is_null() => 100,
        Some(size @ 1..=1000) => size,
        _ => return Err(bad("Value at 'maxItems' has to be from 1 to 1000")),
    };
    let after = match input["Marker"].as_str() {
        None => None,
        Some(marker) => Some(input::open_token::<1>(marker).ok_or_else(|| bad("Invalid Marker"))?),
    };
    let mut rest = entries.into_iter().filter(|(key, _)| after.as_ref().is_none_or(|[after]| key > after));
    let page: Vec<_> = rest.by_ref().take(usize::try_from(size).unwrap_or(100)).collect();
    let marker = page.last().filter(|_| rest.next().is_some()).map(|(key, _)| input::token(&[key]));
    let items: Vec<Value> = page.into_iter().map(|(_, value)| value).collect();
    let mut output = json!({ member: items, "IsTruncated": marker.is_some() });
    if let Some(marker) = marker {
        output["Marker"] = json!(marker);
    }
    Ok(output)
}
