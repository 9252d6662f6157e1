//! `assay deploy`: from a prepared request to a complete stack, or to the reason why not.

use super::delete::remove;
use super::events::{Teller, wait_for_end, why_it_failed};
use super::existing::{Step, decide};
use super::prepare::Prepared;
use super::report::Done;
use super::{pace, send, stop};
use crate::cloud::stacks::{self, CreateStack, Found, StackState, StackStatus};
use crate::cloud::{Clients, Outcome, PageCap, Polled, RefusalKind};
use crate::exit::Failure;
use crate::progress::Progress;
use evidence::stage::Origin;
use tokio_util::sync::CancellationToken;

/// What a deploy works with.
struct Deploy<'a> {
    clients: &'a Clients,
    request: &'a Prepared,
    token: String,
    teller: Teller,
    progress: &'a Progress,
    cancel: &'a CancellationToken,
}

/// Deploys. The same request given twice makes one stack: its identity is in the `ClientRequestToken`, which comes
/// back in every event of the creation.
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
    let (state, unchanged) = match found {
        None => (deploy.create().await?, false),
        Some(stack) => deploy.with_existing(stack).await?,
    };
    Ok(done(request, origin, state, unchanged, deploy.token))
}

impl Deploy<'_> {
    async fn with_existing(&self, stack: StackState) -> Result<(StackState, bool), Failure> {
        let ours = self.is_ours(&stack).await?;
        match decide(&stack, &self.request.tags, ours) {
            Step::Unchanged => Ok((stack, true)),
            Step::Adopt => {
                self.progress.note(format!("stack {} is being made by the same request; waiting", stack.name));
                Ok((self.wait(&stack.id).await?, false))
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
                Ok((self.create().await?, false))
            }
        }
    }

    /// Whether a stack's creation carries a token of this request.
    async fn is_ours(&self, stack: &StackState) -> Result<bool, Failure> {
        let prefix = format!("assay-{}-", self.request.identity());
        let events = stacks::all_events(self.clients, &stack.id, PageCap::default()).await.into_result();
        let events = events.map_err(|e| stop(&format!("read events of {}", stack.name), &e))?;
        Ok(events.first().and_then(|e| e.token.as_deref()).is_some_and(|token| token.starts_with(&prefix)))
    }

    async fn create(&self) -> Result<StackState, Failure> {
        let template = send::upload(self.clients, self.request).await?;
        let create = CreateStack {
            name: self.request.stack.clone(),
            template,
            parameters: self.request.parameters.clone(),
            tags: self.request.tags.clone(),
            capabilities: self.request.capabilities.clone(),
            token: self.token.clone(),
            keep_on_failure: false,
        };
        let id = self.send(&create).await?;
        self.wait(&id).await
    }

    /// A lost answer is looked for by token; only if nothing is there is the same request sent once more.
    async fn send(&self, create: &CreateStack) -> Result<String, Failure> {
        let what = format!("create stack {}", create.name);
        for last in [false, true] {
            match stacks::create(self.clients, create).await {
                Outcome::Done(id) => return Ok(id),
                Outcome::Refused(refusal) if refusal.kind == RefusalKind::AlreadyExists => {
                    return self.reconcile(create).await?.ok_or_else(|| Failure::Stopped(format!("{what}: {refusal}")));
                }
                Outcome::Refused(refusal) => return Err(stop(&what, &crate::cloud::Failure::Refused(refusal))),
                Outcome::Unknown(doubt) => match self.reconcile(create).await? {
                    Some(id) => return Ok(id),
                    None if last => return Err(Failure::Stopped(format!("{what}: {doubt}; no such stack was found"))),
                    None => {}
                },
            }
        }
        Err(Failure::Stopped(what))
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

    async fn wait(&self, id: &str) -> Result<StackState, Failure> {
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
        if state.status == StackStatus::CreateComplete {
            return Ok(state);
        }
        let cause = self.cause(id, Some(&self.token)).await.or_else(|| state.reason.clone()).unwrap_or_default();
        Err(Failure::Stopped(format!(
            "stack {name} ended {}\n  root cause: {cause}\n  mend it and give the same command again (this stack is then replaced), or: assay delete --stack {name}",
            state.status
        )))
    }

    async fn cause(&self, id: &str, token: Option<&str>) -> Option<String> {
        why_it_failed(self.clients, id, &self.teller, token).await
    }
}

fn done(request: &Prepared, origin: &Origin, state: StackState, unchanged: bool, token: String) -> Done {
    Done {
        schema: "assay.deploy/1",
        stack: state.name,
        stack_id: state.id,
        status: state.status.as_text(),
        unchanged,
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
