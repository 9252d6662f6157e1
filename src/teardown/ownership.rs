//! Which stack is the run's. The ledger's stack id proves it; a name alone does not.

use super::Job;
use super::input::StackEntry;
use crate::cloud::stacks::{self, Found, StackState};
use crate::cloud::{Failure, RefusalKind};

/// What stands behind a ledger entry.
pub(super) enum Owned {
    /// The run's stack.
    Stack(Box<StackState>),
    /// Deleted already; its id.
    Gone(String),
    /// There is none, and there never was.
    Nothing,
    /// Somebody else's; its id.
    Foreign(String),
}

/// Reads the stack by id; without an id, finds it by name and proves it by the run's tag or the create token.
pub(super) async fn resolve(job: &Job, entry: &StackEntry) -> Result<Owned, Failure> {
    let read = stacks::describe(&job.clients, entry.id.as_deref().unwrap_or(&entry.name)).await.into_result();
    let state = match read {
        Ok(state) => state,
        // Read between deletion and forgetting (90 days): gone either way.
        Err(failure) if failure.kind() == Some(RefusalKind::NotFound) => {
            return Ok(entry.id.clone().map_or(Owned::Nothing, Owned::Gone));
        }
        Err(failure) => return Err(failure),
    };
    if state.status.is_deleted() {
        return Ok(Owned::Gone(state.id));
    }
    let tagged = state.tags.get(&job.input.run_tag) == Some(&job.input.run);
    if entry.id.is_some() || tagged || made_by_token(job, entry).await? {
        Ok(Owned::Stack(Box::new(state)))
    } else {
        Ok(Owned::Foreign(state.id))
    }
}

async fn made_by_token(job: &Job, entry: &StackEntry) -> Result<bool, Failure> {
    let Some(token) = &entry.create_token else { return Ok(false) };
    let found = stacks::created_by_token(&job.clients, &entry.name, token, job.limits.cap).await.into_result()?;
    Ok(matches!(found, Found::Ours(_)))
}
