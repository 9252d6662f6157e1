//! What can be done to a run outside its plot: tear down again, audit again, amend. Nothing that is sealed changes.

use super::archive::{self, Archive, Standing};
use super::session::Session;
use super::{audit, close_out, freeze, interlock, teardown};
use crate::audit::{AllowRule, AuditReport};
use crate::exit::Failure;
use crate::paused::unless_expired;
use crate::run::{Head, Lock, RunFolder, RunLog, now_ms};
use crate::teardown::{Options, TeardownReport};
use evidence::digest::Digest;

/// Tears down what is left of a run.
///
/// # Errors
/// [`Failure::Refused`] if the credentials lead elsewhere; [`Failure::Paused`] if they expire.
pub async fn tear_down_again(session: &Session, options: Options) -> Result<TeardownReport, Failure> {
    interlock::check(session).await?;
    let work = teardown::tear_down(session, options);
    unless_expired(&session.clients, "teardown", TeardownReport::is_complete, work).await
}

/// Audits what is left of a run.
///
/// # Errors
/// As [`tear_down_again`]; [`Failure::Unverified`] if the sealed inventory is damaged.
pub async fn audit_again(session: &Session, allow: Vec<AllowRule>) -> Result<AuditReport, Failure> {
    interlock::check(session).await?;
    let before = session.folder.path().join("working/teardown.json");
    let teardown = std::fs::read(before).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let work = audit::audit_run(session, teardown.as_ref(), allow);
    unless_expired(&session.clients, "audit", |report| report.overall.is_proven(), work).await
}

/// Seals one file as the next amendment of a run that no session works on, chained to everything that was sealed before;
/// gives the package's name.
///
/// # Errors
/// [`Failure::Refused`] if a process works on the run; [`Failure::Unverified`] if its journal is damaged.
pub fn amend_folder(folder: &RunFolder, file: &str, value: &serde_json::Value) -> Result<String, Failure> {
    let _lock = Lock::take(folder.path())?;
    let log = RunLog::resume(&folder.journal())?;
    let head = log.state().head.ok_or_else(|| Failure::Unverified("the run's journal is empty".to_owned()))?;
    let archive = Archive { folder, log: &log };
    amendment(&archive, head, &folder.plan()?.study, file, value).map(|(name, _)| name)
}

/// Seals an audit as the next amendment, chained to everything that was sealed before.
///
/// # Errors
/// If the package cannot be written.
pub fn amend(session: &Session, report: &AuditReport) -> Result<(), Failure> {
    let value = serde_json::to_value(report).map_err(|e| Failure::Internal(e.to_string()))?;
    let (name, identity) = amendment(&session.archive(), session.head()?, &session.plan.study, "audit.json", &value)?;
    freeze::tell(session, &name, identity);
    Ok(())
}

fn amendment(
    archive: &Archive<'_>,
    head: Head,
    study: &str,
    file: &str,
    value: &serde_json::Value,
) -> Result<(String, Digest), Failure> {
    let name = next_amendment(archive)?;
    let identity =
        archive.seal(&archive::record(head, study, &name, now_ms()), |draft| draft.write_json(file, value))?;
    close_out::rewrite(archive.folder, &archive.log.state())?;
    Ok((name, identity))
}

/// The first name that is free. What a crash left sealed under a name is another amendment, and stays one.
fn next_amendment(archive: &Archive<'_>) -> Result<String, Failure> {
    loop {
        let state = archive.log.state();
        let before = state.packages.iter().filter(|(name, _)| name.starts_with("amendment-")).count();
        let name = format!("amendment-{}", before + 1);
        if matches!(archive.look(&name)?, Standing::Absent) {
            return Ok(name);
        }
    }
}
