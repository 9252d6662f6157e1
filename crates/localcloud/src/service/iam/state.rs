//! Roles and managed policies.

use super::no_such;
use crate::cloud::ACCOUNT;
use crate::error::ApiError;
use crate::service::tagging::Tags;
use crate::time;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// Roles that an account has without anybody having made them, with their paths.
const GIVEN: [(&str, &str, &str); 3] = [
    ("AWSServiceRoleForSupport", "/aws-service-role/support.amazonaws.com/", "support.amazonaws.com"),
    (
        "AWSServiceRoleForTrustedAdvisor",
        "/aws-service-role/trustedadvisor.amazonaws.com/",
        "trustedadvisor.amazonaws.com",
    ),
    ("OrganizationAccountAccessRole", "/", "organizations.amazonaws.com"),
];

/// 2020-01-01T00:00:00Z, when the account's given roles were made.
const GIVEN_MS: i64 = 1_577_836_800_000;

/// The account's IAM.
#[derive(Debug)]
pub(crate) struct State {
    pub(super) roles: BTreeMap<String, Role>,
    /// Customer managed policies by ARN.
    pub(super) policies: BTreeMap<String, Policy>,
    made: u64,
}

#[derive(Debug)]
pub(super) struct Role {
    pub(super) path: String,
    pub(super) id: String,
    pub(super) created_ms: i64,
    pub(super) trust: String,
    pub(super) description: Option<String>,
    pub(super) max_session_s: i64,
    pub(super) tags: Tags,
    /// Inline policies by name.
    pub(super) inline: BTreeMap<String, String>,
    /// Names of attached policies by ARN.
    pub(super) attached: BTreeMap<String, String>,
}

#[derive(Debug)]
pub(super) struct Policy {
    pub(super) name: String,
    pub(super) path: String,
    pub(super) id: String,
    pub(super) created_ms: i64,
    pub(super) document: String,
    pub(super) description: Option<String>,
    pub(super) tags: Tags,
}

impl Default for State {
    fn default() -> Self {
        let mut state = Self { roles: BTreeMap::new(), policies: BTreeMap::new(), made: 0 };
        for (name, path, service) in GIVEN {
            let trust = json!({ "Version": "2012-10-17", "Statement": [
                { "Effect": "Allow", "Principal": { "Service": service }, "Action": "sts:AssumeRole" }] });
            let role = Role::new(path, state.next_id("AROA"), trust.to_string(), GIVEN_MS);
            state.roles.insert(name.to_owned(), role);
        }
        state
    }
}

impl State {
    pub(super) fn role(&mut self, name: &str) -> Result<&mut Role, ApiError> {
        self.roles.get_mut(name).ok_or_else(|| no_such(format!("The role with name {name} cannot be found.")))
    }

    pub(super) fn policy(&self, arn: &str) -> Result<&Policy, ApiError> {
        self.policies.get(arn).ok_or_else(|| no_such(format!("Policy {arn} was not found.")))
    }

    pub(super) fn attachments(&self, arn: &str) -> usize {
        self.roles.values().filter(|role| role.attached.contains_key(arn)).count()
    }

    /// An id in the form of "IAM identifiers" (user guide): a prefix and 17 letters and digits.
    pub(super) fn next_id(&mut self, prefix: &str) -> String {
        self.made += 1;
        let hex = hex::encode_upper(Sha256::digest(format!("{prefix} {}", self.made)));
        format!("{prefix}{}", &hex[..17])
    }
}

impl Role {
    pub(super) fn new(path: &str, id: String, trust: String, created_ms: i64) -> Self {
        Self {
            path: path.to_owned(),
            id,
            created_ms,
            trust,
            description: None,
            max_session_s: 3600,
            tags: Tags::new(),
            inline: BTreeMap::new(),
            attached: BTreeMap::new(),
        }
    }

    pub(super) fn is_service_linked(&self) -> bool {
        self.path.starts_with("/aws-service-role/")
    }

    /// The members of a role that lists have too.
    pub(super) fn describe(&self, name: &str) -> Value {
        let mut out = json!({
            "Path": self.path,
            "RoleName": name,
            "RoleId": self.id,
            "Arn": arn("role", &self.path, name),
            "CreateDate": time::epoch_seconds(self.created_ms),
            "AssumeRolePolicyDocument": encoded(&self.trust),
            "MaxSessionDuration": self.max_session_s,
        });
        if let Some(description) = &self.description {
            out["Description"] = json!(description);
        }
        out
    }
}

/// `arn:aws:iam::<account>:role/path/name`.
pub(super) fn arn(kind: &str, path: &str, name: &str) -> String {
    format!("arn:aws:iam::{ACCOUNT}:{kind}{path}{name}")
}

/// Documents are answered "URL-encoded compliant with RFC 3986" (API reference, `GetRole`).
pub(super) fn encoded(document: &str) -> String {
    crate::wire::uri::encode_path(document).replace('/', "%2F")
}
