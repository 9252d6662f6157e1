//! What can be done to a run outside its plot: tear down again, audit again, amend. Nothing that is sealed changes.

use super::session::Session;
use super::{audit, freeze, interlock, teardown};
use crate::audit::{AllowRule, AuditReport};
use crate::exit::Failure;
use crate::run::now_ms;
use crate::teardown::{Options, TeardownReport};

/// Tears down what is left of a run.
///
/// # Errors
/// [`Failure::Refused`] if the credentials lead elsewhere; [`Failure::Paused`] if they expire.
pub async fn tear_down_again(session: &Session, options: Options) -> Result<TeardownReport, Failure> {
    interlock::check(session).await?;
    Box::pin(teardown::tear_down(session, options)).await
}

/// Audits what is left of a run.
///
/// # Errors
/// As [`tear_down_again`]; [`Failure::Unverified`] if the sealed inventory is damaged.
pub async fn audit_again(session: &Session, allow: Vec<AllowRule>) -> Result<AuditReport, Failure> {
    interlock::check(session).await?;
    let before = session.folder.path().join("working/teardown.json");
    let teardown = std::fs::read(before).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    Box::pin(audit::audit_run(session, teardown.as_ref(), allow)).await
}

/// Seals an audit as the next amendment, chained to everything that was sealed before.
///
/// # Errors
/// If the package cannot be written.
pub fn amend(session: &Session, report: &AuditReport) -> Result<(), Failure> {
    let number = 1 + session.log.state().packages.iter().filter(|(name, _)| name.starts_with("amendment-")).count();
    let value = serde_json::to_value(report).map_err(|e| Failure::Internal(e.to_string()))?;
    freeze::amendment(session, &format!("amendment-{number}"), now_ms(), &value)
}
