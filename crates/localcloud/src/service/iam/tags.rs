//! Tags of roles.

use super::state::State;
use super::{list, read};
use crate::error::ApiError;
use crate::service::tagging::Tags;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct Tag {
    key: String,
    #[serde(default)]
    value: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Request {
    role_name: String,
    #[serde(default)]
    tags: Vec<Tag>,
    #[serde(default)]
    tag_keys: Vec<String>,
}

pub(super) fn tag(state: &mut State, input: Value) -> Result<Value, ApiError> {
    let input: Request = read(input)?;
    let new = to_tags(input.tags)?;
    state.role(&input.role_name)?.tags.extend(new);
    Ok(json!({}))
}

pub(super) fn untag(state: &mut State, input: Value) -> Result<Value, ApiError> {
    let input: Request = read(input)?;
    state.role(&input.role_name)?.tags.retain(|key, _| !input.tag_keys.contains(key));
    Ok(json!({}))
}

pub(super) fn list(state: &mut State, input: &Value) -> Result<Value, ApiError> {
    let role = state.role(input["RoleName"].as_str().unwrap_or_default())?;
    let entries = role.tags.iter().map(|(key, value)| (key.clone(), json!({ "Key": key, "Value": value })));
    list::page(input, "Tags", entries.collect())
}

pub(super) fn to_tags(tags: Vec<Tag>) -> Result<Tags, ApiError> {
    let mut out = Tags::new();
    for Tag { key, value } in tags {
        if key.is_empty() || key.starts_with("aws:") || out.insert(key.clone(), value).is_some() {
            return Err(ApiError::bad("InvalidInput", format!("the tag key {key:?} is not allowed or there twice")));
        }
    }
    Ok(out)
}

pub(super) fn to_list(tags: &Tags) -> Value {
    tags.iter().map(|(key, value)| json!({ "Key": key, "Value": value })).collect()
}
