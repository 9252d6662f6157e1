//! Customer managed policies, each with its first version only.

use super::role::{check_document, check_name, checked_path};
use super::state::{Policy, State, arn, encoded};
use super::tags::{Tag, to_list, to_tags};
use super::{conflict, list, no_such, read};
use crate::error::ApiError;
use crate::time;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct CreatePolicy {
    policy_name: String,
    path: Option<String>,
    policy_document: String,
    description: Option<String>,
    #[serde(default)]
    tags: Vec<Tag>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Named {
    policy_arn: String,
    version_id: Option<String>,
}

pub(super) fn create(state: &mut State, input: Value, now_ms: i64) -> Result<Value, ApiError> {
    let input: CreatePolicy = read(input)?;
    check_name(&input.policy_name, 128)?;
    check_document(&input.policy_document)?;
    let path = checked_path(input.path)?;
    let arn = arn("policy", &path, &input.policy_name);
    if state.policies.contains_key(&arn) {
        return Err(conflict(
            "EntityAlreadyExists",
            format!("A policy called {} already exists. Duplicate names are not allowed.", input.policy_name),
        ));
    }
    let policy = Policy {
        name: input.policy_name,
        path,
        id: state.next_id("ANPA"),
        created_ms: now_ms,
        document: input.policy_document,
        description: input.description,
        tags: to_tags(input.tags)?,
    };
    state.policies.insert(arn.clone(), policy);
    Ok(json!({ "Policy": describe(state, &arn)? }))
}

pub(super) fn get(state: &State, input: Value) -> Result<Value, ApiError> {
    let input: Named = read(input)?;
    let mut described = describe(state, &input.policy_arn)?;
    let policy = state.policy(&input.policy_arn)?;
    described["Tags"] = to_list(&policy.tags);
    if let Some(description) = &policy.description {
        described["Description"] = json!(description);
    }
    Ok(json!({ "Policy": described }))
}

pub(super) fn get_version(state: &State, input: Value) -> Result<Value, ApiError> {
    let input: Named = read(input)?;
    let policy = state.policy(&input.policy_arn)?;
    if input.version_id.as_deref() != Some("v1") {
        return Err(no_such(format!("Policy {} version {:?} does not exist.", input.policy_arn, input.version_id)));
    }
    Ok(json!({ "PolicyVersion": {
        "Document": encoded(&policy.document),
        "VersionId": "v1",
        "IsDefaultVersion": true,
        "CreateDate": time::epoch_seconds(policy.created_ms),
    }}))
}

pub(super) fn delete(state: &mut State, input: Value) -> Result<Value, ApiError> {
    let input: Named = read(input)?;
    state.policy(&input.policy_arn)?;
    if state.attachments(&input.policy_arn) > 0 {
        return Err(conflict("DeleteConflict", "Cannot delete a policy attached to entities."));
    }
    state.policies.remove(&input.policy_arn);
    Ok(json!({}))
}

/// Only `Scope=Local`: AWS's own policies are not listed.
pub(super) fn list(state: &State, input: &Value) -> Result<Value, ApiError> {
    if input["Scope"] != "Local" {
        return Err(ApiError::not_emulated("iam ListPolicies other than with Scope=Local"));
    }
    let prefix = input["PathPrefix"].as_str().unwrap_or("/");
    let only_attached = input["OnlyAttached"] == true || input["OnlyAttached"] == "true";
    let entries = state
        .policies
        .iter()
        .filter(|(arn, policy)| policy.path.starts_with(prefix) && (!only_attached || state.attachments(arn) > 0))
        .map(|(arn, _)| Ok((arn.clone(), describe(state, arn)?)))
        .collect::<Result<_, ApiError>>()?;
    list::page(input, "Policies", entries)
}

fn describe(state: &State, arn: &str) -> Result<Value, ApiError> {
    let policy = state.policy(arn)?;
    Ok(json!({
        "PolicyName": policy.name,
        "PolicyId": policy.id,
        "Arn": arn,
        "Path": policy.path,
        "DefaultVersionId": "v1",
        "AttachmentCount": state.attachments(arn),
        "PermissionsBoundaryUsageCount": 0,
        "IsAttachable": true,
        "CreateDate": time::epoch_seconds(policy.created_ms),
        "UpdateDate": time::epoch_seconds(policy.created_ms),
    }))
}
