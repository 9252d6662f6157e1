//! Identity and Access Management: roles, their policies and tags. IAM has no regions: its state is in
//! [`GLOBAL`](crate::cloud::GLOBAL). Nothing is enforced.

mod list;
mod policy;
mod role;
mod role_policy;
mod state;
mod tags;

pub(crate) use state::State;

use crate::cloud::{Cloud, Context, GLOBAL};
use crate::error::ApiError;
use crate::service::input;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Answers one operation; input and output are in the service model's JSON form.
pub(crate) async fn call(cloud: &Cloud, _ctx: &Context, operation: &str, input: Value) -> Result<Value, ApiError> {
    let now_ms = cloud.clock().now_ms();
    cloud.with(GLOBAL, |state| {
        let iam = &mut state.iam;
        match operation {
            "CreateRole" => role::create(iam, input, now_ms),
            "GetRole" => role::get(iam, input),
            "DeleteRole" => role::delete(iam, input),
            "UpdateAssumeRolePolicy" => role::update_trust(iam, input),
            "ListRoles" => role::list(iam, &input),
            "PutRolePolicy" => role_policy::put(iam, input),
            "GetRolePolicy" => role_policy::get(iam, input),
            "DeleteRolePolicy" => role_policy::delete(iam, input),
            "ListRolePolicies" => role_policy::list(iam, &input),
            "AttachRolePolicy" => role_policy::attach(iam, input),
            "DetachRolePolicy" => role_policy::detach(iam, input),
            "ListAttachedRolePolicies" => role_policy::list_attached(iam, &input),
            "TagRole" => tags::tag(iam, input),
            "UntagRole" => tags::untag(iam, input),
            "ListRoleTags" => tags::list(iam, &input),
            "CreatePolicy" => policy::create(iam, input, now_ms),
            "GetPolicy" => policy::get(iam, input),
            "GetPolicyVersion" => policy::get_version(iam, input),
            "DeletePolicy" => policy::delete(iam, input),
            "ListPolicies" => policy::list(iam, &input),
            "ListAccountAliases" => list::page(&input, "AccountAliases", Vec::new()),
            "ListInstanceProfilesForRole" => list::page(&input, "InstanceProfiles", Vec::new()),
            _ => Err(ApiError::not_emulated(format!("iam {operation}"))),
        }
    })
}

fn read<T: DeserializeOwned>(input: Value) -> Result<T, ApiError> {
    input::read(input, "ValidationError")
}

fn no_such(message: impl Into<String>) -> ApiError {
    ApiError::new(404, "NoSuchEntity", message)
}

fn conflict(code: &str, message: impl Into<String>) -> ApiError {
    ApiError::new(409, code, message)
}
