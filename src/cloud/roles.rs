//! IAM roles and customer-managed policies. The tag index never lists roles (Resource Groups Tagging API reference,
//! "Supported services"), and `ListRoles` returns no tags, so they are found by name and prefix.

use super::budget::Lane;
use super::clients::Clients;
use super::listing::{Listing, PageCap, pages};
use super::millis;
use super::outcome::{Failure, Outcome, require, settle};
use aws_sdk_iam::types::PolicyScopeType;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A role.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Role {
    /// Name.
    pub name: String,
    /// ARN.
    pub arn: String,
    /// Path, `/` for most; `/aws-service-role/…` for those that services make.
    pub path: String,
    /// Milliseconds since the epoch.
    pub created_at_ms: i64,
}

/// A customer-managed policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// Name.
    pub name: String,
    /// ARN.
    pub arn: String,
}

impl Role {
    /// Whether AWS made the role: service-linked ones and the access role of Organizations.
    #[must_use]
    pub fn is_aws_made(&self) -> bool {
        self.path.starts_with("/aws-service-role/")
            || self.path.starts_with("/aws-reserved/")
            || self.name.starts_with("AWSServiceRoleFor")
            || self.name == "OrganizationAccountAccessRole"
    }
}

/// Reads one role by name.
pub async fn describe(clients: &Clients, name: &str) -> Outcome<Role> {
    const OPERATION: &str = "GetRole";
    settle(async {
        let answer = clients.read(Lane::Iam, OPERATION, || clients.sdk().iam.get_role().role_name(name).send()).await?;
        Ok(role(require(OPERATION, "Role", answer.role)?))
    })
    .await
}

/// Reads one customer-managed policy by ARN.
pub async fn policy(clients: &Clients, arn: &str) -> Outcome<Policy> {
    const OPERATION: &str = "GetPolicy";
    settle(async {
        let call = || clients.sdk().iam.get_policy().policy_arn(arn).send();
        let policy = require(OPERATION, "Policy", clients.read(Lane::Iam, OPERATION, call).await?.policy)?;
        Ok(Policy { name: require(OPERATION, "PolicyName", policy.policy_name)?, arn: arn.to_owned() })
    })
    .await
}

/// Tags of a role.
pub async fn tags(clients: &Clients, name: &str, cap: PageCap) -> Outcome<BTreeMap<String, String>> {
    const OPERATION: &str = "ListRoleTags";
    settle(async {
        let listing = pages(OPERATION, cap, async |marker: Option<String>| {
            let call = || clients.sdk().iam.list_role_tags().role_name(name).set_marker(marker.clone()).send();
            let answer = clients.read(Lane::Iam, OPERATION, call).await?;
            let next = truncated(OPERATION, answer.is_truncated, answer.marker)?;
            Ok((answer.tags.into_iter().map(|t| (t.key, t.value)).collect(), next))
        })
        .await?;
        Ok(listing.items.into_iter().collect())
    })
    .await
}

/// Roles whose name starts with `prefix`; `ListRoles` filters by path only, so all pages are read.
pub async fn list_by_prefix(clients: &Clients, prefix: &str, cap: PageCap) -> Outcome<Listing<Role>> {
    const OPERATION: &str = "ListRoles";
    settle(pages(OPERATION, cap, async |marker: Option<String>| {
        let call = || clients.sdk().iam.list_roles().set_marker(marker.clone()).send();
        let answer = clients.read(Lane::Iam, OPERATION, call).await?;
        let next = truncated(OPERATION, answer.is_truncated, answer.marker)?;
        let roles = answer.roles.into_iter().map(role).filter(|r| r.name.starts_with(prefix));
        Ok((roles.collect(), next))
    }))
    .await
}

/// Customer-managed policies whose name starts with `prefix`.
pub async fn policies_by_prefix(clients: &Clients, prefix: &str, cap: PageCap) -> Outcome<Listing<Policy>> {
    const OPERATION: &str = "ListPolicies";
    settle(pages(OPERATION, cap, async |marker: Option<String>| {
        let call = || {
            let call = clients.sdk().iam.list_policies().scope(PolicyScopeType::Local);
            call.set_marker(marker.clone()).send()
        };
        let answer = clients.read(Lane::Iam, OPERATION, call).await?;
        let next = truncated(OPERATION, answer.is_truncated, answer.marker)?;
        let policies = answer.policies.unwrap_or_default().into_iter().filter_map(|p| p.policy_name.zip(p.arn));
        let policies = policies.filter(|(name, _)| name.starts_with(prefix));
        Ok((policies.map(|(name, arn)| Policy { name, arn }).collect(), next))
    }))
    .await
}

fn role(role: aws_sdk_iam::types::Role) -> Role {
    let created_at_ms = millis(&role.create_date);
    Role { name: role.role_name, arn: role.arn, path: role.path, created_at_ms }
}

/// IAM says "more" in one member and where in another; more without a place is no listing.
fn truncated(operation: &str, is_truncated: bool, marker: Option<String>) -> Result<Option<String>, Failure> {
    if is_truncated { require(operation, "Marker", marker).map(Some) } else { Ok(None) }
}
