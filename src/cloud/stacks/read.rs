//! Reading stacks.

use super::super::budget::Lane;
use super::super::clients::Clients;
use super::super::listing::{Listing, PageCap, pages};
use super::super::millis;
use super::super::outcome::{Failure, Outcome, require, settle};
use super::status::StackStatus;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A stack as `DescribeStacks` shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackState {
    /// Stack id (an ARN).
    pub id: String,
    /// Stack name.
    pub name: String,
    /// Status.
    pub status: StackStatus,
    /// Why it has that status.
    pub reason: Option<String>,
    /// Output values by key.
    pub outputs: BTreeMap<String, String>,
    /// Tags by key.
    pub tags: BTreeMap<String, String>,
    /// Whether a deletion would be refused.
    pub termination_protection: bool,
    /// Milliseconds since the epoch.
    pub created_at_ms: Option<i64>,
    /// Milliseconds since the epoch.
    pub deleted_at_ms: Option<i64>,
}

/// A stack as `ListStacks` shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackSummary {
    /// Stack id.
    pub id: String,
    /// Stack name.
    pub name: String,
    /// Status.
    pub status: StackStatus,
    /// Milliseconds since the epoch.
    pub deleted_at_ms: Option<i64>,
}

/// Whether a provider of somebody's own makes and deletes resources of this type (CloudFormation template reference,
/// custom resources).
#[must_use]
pub fn is_custom(resource_type: &str) -> bool {
    resource_type.starts_with("Custom::") || resource_type == "AWS::CloudFormation::CustomResource"
}

/// A resource as `ListStackResources` shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackResource {
    /// Name in the template.
    pub logical_id: String,
    /// Name in the service; absent if it was never created.
    pub physical_id: Option<String>,
    /// For example `AWS::SQS::Queue`.
    pub resource_type: String,
    /// For example `DELETE_FAILED`.
    pub status: String,
    /// Why it has that status.
    pub reason: Option<String>,
}

/// Reads a stack by id; `NotFound` for an unknown one, `DELETE_COMPLETE` for a deleted one.
pub async fn describe(clients: &Clients, id_or_name: &str) -> Outcome<StackState> {
    const OPERATION: &str = "DescribeStacks";
    settle(async {
        let call = || clients.sdk().cloudformation.describe_stacks().stack_name(id_or_name).send();
        let answer = clients.read(Lane::CloudFormation, OPERATION, call).await?;
        let stack = require(OPERATION, "stack", answer.stacks.unwrap_or_default().into_iter().next())?;
        state(OPERATION, stack)
    })
    .await
}

/// Finds a live stack by name; `None` if there is none, so that "not found" is an answer.
pub async fn find(clients: &Clients, name: &str) -> Outcome<Option<StackState>> {
    describe(clients, name).await.optional()
}

/// Resources of a stack, also of a deleted one when asked by id (`ListStackResources`, 90 days).
pub async fn resources(clients: &Clients, stack_id: &str, cap: PageCap) -> Outcome<Listing<StackResource>> {
    const OPERATION: &str = "ListStackResources";
    settle(pages(OPERATION, cap, async |token: Option<String>| {
        let call = || {
            let call = clients.sdk().cloudformation.list_stack_resources().stack_name(stack_id);
            call.set_next_token(token.clone()).send()
        };
        let answer = clients.read(Lane::CloudFormation, OPERATION, call).await?;
        let items = answer.stack_resource_summaries.unwrap_or_default();
        let items = items.into_iter().map(|r| {
            Ok(StackResource {
                logical_id: require(OPERATION, "LogicalResourceId", r.logical_resource_id)?,
                physical_id: r.physical_resource_id.filter(|id| !id.is_empty()),
                resource_type: require(OPERATION, "ResourceType", r.resource_type)?,
                status: require(OPERATION, "ResourceStatus", r.resource_status)?.as_str().to_owned(),
                reason: r.resource_status_reason,
            })
        });
        Ok((items.collect::<Result<Vec<_>, Failure>>()?, answer.next_token))
    }))
    .await
}

/// Stacks whose name starts with `prefix`, in every status, deleted ones (90 days) and `REVIEW_IN_PROGRESS` shells
/// included. `ListStacks` has no filter by name, so all pages are read.
pub async fn list_by_prefix(clients: &Clients, prefix: &str, cap: PageCap) -> Outcome<Listing<StackSummary>> {
    const OPERATION: &str = "ListStacks";
    settle(pages(OPERATION, cap, async |token: Option<String>| {
        let call = || clients.sdk().cloudformation.list_stacks().set_next_token(token.clone()).send();
        let answer = clients.read(Lane::CloudFormation, OPERATION, call).await?;
        let stacks = answer.stack_summaries.unwrap_or_default().into_iter().map(|s| {
            Ok(StackSummary {
                id: require(OPERATION, "StackId", s.stack_id)?,
                name: require(OPERATION, "StackName", s.stack_name)?,
                status: StackStatus::parse(require(OPERATION, "StackStatus", s.stack_status)?.as_str()),
                deleted_at_ms: s.deletion_time.as_ref().map(millis),
            })
        });
        let mut stacks = stacks.collect::<Result<Vec<_>, Failure>>()?;
        stacks.retain(|s| s.name.starts_with(prefix));
        Ok((stacks, answer.next_token))
    }))
    .await
}

fn state(operation: &str, stack: aws_sdk_cloudformation::types::Stack) -> Result<StackState, Failure> {
    let status = require(operation, "StackStatus", stack.stack_status)?;
    let outputs = stack.outputs.unwrap_or_default().into_iter().filter_map(|o| o.output_key.zip(o.output_value));
    let tags = stack.tags.unwrap_or_default().into_iter().filter_map(|t| t.key.zip(t.value));
    Ok(StackState {
        id: require(operation, "StackId", stack.stack_id)?,
        name: require(operation, "StackName", stack.stack_name)?,
        status: StackStatus::parse(status.as_str()),
        reason: stack.stack_status_reason,
        outputs: outputs.collect(),
        tags: tags.collect(),
        termination_protection: stack.enable_termination_protection.unwrap_or(false),
        created_at_ms: stack.creation_time.as_ref().map(millis),
        deleted_at_ms: stack.deletion_time.as_ref().map(millis),
    })
}
