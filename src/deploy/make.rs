//! `assay deploy`: from a prepared request to a complete stack, or to the reason why not.

use super::delete::remove;
use super::events::{Teller, wait_for_end, why_it_failed};
use super::existing::{Step, decide};
use super::holder::holder;
use super::prepare::Prepared;
use super::report::{Action, Done};
use super::{pace, send, stop};
use crate::cloud::stacks::{self, CreateStack, StackState, StackStatus};
use crate::cloud::{Clients, Polled};
use crate::exit::Failure;
use crate::progress::Progress;
use evidence::stage::Origin;
use tokio_util::sync::CancellationToken;

/// What a deploy works with.
pub(super) struct Deploy<'a> {
    pub(super) clients: &'a Clients,
    pub(super) request: &'a Prepared,
    pub(super) token: String,
    pub(super) teller: Teller,
    pub(super) progress: &'a Progress,
    pub(super) cancel: &'a CancellationToken,
}

/// Deploys. The same request given twice makes one stack: its identity is in the `ClientRequestToken`, which comes
/// back in every event of the operation.
///
/// # Errors
/// [`Failure::Refused`] before the first write, [`Failure::Stopped`] with the root cause, [`Failure::Paused`] for
/// expired credentials, [`Failure::Interrupted`].
pub async fn deploy(
    clients: &Clients,
    request: &Prepared,
    origin: &Origin,
    progress: &Progress,
    cancel: &CancellationToken,
) -> Result<Done, Failure> {
    let token = format!("assay-{}-{}", request.identity(), crate::run::now_ms());
    let teller = Teller::new(progress, &request.stack);
    let deploy = Deploy { clients, request, token, teller, progress, cancel };
    let found = stacks::find(clients, &request.stack).await.into_result();
    let found = found.map_err(|e| stop(&format!("look for stack {}", request.stack), &e))?;
    let (state, action) = match found {
        None => (deploy.create().await?, Action::Create),
        Some(stack) => deploy.with_existing(stack).await?,
    };
    Ok(done(request, origin, state, action, deploy.token))
}

