//! Updating a stack that is there to what the request says.

use super::make::Deploy;
use super::report::Action;
use super::stop;
use crate::cloud::stacks::{self, StackState};
use crate::cloud::{Failure as CallFailure, Outcome, RefusalKind};
use crate::exit::Failure;

/// What became of the request.
enum Sent {
    /// It is under way.
    UnderWay,
    /// The stack was as asked already.
    NothingNew,
}

impl Deploy<'_> {
    /// By id, so that nothing else is meant if the name changes hands.
    pub(super) async fn update(&self, stack: StackState) -> Result<(StackState, Action), Failure> {
        let what = format!("update stack {}", stack.name);
        // Events up to here belong to the past.
        let past = self.teller.look_silently(self.clients, &stack.id).await;
        past.into_result().map_err(|e| stop(&what, &e))?;
        match self.send_update(&stack, &what).await? {
            Sent::NothingNew => Ok((stack, Action::None)),
            Sent::UnderWay => Ok((self.wait(&stack.id).await?, Action::Update)),
        }
    }

    /// A lost answer is looked for by token; only if the stack knows nothing of it is it sent once more, with the same
    /// token, which CloudFormation takes for the same operation.
    async fn send_update(&self, stack: &StackState, what: &str) -> Result<Sent, Failure> {
        let request = self.sendable().await?;
        for last in [false, true] {
            match stacks::update(self.clients, &stack.id, &request).await {
                Outcome::Done(Some(_)) => return Ok(Sent::UnderWay),
                Outcome::Done(None) => return Ok(Sent::NothingNew),
                Outcome::Refused(refusal) if refusal.kind == RefusalKind::Conflict => {
                    return Err(Failure::Refused(format!(
                        "{what}: {refusal}; somebody else changes it, wait for the end"
                    )));
                }
                Outcome::Refused(refusal) => return Err(stop(what, &CallFailure::Refused(refusal))),
                Outcome::Unknown(doubt) => {
                    if self.newest_token(stack).await?.as_deref() == Some(self.token.as_str()) {
                        return Ok(Sent::UnderWay);
                    }
                    if last {
                        return Err(Failure::Stopped(format!("{what}: {doubt}; the stack knows nothing of it")));
                    }
                }
            }
        }
        Err(Failure::Stopped(what.to_owned()))
    }
}
