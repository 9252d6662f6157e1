//! `assay delete`: one stack, by id, until it is really gone.

use super::events::{Teller, wait_for_end};
use super::report::Gone;
use super::{pace, stop};
use crate::cloud::stacks::{self, DeleteStack, StackState, StackStatus};
use crate::cloud::{Clients, PageCap, Polled};
use crate::exit::Failure;
use crate::plan::{RUN_TAG, TOOL_TAG};
use crate::progress::Progress;
use crate::teardown::{Fate, Policies};
use tokio_util::sync::CancellationToken;

/// What the command line says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delete {
    /// Stack name or id.
    pub stack: String,
    /// Also one that this tool did not deploy.
    pub any: bool,
}

/// Deletes and waits. A stack that is not there is gone.
///
/// # Errors
/// [`Failure::Refused`] for a stack that is somebody else's, a run's, or protected; [`Failure::Stopped`] if it ends
/// in `DELETE_FAILED`.
pub async fn delete(
    clients: &Clients,
    ask: &Delete,
    progress: &Progress,
    cancel: &CancellationToken,
) -> Result<Gone, Failure> {
    let found = stacks::find(clients, &ask.stack).await.into_result();
    let found = found.map_err(|e| stop(&format!("look for stack {}", ask.stack), &e))?;
    let Some(stack) = found.filter(|s| !s.status.is_deleted()) else {
        let status = "NOT_FOUND".to_owned();
        let name = ask.stack.clone();
        return Ok(Gone { schema: "assay.delete/1", stack: name, stack_id: None, status, retained: Vec::new() });
    };
    if let Some(why) = protected(&stack, ask.any) {
        return Err(Failure::Refused(why));
    }
    let teller = Teller::new(progress, &stack.name);
    let state = remove(clients, &stack, &teller, cancel).await?;
    Ok(Gone {
        schema: "assay.delete/1",
        retained: retained(clients, &state.id, &teller).await?,
        stack: state.name,
        stack_id: Some(state.id),
        status: state.status.as_text(),
    })
}

/// Resources that a deletion would leave without a stack, for people to know before they agree. Empty for a stack that is
/// not there.
///
/// # Errors
/// [`Failure::Stopped`] if stack, template or resources cannot be read.
pub async fn orphans(clients: &Clients, stack: &str) -> Result<Vec<String>, Failure> {
    let what = || format!("look at stack {stack}");
    let found = stacks::find(clients, stack).await.into_result().map_err(|e| stop(&what(), &e))?;
    let Some(found) = found.filter(|s| !s.status.is_deleted() && s.status != StackStatus::ReviewInProgress) else {
        return Ok(Vec::new());
    };
    let template = stacks::template(clients, &found.id).await.into_result().map_err(|e| stop(&what(), &e))?;
    let listed = stacks::resources(clients, &found.id, PageCap::default()).await.into_result();
    let policies = Policies::read(stack, &template);
    let stays = listed.map_err(|e| stop(&what(), &e))?.items.into_iter();
    let stays = stays.filter(|r| r.status != "DELETE_COMPLETE" && policies.fate(&r.logical_id) == Fate::Orphan);
    Ok(stays.filter_map(|r| Some(format!("{} ({}) {}", r.logical_id, r.resource_type, r.physical_id?))).collect())
}

/// Why a stack may not be deleted.
fn protected(stack: &StackState, any: bool) -> Option<String> {
    let name = &stack.name;
    if stack.termination_protection {
        return Some(format!(
            "stack {name} is protected against termination; switch that off first: aws cloudformation \
             update-termination-protection --no-enable-termination-protection --stack-name {name}"
        ));
    }
    if any {
        return None;
    }
    match (stack.tags.get(RUN_TAG), stack.tags.contains_key(TOOL_TAG)) {
        (Some(run), _) => {
            Some(format!("stack {name} belongs to run {run}; remove the whole run: assay teardown {run}"))
        }
        (None, false) => Some(format!("stack {name} was not deployed by assay; if it is meant, add --any")),
        (None, true) => None,
    }
}

