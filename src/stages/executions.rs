//! Durable executions of a trial: every recorded version and the unqualified list, because the service lists no alias.

use super::collect::Place;
use super::session::Session;
use crate::cloud::{Failure as CallFailure, executions, functions};
use crate::plan::TrialPlan;
use ::functions::event::SqsEvent;
use evidence::trial::ExecutionsRead;
use std::collections::BTreeSet;

/// Whether the trial's execution exists and none is running.
pub(super) async fn at_rest(session: &Session, place: &Place, trial: &TrialPlan) -> Result<bool, CallFailure> {
    let Some(version) = &place.version else { return Ok(true) };
    let listed = executions::list(&session.clients, &place.function, Some(version), false, session.page_cap())
        .await
        .into_result()?;
    if listed.items.iter().any(|e| e.status == "RUNNING") {
        return Ok(false);
    }
    for execution in listed.items.iter().rev() {
        let details = executions::details(&session.clients, &execution.arn).await.into_result()?;
        if carries(details.input.as_deref(), &trial.id) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Lists per version and unqualified, and reads the whole history of those that carry the trial.
pub(super) async fn read(session: &Session, place: &Place, trial: &TrialPlan) -> Result<ExecutionsRead, CallFailure> {
    let cap = session.page_cap();
    let published = functions::versions(&session.clients, &place.function, cap).await.into_result()?;
    let versions: Vec<String> = published.items.into_iter().map(|v| v.version).filter(|v| v != "$LATEST").collect();
    let mut listings = Vec::new();
    let mut arns = BTreeSet::new();
    for qualifier in versions.iter().map(|v| Some(v.as_str())).chain([None]) {
        let listed = executions::list(&session.clients, &place.function, qualifier, false, cap).await.into_result()?;
        arns.extend(listed.items.iter().map(|e| (e.started_at_ms, e.arn.clone())));
        listings.push(executions::as_evidence(qualifier, &listed));
    }
    let mut found = Vec::new();
    for (_, arn) in arns {
        let details = executions::details(&session.clients, &arn).await.into_result()?;
        if carries(details.input.as_deref(), &trial.id) {
            found.push(executions::whole(&session.clients, &arn, cap).await.into_result()?.0);
        }
    }
    Ok(ExecutionsRead { versions, listings, executions: found })
}

/// An execution belongs to the trial that its message names.
fn carries(input: Option<&str>, trial: &str) -> bool {
    let event = input.and_then(|text| serde_json::from_str::<SqsEvent>(text).ok());
    event.and_then(|e| e.delivery().ok()).is_some_and(|delivery| delivery.request.trial == trial)
}
