//! Roles.

use super::state::{Role, State};
use super::tags::{Tag, to_list, to_tags};
use super::{conflict, list, read};
use crate::error::ApiError;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct CreateRole {
    role_name: String,
    path: Option<String>,
    assume_role_policy_document: String,
    description: Option<String>,
    max_session_duration: Option<i64>,
    permissions_boundary: Option<String>,
    #[serde(default)]
    tags: Vec<Tag>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Named {
    role_name: String,
    policy_document: Option<String>,
}

pub(super) fn create(state: &mut State, input: Value, now_ms: i64) -> Result<Value, ApiError> {
    let input: CreateRole = read(input)?;
    if input.permissions_boundary.is_some() {
        return Err(ApiError::not_emulated("iam roles with a permissions boundary"));
    }
    check_name(&input.role_name, 64)?;
    let path = checked_path(input.path)?;
    check_document(&input.assume_role_policy_document)?;
    if state.roles.contains_key(&input.role_name) {
        return Err(conflict("EntityAlreadyExists", format!("Role with name {} already exists.", input.role_name)));
    }
    let mut role = Role::new(&path, state.next_id("AROA"), input.assume_role_policy_document, now_ms);
    role.description = input.description;
    role.max_session_s = input.max_session_duration.unwrap_or(role.max_session_s);
    role.tags = to_tags(input.tags)?;
    let described = with_tags(&role, &input.role_name);
    state.roles.insert(input.role_name, role);
    Ok(json!({ "Role": described }))
}

pub(super) fn get(state: &mut State, input: Value) -> Result<Value, ApiError> {
    let input: Named = read(input)?;
    let role = state.role(&input.role_name)?;
    let mut described = with_tags(role, &input.role_name);
    described["RoleLastUsed"] = json!({});
    Ok(json!({ "Role": described }))
}

pub(super) fn delete(state: &mut State, input: Value) -> Result<Value, ApiError> {
    let input: Named = read(input)?;
    let role = state.role(&input.role_name)?;
    if role.is_service_linked() {
        return Err(ApiError::bad(
            "UnmodifiableEntity",
            format!("Cannot perform the operation on the protected role '{}'", input.role_name),
        ));
    }
    if !role.attached.is_empty() {
        return Err(conflict("DeleteConflict", "Cannot delete entity, must detach all policies first."));
    }
    if !role.inline.is_empty() {
        return Err(conflict("DeleteConflict", "Cannot delete entity, must delete policies first."));
    }
    state.roles.remove(&input.role_name);
    Ok(json!({}))
}

pub(super) fn update_trust(state: &mut State, input: Value) -> Result<Value, ApiError> {
    let input: Named = read(input)?;
    let document = input.policy_document.unwrap_or_default();
    check_document(&document)?;
    state.role(&input.role_name)?.trust = document;
    Ok(json!({}))
}

/// Like the service's, this list does not have tags.
pub(super) fn list(state: &State, input: &Value) -> Result<Value, ApiError> {
    let prefix = input["PathPrefix"].as_str().unwrap_or("/");
    let roles = state.roles.iter().filter(|(_, role)| role.path.starts_with(prefix));
    list::page(input, "Roles", roles.map(|(name, role)| (name.clone(), role.describe(name))).collect())
}

fn with_tags(role: &Role, name: &str) -> Value {
    let mut described = role.describe(name);
    if !role.tags.is_empty() {
        described["Tags"] = to_list(&role.tags);
    }
    described
}

pub(super) fn check_name(name: &str, max: usize) -> Result<(), ApiError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "_+=,.@-".contains(c);
    if name.is_empty() || name.len() > max || !name.chars().all(allowed) {
        return Err(ApiError::bad(
            "ValidationError",
            format!(
                "1 validation error detected: the name {name:?} does not have 1 to {max} letters, digits or _+=,.@-"
            ),
        ));
    }
    Ok(())
}

pub(super) fn checked_path(path: Option<String>) -> Result<String, ApiError> {
    let path = path.unwrap_or_else(|| "/".to_owned());
    if path.starts_with('/') && path.ends_with('/') && path.len() <= 512 {
        return Ok(path);
    }
    Err(ApiError::bad("ValidationError", format!("1 validation error detected: {path:?} is not a path like /a/b/")))
}

/// A document has to be a JSON object with statements.
pub(super) fn check_document(document: &str) -> Result<(), ApiError> {
    let parsed: Option<Value> = serde_json::from_str(document).ok();
    if parsed.is_some_and(|parsed| parsed["Statement"].is_array() || parsed["Statement"].is_object()) {
        return Ok(());
    }
    Err(ApiError::bad("MalformedPolicyDocument", "This policy contains invalid Json or no statement"))
}
