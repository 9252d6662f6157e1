//! Creating the stack, once: a lost answer is looked for by token.

use super::make::Deploy;
use super::{pace, stop};
use crate::cloud::stacks::{self, CreateStack, Found, StackState};
use crate::cloud::{Outcome, PageCap, RefusalKind};
use crate::exit::Failure;

/// How often a creation is sent in all.
const ATTEMPTS: u32 = 5;

impl Deploy<'_> {
    pub(super) async fn create(&self) -> Result<StackState, Failure> {
        let id = self.send(&self.sendable().await?).await?;
        self.wait(&id).await
    }

    /// Sends the request again only if nothing of that name is found: after a lost answer, and when the name is still
    /// taken by a stack whose deletion has not reached every part of CloudFormation.
    async fn send(&self, create: &CreateStack) -> Result<String, Failure> {
        let what = format!("create stack {}", create.name);
        let mut last = String::new();
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                tokio::select! {
                    () = self.cancel.cancelled() => return Err(Failure::Interrupted("stopped".to_owned())),
                    () = tokio::time::sleep(pace(self.clients).interval) => {}
                }
            }
            last = match stacks::create(self.clients, create).await {
                Outcome::Done(id) => return Ok(id),
                Outcome::Refused(refusal) if refusal.kind == RefusalKind::AlreadyExists => refusal.to_string(),
                Outcome::Refused(refusal) => return Err(stop(&what, &crate::cloud::Failure::Refused(refusal))),
                Outcome::Unknown(doubt) => doubt.to_string(),
            };
            if let Some(id) = self.reconcile(create).await? {
                return Ok(id);
            }
        }
        Err(Failure::Stopped(format!("{what}: {last}; no such stack was found")))
    }

    async fn reconcile(&self, create: &CreateStack) -> Result<Option<String>, Failure> {
        let found = stacks::created_by_token(self.clients, &create.name, &create.token, PageCap::default()).await;
        match found.into_result().map_err(|e| stop(&format!("look for stack {}", create.name), &e))? {
            Found::Ours(id) => Ok(Some(id)),
            Found::Nothing => Ok(None),
            Found::Foreign(id) => {
                let state = stacks::describe(self.clients, &id).await.into_result();
                let state = state.map_err(|e| stop(&format!("describe stack {id}"), &e))?;
                // The same command, given twice at once.
                if self.is_ours(&state).await? {
                    return Ok(Some(id));
                }
                Err(Failure::Refused(format!("stack {id} has this name but another maker; it is left alone")))
            }
        }
    }
}