/// Deletes by id and waits for `DELETE_COMPLETE`.
pub(super) async fn remove(
    clients: &Clients,
    stack: &StackState,
    teller: &Teller,
    cancel: &CancellationToken,
) -> Result<StackState, Failure> {
    let what = format!("delete stack {}", stack.name);
    let token = stacks::delete_token(&stack.name, 1, crate::run::now_ms());
    // Events up to here belong to the past.
    let past = teller.look_silently(clients, &stack.id).await;
    past.into_result().map_err(|e| stop(&what, &e))?;
    let request = DeleteStack { stack_id: stack.id.clone(), token, ..DeleteStack::default() };
    stacks::delete(clients, &request).await.into_result().map_err(|e| stop(&what, &e))?;
    let state = match wait_for_end(clients, &stack.id, teller, pace(clients), cancel).await {
        Polled::Ready { value, .. } => value,
        Polled::Cancelled => {
            return Err(Failure::Interrupted(format!(
                "stopped waiting; the deletion of {} goes on in the cloud. To wait again: assay delete --stack {}",
                stack.name, stack.name
            )));
        }
        other => return other.into_result("DescribeStackEvents").map_err(|e| stop(&what, &e)),
    };
    if state.status == StackStatus::DeleteComplete {
        return Ok(state);
    }
    if state.status != StackStatus::DeleteFailed {
        return Err(Failure::Stopped(refused(&state, teller)));
    }
    let failed = failed(clients, &state.id).await?;
    Err(Failure::Stopped(format!(
        "stack {} ended {}: {}\n  next: empty or release what is named, then: assay delete --stack {}",
        state.name, state.status, failed, state.name
    )))
}

/// A deletion that was refused leaves the stack as it was; only its own newest event says why, for example that another
/// stack imports what it exports.
fn refused(state: &StackState, teller: &Teller) -> String {
    let news = teller.news().unwrap_or_default();
    let own = news.iter().rev().filter(|event| event.physical_id.as_deref() == Some(state.id.as_str()));
    let told = own.filter_map(|event| event.reason.clone()).next().or_else(|| state.reason.clone());
    let why = told.unwrap_or_else(|| "no event says why".to_owned());
    format!(
        "stack {name} was not deleted, it is {} as before:\n  {why}\n  next: remove what holds it, then: assay delete --stack {name}",
        state.status,
        name = state.name
    )
}

async fn failed(clients: &Clients, id: &str) -> Result<String, Failure> {
    let listing = stacks::resources(clients, id, PageCap::default()).await.into_result();
    let listing = listing.map_err(|e| stop("list the stack's resources", &e))?;
    let failed = listing.items.into_iter().filter(|r| r.status == "DELETE_FAILED");
    let words: Vec<_> =
        failed.map(|r| format!("{} ({}): {}", r.logical_id, r.resource_type, r.reason.unwrap_or_default())).collect();
    Ok(if words.is_empty() { "no resource says why".to_owned() } else { words.join("; ") })
}

/// What the template keeps. The deletion's own events tell it; only if some were not read, the resources are listed.
async fn retained(clients: &Clients, id: &str, teller: &Teller) -> Result<Vec<String>, Failure> {
    const SKIPPED: &str = "DELETE_SKIPPED";
    let words = |kind: &str, id: Option<&str>| format!("{kind} {}", id.unwrap_or_default());
    if let Some(news) = teller.news() {
        let skipped = news.iter().filter(|e| e.status == SKIPPED);
        return Ok(skipped.map(|e| words(&e.resource_type, e.physical_id.as_deref())).collect());
    }
    let listing = stacks::resources(clients, id, PageCap::default()).await.into_result();
    let listing = listing.map_err(|e| stop("list what the stack left behind", &e))?;
    let skipped = listing.items.iter().filter(|r| r.status == SKIPPED);
    Ok(skipped.map(|r| words(&r.resource_type, r.physical_id.as_deref())).collect())
}
