//! Acts on stacks. Each leaves once; an unknown outcome is reconciled by token, id or name.

use super::super::budget::Lane;
use super::super::clients::Clients;
use super::super::outcome::{Failure, Outcome, require, settle};
use aws_sdk_cloudformation::types::{Capability, DeletionMode, OnFailure, Parameter, Tag};
use std::collections::BTreeMap;

/// Where a template comes from. A body may have 51,200 bytes, a URL's object 1 MB (CloudFormation quotas).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Template {
    /// The file's bytes, unchanged.
    Body(String),
    /// An `https` URL of an object in S3.
    Url(String),
}

/// A stack to create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CreateStack {
    /// At most 128 characters of `[-a-zA-Z0-9]`, a letter first.
    pub name: String,
    /// The template.
    pub template: Template,
    /// Parameter values by name.
    pub parameters: BTreeMap<String, String>,
    /// Stack tags by key; they propagate to the resources that can carry them.
    pub tags: BTreeMap<String, String>,
    /// For example `CAPABILITY_IAM`.
    pub capabilities: Vec<String>,
    /// Idempotency token; it comes back in every event of the operation.
    pub token: String,
    /// Keep what was created when the creation fails, instead of rolling back.
    pub keep_on_failure: bool,
}

/// A stack to delete.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeleteStack {
    /// Stack id.
    pub stack_id: String,
    /// Idempotency token.
    pub token: String,
    /// Logical ids to leave behind; legal only in `DELETE_FAILED`.
    pub retain: Vec<String>,
    /// `FORCE_DELETE_STACK`; legal only in `DELETE_FAILED`.
    pub force: bool,
}

/// A token for one deletion of one stack. Stacks are deleted side by side, so the time alone does not tell their
/// deletions apart: a token that another stack's deletion has used is answered with `TokenAlreadyExists`, and nothing
/// is deleted. At most 128 characters (CloudFormation API reference, DeleteStack).
#[must_use]
pub fn delete_token(stack: &str, attempt: u32, now_ms: i64) -> String {
    format!("assay-delete-{attempt}-{now_ms}-{stack}").chars().take(128).collect()
}

/// Starts the creation of a stack; gives its id.
pub async fn create(clients: &Clients, stack: &CreateStack) -> Outcome<String> {
    const OPERATION: &str = "CreateStack";
    let mut call = clients
        .sdk()
        .cloudformation
        .create_stack()
        .stack_name(&stack.name)
        .client_request_token(&stack.token)
        .on_failure(if stack.keep_on_failure { OnFailure::DoNothing } else { OnFailure::Rollback });
    call = match &stack.template {
        Template::Body(body) => call.template_body(body),
        Template::Url(url) => call.template_url(url),
    };
    for (key, value) in &stack.parameters {
        call = call.parameters(Parameter::builder().parameter_key(key).parameter_value(value).build());
    }
    for (key, value) in &stack.tags {
        call = call.tags(Tag::builder().key(key).value(value).build());
    }
    for capability in &stack.capabilities {
        call = call.capabilities(Capability::from(capability.as_str()));
    }
    settle(async {
        let answer = clients.write(Lane::CloudFormation, OPERATION, call.send()).await?;
        require(OPERATION, "StackId", answer.stack_id)
    })
    .await
}

/// Starts the update of a stack, by id, to what the request says; `None` if it says nothing new. `name` of the request
/// is not looked at.
pub async fn update(clients: &Clients, stack_id: &str, request: &CreateStack) -> Outcome<Option<String>> {
    const OPERATION: &str = "UpdateStack";
    let call = clients.sdk().cloudformation.update_stack().stack_name(stack_id).client_request_token(&request.token);
    let mut call = match &request.template {
        Template::Body(body) => call.template_body(body),
        Template::Url(url) => call.template_url(url),
    };
    for (key, value) in &request.parameters {
        call = call.parameters(Parameter::builder().parameter_key(key).parameter_value(value).build());
    }
    for (key, value) in &request.tags {
        call = call.tags(Tag::builder().key(key).value(value).build());
    }
    for capability in &request.capabilities {
        call = call.capabilities(Capability::from(capability.as_str()));
    }
    settle(async {
        match clients.write(Lane::CloudFormation, OPERATION, call.send()).await {
            Ok(answer) => require(OPERATION, "StackId", answer.stack_id).map(Some),
            // The service tells it as an error without a code of its own.
            Err(Failure::Refused(refusal)) if refusal.message.contains("No updates are to be performed") => Ok(None),
            Err(failure) => Err(failure),
        }
    })
    .await
}

/// Starts a deletion. CloudFormation accepts it before it knows whether it will succeed: read the stack afterwards.
pub async fn delete(clients: &Clients, stack: &DeleteStack) -> Outcome<()> {
    let retain = (!stack.retain.is_empty()).then(|| stack.retain.clone());
    let call = clients
        .sdk()
        .cloudformation
        .delete_stack()
        .stack_name(&stack.stack_id)
        .client_request_token(&stack.token)
        .set_retain_resources(retain)
        .set_deletion_mode(stack.force.then_some(DeletionMode::ForceDeleteStack));
    settle(async { clients.write(Lane::CloudFormation, "DeleteStack", call.send()).await.map(drop) }).await
}

/// Switches termination protection on or off.
pub async fn set_termination_protection(clients: &Clients, stack_id: &str, protected: bool) -> Outcome<()> {
    let call = clients
        .sdk()
        .cloudformation
        .update_termination_protection()
        .stack_name(stack_id)
        .enable_termination_protection(protected);
    settle(async { clients.write(Lane::CloudFormation, "UpdateTerminationProtection", call.send()).await.map(drop) })
        .await
}

#[cfg(test)]
mod tests {
    use super::delete_token;

    #[test]
    fn deletions_of_two_stacks_in_one_millisecond_have_two_tokens() {
        let (one, other) = (delete_token("assay-r-conventional", 1, 7), delete_token("assay-r-durable", 1, 7));
        assert_ne!(one, other);
        assert_ne!(one, delete_token("assay-r-conventional", 2, 7));
        let longest = delete_token(&"s".repeat(128), u32::MAX, i64::MAX);
        assert!(longest.len() <= 128 && longest.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-'), "{longest}");
    }
}
