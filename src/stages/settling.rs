//! What can be done to a run outside its plot: tear down again, audit again, amend. Nothing that is sealed changes.

use super::session::Session;
use super::{audit, freeze, interlock, teardown};
use crate::audit::{AllowRule, AuditReport};
use crate::exit::Failure;
use crate::run::{Event, Lock, RunFolder, RunLog, State, now_ms};
use crate::teardown::{Options, TeardownReport};
use evidence::package::{Draft, PackageError, Sealed};
use evidence::stage::StageRecord;

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

/// Seals one file as the next amendment of a run that no session works on, chained to everything that was sealed before;
/// gives the package's name.
///
/// # Errors
/// [`Failure::Refused`] if a process works on the run; [`Failure::Unverified`] if its journal is damaged.
pub fn amend_folder(folder: &RunFolder, file: &str, value: &serde_json::Value) -> Result<String, Failure> {
    let _lock = Lock::take(folder.path())?;
    let log = RunLog::resume(&folder.journal())?;
    let state = log.state();
    let name = next_amendment(&state);
    let head = state.head.clone().ok_or_else(|| Failure::Unverified("the run's journal is empty".to_owned()))?;
    let now = now_ms();
    let record = StageRecord {
        schema: evidence::stage::SCHEMA.to_owned(),
        run: head.run,
        study: folder.plan()?.study,
        stage: name.clone(),
        grade: head.grade,
        plan_digest: head.plan_digest.to_string(),
        origin: head.origin,
        started_at_ms: now,
        ended_at_ms: now,
        outcome: "completed".to_owned(),
        trials: Vec::new(),
    };
    let seal = || -> Result<Sealed, PackageError> {
        Draft::discard_leftover(&folder.packages(), &name)?;
        let mut draft = Draft::create(&folder.packages(), &name, folder.id(), &state.identities())?;
        draft.write_json("stage.json", &record)?;
        draft.write_json(file, value)?;
        draft.seal()
    };
    let sealed = seal().map_err(|e| Failure::Internal(format!("cannot freeze {name}: {e}")))?;
    log.append(Event::Sealed { package: name.clone(), identity: *sealed.identity() })?;
    Ok(name)
}

fn next_amendment(state: &State) -> String {
    let before = state.packages.iter().filter(|(name, _)| name.starts_with("amendment-")).count();
    format!("amendment-{}", before + 1)
}

/// Seals an audit as the next amendment, chained to everything that was sealed before.
///
/// # Errors
/// If the package cannot be written.
pub fn amend(session: &Session, report: &AuditReport) -> Result<(), Failure> {
    let name = next_amendment(&session.log.state());
    let value = serde_json::to_value(report).map_err(|e| Failure::Internal(e.to_string()))?;
    freeze::amendment(session, &name, now_ms(), &value)
}