impl Deploy<'_> {
    async fn with_existing(&self, stack: StackState) -> Result<(StackState, Action), Failure> {
        let ours = self.is_ours(&stack).await?;
        match decide(&stack, &self.request.tags, ours) {
            Step::Unchanged => Ok((stack, Action::None)),
            Step::Adopt => {
                self.progress.note(format!("stack {} is being made by the same request; waiting", stack.name));
                let action = if stack.status.as_text().starts_with("UPDATE") { Action::Update } else { Action::Create };
                Ok((self.wait(&stack.id).await?, action))
            }
            Step::Update => self.update(stack).await,
            Step::Busy => {
                let held = holder(self.clients, &stack).await;
                let held = held.map_err(|e| stop(&format!("read events of {}", stack.name), &e))?;
                Err(Failure::Refused(format!(
                    "{held}\nanother operation is under way; wait for it, or choose another name"
                )))
            }
            Step::Refuse(why) => {
                let failed = matches!(stack.status, StackStatus::RollbackComplete | StackStatus::CreateFailed);
                let cause = if failed { self.cause(&stack.id, None).await } else { None };
                let cause = cause.map(|c| format!("it failed because of {c}\n")).unwrap_or_default();
                Err(Failure::Refused(format!("{cause}{why}")))
            }
            Step::Replace => {
                let cause = self.cause(&stack.id, None).await.unwrap_or_else(|| "no failed event".to_owned());
                self.progress.warn(format!("stack {} is {} because of {cause}", stack.name, stack.status));
                self.progress.note("it carries this request's tags: it is deleted and made anew");
                remove(self.clients, &stack, &Teller::new(self.progress, &stack.name), self.cancel).await?;
                Ok((self.create().await?, Action::Create))
            }
        }
    }

    /// Whether a stack's newest operation carries a token of this request.
    pub(super) async fn is_ours(&self, stack: &StackState) -> Result<bool, Failure> {
        let prefix = format!("assay-{}-", self.request.identity());
        let newest = self.newest_token(stack).await?;
        Ok(newest.is_some_and(|token| token.starts_with(&prefix)))
    }

    /// Token of a stack's newest operation; its events come newest first, so few of them are read.
    pub(super) async fn newest_token(&self, stack: &StackState) -> Result<Option<String>, Failure> {
        let events = stacks::new_events(self.clients, &stack.id, None).await.into_result();
        let events = events.map_err(|e| stop(&format!("read events of {}", stack.name), &e))?.events;
        Ok(events.into_iter().rev().find_map(|e| e.token))
    }

    /// The request as it is sent, after what it needs is uploaded.
    pub(super) async fn sendable(&self) -> Result<CreateStack, Failure> {
        Ok(CreateStack {
            name: self.request.stack.clone(),
            template: send::upload(self.clients, self.request).await?,
            parameters: self.request.parameters.clone(),
            tags: self.request.tags.clone(),
            capabilities: self.request.capabilities.clone(),
            token: self.token.clone(),
            keep_on_failure: false,
        })
    }

    pub(super) async fn wait(&self, id: &str) -> Result<StackState, Failure> {
        let name = &self.request.stack;
        let state = match wait_for_end(self.clients, id, &self.teller, pace(self.clients), self.cancel).await {
            Polled::Ready { value, .. } => value,
            Polled::Cancelled => {
                return Err(Failure::Interrupted(format!(
                    "stopped waiting; stack {name} goes on in the cloud\n  wait again: the same command\n  remove it: assay delete --stack {name}"
                )));
            }
            other => {
                return other
                    .into_result("DescribeStackEvents")
                    .map_err(|e| stop(&format!("wait for stack {name}"), &e));
            }
        };
        if matches!(state.status, StackStatus::CreateComplete | StackStatus::UpdateComplete) {
            return Ok(state);
        }
        let cause = self.cause(id, Some(&self.token)).await.or_else(|| state.reason.clone()).unwrap_or_default();
        Err(Failure::Stopped(format!(
            "stack {name} ended {}\n  root cause: {cause}\n  {}",
            state.status,
            way_out(&state, &cause)
        )))
    }

    async fn cause(&self, id: &str, token: Option<&str>) -> Option<String> {
        why_it_failed(self.clients, id, &self.teller, token).await
    }
}

/// What to do about a stack that did not become what it should.
fn way_out(state: &StackState, cause: &str) -> String {
    let name = &state.name;
    // A queue's name rests for 60 seconds after its deletion (SQS API reference, CreateQueue).
    let first = if cause.contains("wait 60 seconds") || cause.contains("QueueDeletedRecently") {
        "a queue of that name was deleted less than a minute ago: wait 60 s and give the same command again"
    } else {
        "mend it and give the same command again"
    };
    match state.status {
        StackStatus::UpdateRollbackComplete => format!("{first}; the stack is as it was before"),
        StackStatus::UpdateRollbackFailed => format!(
            "the stack could not be brought back either; mend what hinders it, then: aws cloudformation continue-update-rollback --stack-name {name}"
        ),
        _ => format!("{first} (this stack is then replaced), or: assay delete --stack {name}"),
    }
}

fn done(request: &Prepared, origin: &Origin, state: StackState, action: Action, token: String) -> Done {
    Done {
        schema: "assay.deploy/1",
        stack: state.name,
        stack_id: state.id,
        status: state.status.as_text(),
        action,
        unchanged: action == Action::None,
        account: origin.account.clone(),
        region: origin.region.clone(),
        template_sha256: request.template_sha256.to_string(),
        template_bytes: request.body.len(),
        sent: if request.is_long() { "s3" } else { "inline" },
        capabilities: request.capabilities.clone(),
        token,
        tags: state.tags,
        outputs: state.outputs,
        warnings: request.warnings.clone(),
    }
}
