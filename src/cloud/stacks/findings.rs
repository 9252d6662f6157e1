//! Findings of the validation before a deployment ("early validation"), which only `DescribeEvents` tells.

use super::super::budget::Lane;
use super::super::clients::Clients;
use super::super::listing::{PageCap, pages};
use super::super::outcome::{Outcome, settle};
use aws_sdk_cloudformation::types::{EventFilter, EventType, OperationEvent};
use serde::{Deserialize, Serialize};
use std::fmt;

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Name in the template.
    pub logical_id: String,
    /// For example `AWS::SQS::Queue`.
    pub resource_type: String,
    /// Which validation, for example `NAME_CONFLICT_VALIDATION`.
    pub name: String,
    /// Where in the template.
    pub path: String,
    /// Why.
    pub reason: String,
    /// `ClientRequestToken` of the operation.
    pub token: Option<String>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}) {} at {}: {}", self.logical_id, self.resource_type, self.name, self.path, self.reason)
    }
}

/// Findings for a stack, oldest first (`DescribeEvents` with `FailedEvents`; event type `VALIDATION_ERROR`).
pub async fn findings(clients: &Clients, stack_id: &str, cap: PageCap) -> Outcome<Vec<Finding>> {
    const OPERATION: &str = "DescribeEvents";
    settle(async {
        let listing = pages(OPERATION, cap, async |token: Option<String>| {
            let call = || {
                let filter = EventFilter::builder().failed_events(true).build();
                let call = clients.sdk().cloudformation.describe_events().stack_name(stack_id).filters(filter);
                call.set_next_token(token.clone()).send()
            };
            let answer = clients.read(Lane::CloudFormation, OPERATION, call).await?;
            Ok((answer.operation_events.unwrap_or_default(), answer.next_token))
        })
        .await?;
        let invalid = |e: &OperationEvent| e.event_type == Some(EventType::ValidationError);
        Ok(listing.items.into_iter().filter(invalid).rev().map(finding).collect())
    })
    .await
}

fn finding(event: OperationEvent) -> Finding {
    Finding {
        logical_id: event.logical_resource_id.unwrap_or_default(),
        resource_type: event.resource_type.unwrap_or_default(),
        name: event.validation_name.unwrap_or_default(),
        path: event.validation_path.unwrap_or_default(),
        reason: event.validation_status_reason.unwrap_or_default(),
        token: event.client_request_token,
    }
}
