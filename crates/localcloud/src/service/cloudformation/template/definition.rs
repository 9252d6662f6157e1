//! What a template declares: resources and outputs.

use super::invalid;
use crate::error::ApiError;
use serde_json::{Map, Value};

/// What becomes of a resource that leaves its stack.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum DeletionPolicy {
    /// Deleted with the stack.
    #[default]
    Delete,
    /// Kept, also when its creation is rolled back.
    Retain,
    /// Kept, but deleted when the operation that created it is rolled back.
    RetainExceptOnCreate,
}

/// One entry of `Resources`.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    pub(crate) kind: String,
    pub(crate) properties: Map<String, Value>,
    pub(crate) condition: Option<String>,
    pub(crate) depends_on: Vec<String>,
    pub(crate) deletion_policy: DeletionPolicy,
    pub(crate) update_replace_policy: DeletionPolicy,
    pub(crate) metadata: Option<Value>,
}

/// One entry of `Outputs`.
#[derive(Clone, Debug)]
pub(crate) struct OutputDefinition {
    pub(crate) value: Value,
    pub(crate) description: Option<String>,
    pub(crate) condition: Option<String>,
    /// Name under which other stacks import the value; may hold intrinsic functions.
    pub(crate) export: Option<Value>,
}

const ATTRIBUTES: [&str; 9] = [
    "Condition",
    "CreationPolicy",
    "DeletionPolicy",
    "DependsOn",
    "Metadata",
    "Properties",
    "Type",
    "UpdatePolicy",
    "UpdateReplacePolicy",
];

impl Definition {
    pub(super) fn parse(name: &str, value: &Value) -> Result<Self, ApiError> {
        if name.is_empty() || name.len() > 255 || !name.chars().all(|c| c.is_ascii_alphanumeric()) {
            return Err(invalid(format!("Template format error: Resource name {name} is non alphanumeric.")));
        }
        let Value::Object(map) = value else {
            return Err(invalid(format!(
                "Template format error: [/Resources/{name}] resource definition is malformed"
            )));
        };
        if let Some(key) = map.keys().find(|key| !ATTRIBUTES.contains(&key.as_str())) {
            return Err(invalid(format!("Invalid template resource property '{key}'")));
        }
        if let Some(key) = ["CreationPolicy", "UpdatePolicy"].into_iter().find(|key| map.contains_key(*key)) {
            return Err(ApiError::not_emulated(format!("the resource attribute {key} of {name}")));
        }
        let Some(kind) = map.get("Type").and_then(Value::as_str) else {
            return Err(invalid(format!(
                "Template format error: [/Resources/{name}] Every Resources object must contain a Type member."
            )));
        };
        Ok(Self {
            kind: kind.to_owned(),
            properties: properties(name, map)?,
            condition: name_member(name, map, "Condition")?,
            depends_on: depends_on(name, map)?,
            deletion_policy: policy(name, map, "DeletionPolicy")?,
            update_replace_policy: policy(name, map, "UpdateReplacePolicy")?,
            metadata: map.get("Metadata").cloned(),
        })
    }
}

fn properties(name: &str, map: &Map<String, Value>) -> Result<Map<String, Value>, ApiError> {
    match map.get("Properties") {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(properties)) => Ok(properties.clone()),
        Some(_) => Err(invalid(format!(
            "Template format error: [/Resources/{name}/Properties] Properties member must be an object."
        ))),
    }
}

fn name_member(name: &str, map: &Map<String, Value>, key: &str) -> Result<Option<String>, ApiError> {
    match map.get(key) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(invalid(format!("Template format error: [/Resources/{name}/{key}] must be a string."))),
    }
}

fn depends_on(name: &str, map: &Map<String, Value>) -> Result<Vec<String>, ApiError> {
    let malformed = || {
        invalid(format!(
            "Template format error: [/Resources/{name}/DependsOn] DependsOn must be a string or a list of strings."
        ))
    };
    match map.get("DependsOn") {
        None => Ok(Vec::new()),
        Some(Value::String(one)) => Ok(vec![one.clone()]),
        Some(Value::Array(many)) => {
            many.iter().map(|item| item.as_str().map(str::to_owned).ok_or_else(malformed)).collect()
        }
        Some(_) => Err(malformed()),
    }
}

fn policy(name: &str, map: &Map<String, Value>, key: &str) -> Result<DeletionPolicy, ApiError> {
    match map.get(key) {
        None => Ok(DeletionPolicy::Delete),
        Some(Value::String(text)) => match text.as_str() {
            "Delete" => Ok(DeletionPolicy::Delete),
            "Retain" => Ok(DeletionPolicy::Retain),
            "RetainExceptOnCreate" if key == "DeletionPolicy" => Ok(DeletionPolicy::RetainExceptOnCreate),
            "Snapshot" => Err(invalid(format!("Template error: resource {name} does not support {key} Snapshot"))),
            other => Err(invalid(format!("Template error: Unrecognized {key} {other} for resource {name}"))),
        },
        Some(_) => Err(invalid(format!("Template format error: Every {key} member must be a string."))),
    }
}

impl OutputDefinition {
    pub(super) fn parse(name: &str, value: &Value) -> Result<Self, ApiError> {
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric()) {
            return Err(invalid(format!("Template format error: Output name {name} is non alphanumeric.")));
        }
        let Value::Object(map) = value else {
            return Err(invalid(format!("Template format error: [/Outputs/{name}] Output must be an object.")));
        };
        let known = ["Value", "Description", "Condition", "Export"];
        if let Some(key) = map.keys().find(|key| !known.contains(&key.as_str())) {
            return Err(invalid(format!("Template format error: [/Outputs/{name}] Invalid output property '{key}'")));
        }
        let Some(value) = map.get("Value") else {
            return Err(invalid(format!(
                "Template format error: Every Outputs member must contain a Value object. ({name})"
            )));
        };
        Ok(Self {
            value: value.clone(),
            description: map.get("Description").and_then(Value::as_str).map(str::to_owned),
            condition: map.get("Condition").and_then(Value::as_str).map(str::to_owned),
            export: export(name, map)?,
        })
    }
}

fn export(name: &str, map: &Map<String, Value>) -> Result<Option<Value>, ApiError> {
    match map.get("Export") {
        None => Ok(None),
        Some(Value::Object(export)) if export.len() == 1 && export.contains_key("Name") => {
            Ok(export.get("Name").cloned())
        }
        Some(_) => Err(invalid(format!("Template format error: Output {name} is malformed: Export needs a Name."))),
    }
}
