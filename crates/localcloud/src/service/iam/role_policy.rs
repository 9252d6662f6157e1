//! Policies of roles: inline ones and attached ones.

use super::role::{check_document, check_name};
use super::state::{State, encoded};
use super::{list, no_such, read};
use crate::error::ApiError;
use serde::Deserialize;
use serde_json::{Value, json};

/// Where AWS's own policies are.
const AWS_MANAGED: &str = "arn:aws:iam::aws:policy/";

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Inline {
    role_name: String,
    policy_name: String,
    #[serde(default)]
    policy_document: String,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Attached {
    role_name: String,
    policy_arn: String,
}

pub(super) fn put(state: &mut State, input: Value) -> Result<Value, ApiError> {
    let input: Inline = read(input)?;
    check_name(&input.policy_name, 128)?;
    check_document(&input.policy_document)?;
    state.role(&input.role_name)?.inline.insert(input.policy_name, input.policy_document);
    Ok(json!({}))
}

pub(super) fn get(state: &mut State, input: Value) -> Result<Value, ApiError> {
    let input: Inline = read(input)?;
    let document = state.role(&input.role_name)?.inline.get(&input.policy_name).ok_or_else(|| missing(&input))?;
    Ok(json!({
        "RoleName": input.role_name,
        "PolicyName": input.policy_name,
        "PolicyDocument": encoded(document),
    }))
}

pub(super) fn delete(state: &mut State, input: Value) -> Result<Value, ApiError> {
    let input: Inline = read(input)?;
    state.role(&input.role_name)?.inline.remove(&input.policy_name).ok_or_else(|| missing(&input))?;
    Ok(json!({}))
}

pub(super) fn list(state: &mut State, input: &Value) -> Result<Value, ApiError> {
    let role = state.role(input["RoleName"].as_str().unwrap_or_default())?;
    list::page(input, "PolicyNames", role.inline.keys().map(|name| (name.clone(), json!(name))).collect())
}

pub(super) fn attach(state: &mut State, input: Value) -> Result<Value, ApiError> {
    let input: Attached = read(input)?;
    let name = match (input.policy_arn.strip_prefix(AWS_MANAGED), state.policies.get(&input.policy_arn)) {
        // AWS's policies have paths, such as service-role/.
        (Some(name), _) if !name.is_empty() => name.rsplit('/').next().unwrap_or(name).to_owned(),
        (_, Some(policy)) => policy.name.clone(),
        _ => return Err(no_such(format!("Policy {} does not exist or is not attachable.", input.policy_arn))),
    };
    state.role(&input.role_name)?.attached.insert(input.policy_arn, name);
    Ok(json!({}))
}

pub(super) fn detach(state: &mut State, input: Value) -> Result<Value, ApiError> {
    let input: Attached = read(input)?;
    let missing = || no_such(format!("Policy {} was not found.", input.policy_arn));
    state.role(&input.role_name)?.attached.remove(&input.policy_arn).ok_or_else(missing)?;
    Ok(json!({}))
}

pub(super) fn list_attached(state: &mut State, input: &Value) -> Result<Value, ApiError> {
    let role = state.role(input["RoleName"].as_str().unwrap_or_default())?;
    let attached = role.attached.iter();
    let entries = attached.map(|(arn, name)| (arn.clone(), json!({ "PolicyName": name, "PolicyArn": arn })));
    list::page(input, "AttachedPolicies", entries.collect())
}

fn missing(input: &Inline) -> ApiError {
    no_such(format!("The role policy with name {} cannot be found.", input.policy_name))
}
