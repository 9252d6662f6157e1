//! Stack events. The service gives the newest first and has no filter, so a poll reads the first pages only.

use super::super::budget::Lane;
use super::super::clients::Clients;
use super::super::listing::{PageCap, pages};
use super::super::millis;
use super::super::outcome::{Failure, Outcome, require, settle};
use super::read::describe;
use aws_sdk_cloudformation::types;
use serde::{Deserialize, Serialize};

/// Pages that one poll may read.
const POLL_PAGES: usize = 2;
const OPERATION: &str = "DescribeStackEvents";

/// One event of a stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackEvent {
    /// Unique.
    pub event_id: String,
    /// Milliseconds since the epoch.
    pub at_ms: i64,
    /// Name in the template; the stack's own name for stack events.
    pub logical_id: String,
    /// Name in the service.
    pub physical_id: Option<String>,
    /// For example `AWS::SQS::Queue`.
    pub resource_type: String,
    /// For example `CREATE_FAILED`.
    pub status: String,
    /// Why.
    pub reason: Option<String>,
    /// `ClientRequestToken` of the operation that the event belongs to.
    pub token: Option<String>,
}

/// What is new since the last look, oldest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EventBatch {
    /// Oldest first.
    pub events: Vec<StackEvent>,
    /// Older new events were left unread because the page bound of a poll was reached.
    pub truncated: bool,
}

/// What an operation's token tells about a stack name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// There is no stack of that name.
    Nothing,
    /// Our operation made it; its id.
    Ours(String),
    /// Somebody else's operation made it; its id.
    Foreign(String),
}

/// Events after `last_seen` (an event id), reading at most two pages.
pub async fn new_events(clients: &Clients, stack_id: &str, last_seen: Option<&str>) -> Outcome<EventBatch> {
    settle(async {
        let mut batch = EventBatch::default();
        let mut token = None;
        for _ in 0..POLL_PAGES {
            let (page, next) = page(clients, stack_id, token).await?;
            let known = page.iter().position(|e| Some(e.event_id.as_str()) == last_seen);
            batch.truncated = known.is_none() && next.is_some();
            batch.events.extend(page.into_iter().take(known.unwrap_or(usize::MAX)));
            if !batch.truncated {
                break;
            }
            token = next;
        }
        batch.events.reverse();
        Ok(batch)
    })
    .await
}

/// Every event of a stack, oldest first.
pub async fn all_events(clients: &Clients, stack_id: &str, cap: PageCap) -> Outcome<Vec<StackEvent>> {
    settle(async {
        let listing = pages(OPERATION, cap, async |token| page(clients, stack_id, token).await).await?;
        Ok(listing.items.into_iter().rev().collect())
    })
    .await
}

/// Reconciles an unknown `CreateStack`: is there a stack of that name, and did the operation with this token make it?
pub async fn created_by_token(clients: &Clients, name: &str, token: &str, cap: PageCap) -> Outcome<Found> {
    settle(async {
        let Some(stack) = describe(clients, name).await.optional().into_result()? else { return Ok(Found::Nothing) };
        let events = all_events(clients, &stack.id, cap).await.into_result()?;
        let ours = events.iter().any(|e| e.token.as_deref() == Some(token));
        Ok(if ours { Found::Ours(stack.id) } else { Found::Foreign(stack.id) })
    })
    .await
}

async fn page(
    clients: &Clients,
    stack_id: &str,
    token: Option<String>,
) -> Result<(Vec<StackEvent>, Option<String>), Failure> {
    let call = || {
        let call = clients.sdk().cloudformation.describe_stack_events().stack_name(stack_id);
        call.set_next_token(token.clone()).send()
    };
    let answer = clients.read(Lane::CloudFormation, OPERATION, call).await?;
    let events = answer.stack_events.unwrap_or_default().into_iter().map(event).collect::<Result<_, _>>()?;
    Ok((events, answer.next_token.filter(|t| !t.is_empty())))
}

fn event(event: types::StackEvent) -> Result<StackEvent, Failure> {
    Ok(StackEvent {
        event_id: require(OPERATION, "EventId", event.event_id)?,
        at_ms: millis(&require(OPERATION, "Timestamp", event.timestamp)?),
        logical_id: event.logical_resource_id.unwrap_or_default(),
        physical_id: event.physical_resource_id.filter(|id| !id.is_empty()),
        resource_type: event.resource_type.unwrap_or_default(),
        status: event.resource_status.map(|s| s.as_str().to_owned()).unwrap_or_default(),
        reason: event.resource_status_reason,
        token: event.client_request_token,
    })
}
