//! The creation ledger: what the run's stacks hold goes into the journal while CloudFormation still tells it, so that
//! ownership is proven when it is gone.

use super::create;
use super::flags::Flags;
use super::session::Session;
use crate::cloud::stacks::{self, StackEvent};
use crate::cloud::streams;
use crate::exit::Failure;
use crate::plan::StackPlan;
use crate::run::{ActState, Created, Event};
use crate::teardown::{StackResult, TeardownReport};

const TABLE: &str = "AWS::DynamoDB::Table";
const STREAM: &str = "AWS::DynamoDB::Stream";

/// Enters every physical id of a complete stack. A resource may be late in the listing, so the events' ids count too; a
/// listing that stays throttled is flagged, because the stack is there all the same.
pub(super) async fn enter(
    session: &Session,
    plan: &StackPlan,
    id: &str,
    seen: &[StackEvent],
    flags: &Flags,
) -> Result<(), Failure> {
    let list = || stacks::resources(&session.clients, id, session.page_cap());
    match session.late_read(&format!("list resources of {}", plan.component), list).await? {
        Ok(listing) => {
            for resource in listing.items {
                note(session, &resource.resource_type, resource.physical_id.as_deref(), &plan.component)?;
            }
        }
        Err(unread) => {
            session.progress.warn(&unread);
            flags.add(&plan.component, unread);
        }
    }
    let made =
        seen.iter().filter(|event| event.status == "CREATE_COMPLETE" && event.physical_id.as_deref() != Some(id));
    for event in made {
        note(session, &event.resource_type, event.physical_id.as_deref(), &plan.component)?;
    }
    Ok(())
}

/// Adds what the ledger does not know yet: resources that were late, and those of a stack whose creation did not
/// complete, with the streams of its tables. Around a teardown there is nothing to stop for: what cannot be read is told,
/// and the audit finds it by other ways.
pub(super) async fn complete(session: &Session, torn_down: Option<&TeardownReport>) -> Result<(), Failure> {
    let state = session.log.state();
    let unsealed = state.package("deploy").is_none();
    for plan in &session.plan.stacks {
        let id = match state.acts.get(&create::key(&plan.component)) {
            Some(ActState::Done(id)) => Some(id.clone()),
            _ => torn_down.and_then(|report| found_by_teardown(report, &session.stack_name(&plan.component))),
        };
        let Some(id) = id else { continue };
        let listing = stacks::resources(&session.clients, &id, session.page_cap()).await.into_result();
        let resources = match listing {
            Ok(listing) => listing.items,
            Err(failure) => {
                session.progress.warn(format!("resources of {} could not be listed: {failure}", plan.component));
                continue;
            }
        };
        for resource in resources {
            note(session, &resource.resource_type, resource.physical_id.as_deref(), &plan.component)?;
            if let Some(table) = resource.physical_id.filter(|_| unsealed && resource.resource_type == TABLE) {
                of_table(session, &table, &plan.component).await?;
            }
        }
    }
    Ok(())
}

/// The id of a stack whose creation had no answer, and that teardown proved to be the run's.
fn found_by_teardown(report: &TeardownReport, name: &str) -> Option<String> {
    let ours = |result: &StackResult| matches!(result, StackResult::Deleted | StackResult::AlreadyGone);
    report.stacks.iter().find(|s| s.name == name && ours(&s.result)).and_then(|s| s.id.clone())
}

/// A deleted table's stream stays for 24 hours and can only be proven by its table.
async fn of_table(session: &Session, table: &str, component: &str) -> Result<(), Failure> {
    match streams::list(&session.clients, Some(table), session.page_cap()).await.optional().into_result() {
        Ok(listing) => {
            let arns = listing.into_iter().flat_map(|l| l.items);
            arns.into_iter().try_for_each(|arn| note(session, STREAM, Some(&arn), component))
        }
        Err(failure) => {
            session.progress.warn(format!("streams of table {table} could not be listed: {failure}"));
            Ok(())
        }
    }
}

fn note(session: &Session, kind: &str, id: Option<&str>, component: &str) -> Result<(), Failure> {
    let Some(id) = id.filter(|id| !id.is_empty()) else { return Ok(()) };
    let created = Created { kind: kind.to_owned(), id: id.to_owned(), component: component.to_owned() };
    if session.log.has_created(&created) {
        return Ok(());
    }
    let Created { kind, id, component } = created;
    session.log.append(Event::Created { kind, id, component })
}
