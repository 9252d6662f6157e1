//! Cost Explorer: cost allocation tags are kept; costs are those that somebody gives it, and none by itself.

mod bills;

pub use bills::Bill;

use crate::cloud::{Cloud, Context, GLOBAL};
use crate::error::ApiError;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Statuses of cost allocation tags by key.
#[derive(Debug, Default)]
pub(crate) struct State {
    tags: BTreeMap<String, String>,
    pub(crate) bills: Vec<Bill>,
}

/// Answers one operation; input and output are in the service model's JSON form.
pub(crate) async fn call(cloud: &Cloud, _ctx: &Context, operation: &str, input: Value) -> Result<Value, ApiError> {
    match operation {
        "GetCostAndUsage" => cloud.with(GLOBAL, |state| bills::cost_and_usage(&state.costexplorer.bills, &input)),
        "ListCostAllocationTags" => Ok(cloud.with(GLOBAL, |state| list(&state.costexplorer, &input))),
        "UpdateCostAllocationTagsStatus" => cloud.with(GLOBAL, |state| update(&mut state.costexplorer, &input)),
        _ => Err(ApiError::not_emulated(format!("costexplorer {operation}"))),
    }
}

fn list(state: &State, input: &Value) -> Value {
    let status = input.get("Status").and_then(Value::as_str);
    let keys: Option<Vec<&str>> =
        input.get("TagKeys").and_then(Value::as_array).map(|keys| keys.iter().filter_map(Value::as_str).collect());
    let tags: Vec<Value> = state
        .tags
        .iter()
        .filter(|(key, _)| keys.as_ref().is_none_or(|keys| keys.contains(&key.as_str())))
        .filter(|(_, value)| status.is_none_or(|status| status == value.as_str()))
        .map(|(key, status)| json!({ "TagKey": key, "Type": "UserDefined", "Status": status }))
        .collect();
    json!({ "CostAllocationTags": tags })
}

fn update(state: &mut State, input: &Value) -> Result<Value, ApiError> {
    let entries = input.get("CostAllocationTagsStatus").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    // At most 20 entries in one request ("UpdateCostAllocationTagsStatus", Cost Explorer API reference).
    if entries.is_empty() || entries.len() > 20 {
        return Err(ApiError::bad(
            "ValidationException",
            "between 1 and 20 cost allocation tags can be updated at once",
        ));
    }
    let mut errors = Vec::new();
    for entry in entries {
        let text = |name: &str| entry.get(name).and_then(Value::as_str).unwrap_or_default();
        let (key, status) = (text("TagKey"), text("Status"));
        if key.is_empty() || !matches!(status, "Active" | "Inactive") {
            errors.push(json!({ "TagKey": key, "Code": "ValidationException", "Message": "unknown key or status" }));
        } else {
            state.tags.insert(key.to_owned(), status.to_owned());
        }
    }
    Ok(json!({ "Errors": errors }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn updated_tags_are_listed() {
        let mut state = State::default();
        let entries = json!([{ "TagKey": "k", "Status": "Active" }, { "TagKey": "x", "Status": "Perhaps" }]);
        let answer = update(&mut state, &json!({ "CostAllocationTagsStatus": entries })).unwrap();
        assert_eq!(answer["Errors"][0]["TagKey"], "x");
        let listed = list(&state, &json!({ "Status": "Active" }));
        assert_eq!(listed["CostAllocationTags"], json!([{ "TagKey": "k", "Type": "UserDefined", "Status": "Active" }]));
    }
}
