//! What a teardown would do, resource by resource. It reads, and writes nothing.

use super::acts::stop;
use super::session::Session;
use super::{interlock, teardown};
use crate::cloud::stacks::{self, StackResource, StackState};
use crate::exit::Failure;
use crate::teardown::{Fate, Options, Policies};
use serde::Serialize;
use std::fmt;

/// The stacks that a teardown would delete, in order of deployment.
#[derive(Debug, Serialize)]
pub struct Foresight {
    /// Run id.
    pub run: String,
    /// Those that exist.
    pub stacks: Vec<ForeseenStack>,
}

/// One stack as it is now.
#[derive(Debug, Serialize)]
pub struct ForeseenStack {
    /// Stack name.
    pub name: String,
    /// Status.
    pub status: String,
    /// Whether its deletion would be refused.
    pub protected: bool,
    /// Resources that exist.
    pub resources: Vec<ForeseenResource>,
}

/// One resource and its fate.
#[derive(Debug, Serialize)]
pub struct ForeseenResource {
    /// Name in the template.
    pub logical_id: String,
    /// For example `AWS::DynamoDB::Table`.
    pub resource_type: String,
    /// Name in the service.
    pub physical_id: String,
    /// What becomes of it.
    pub fate: Fate,
}

/// Looks at what teardown would delete.
///
/// # Errors
/// [`Failure::Refused`] if the credentials lead elsewhere; [`Failure::Paused`] if they have expired;
/// [`Failure::Stopped`] if a stack cannot be read.
pub async fn foresee(session: &Session) -> Result<Foresight, Failure> {
    interlock::check(session).await?;
    let ledger = teardown::input(session, &session.log.state(), Options::default());
    let mut found = Vec::new();
    for entry in &ledger.stacks {
        let asked = entry.id.as_deref().unwrap_or(&entry.name);
        let read = stacks::describe(&session.clients, asked).await.optional().into_result();
        let read = read.map_err(|failure| stop(&format!("look at stack {}", entry.name), &failure))?;
        if let Some(state) = read.filter(|state| !state.status.is_deleted()) {
            found.push(stack(session, state).await?);
        }
    }
    Ok(Foresight { run: session.folder.id().to_owned(), stacks: found })
}

async fn stack(session: &Session, state: StackState) -> Result<ForeseenStack, Failure> {
    let listed = stacks::resources(&session.clients, &state.id, session.page_cap()).await.into_result();
    let listed = listed.map_err(|failure| stop(&format!("list the resources of {}", state.name), &failure))?;
    let template = template(session, &state.name);
    Ok(ForeseenStack {
        resources: listed.items.into_iter().filter_map(|one| resource(&template, one)).collect(),
        name: state.name,
        status: state.status.as_text(),
        protected: state.termination_protection,
    })
}

/// The template that the run sent for a stack.
fn template(session: &Session, name: &str) -> Policies {
    let component = session.plan.stacks.iter().map(|plan| &plan.component).find(|c| session.stack_name(c) == name);
    let bytes = component.and_then(|component| session.inputs.templates.get(component));
    Policies::read(name, bytes.and_then(|bytes| std::str::from_utf8(bytes).ok()).unwrap_or_default())
}

fn resource(template: &Policies, one: StackResource) -> Option<ForeseenResource> {
    let physical_id = one.physical_id.filter(|_| one.status != "DELETE_COMPLETE")?;
    let fate = template.fate(&one.logical_id);
    Some(ForeseenResource { logical_id: one.logical_id, resource_type: one.resource_type, physical_id, fate })
}

impl fmt::Display for Foresight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut stay = 0;
        for stack in &self.stacks {
            let protected = if stack.protected { "  protected: needs --disable-protection" } else { "" };
            writeln!(f, "{}  {}{protected}", stack.name, stack.status)?;
            for one in &stack.resources {
                let word = match one.fate {
                    Fate::Delete => "will delete",
                    Fate::Snapshot => "will leave a snapshot of",
                    Fate::Orphan => "will orphan",
                };
                stay += usize::from(one.fate != Fate::Delete);
                writeln!(f, "  {word}  {} ({}) {}", one.logical_id, one.resource_type, one.physical_id)?;
            }
        }
        writeln!(
            f,
            "dry run, nothing was written: {} stacks would be deleted, {stay} resources stay",
            self.stacks.len()
        )?;
        writeln!(f, "next: assay teardown {}", self.run)
    }
}
