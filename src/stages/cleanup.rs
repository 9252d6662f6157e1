//! Cleanup, on every path: teardown, then an audit by enumeration of its own.

use super::session::Session;
use super::{audit, interlock, teardown};
use crate::exit::Failure;
use crate::paused::unless_expired;
use crate::progress::Notice;
use crate::run::{Event, StageOutcome, now_ms};
use crate::teardown::{Options, TeardownOutcome, TeardownReport};
use serde_json::{Value, json};

/// What cleanup came to.
#[derive(Debug)]
pub(super) struct Cleanup {
    /// The teardown's report.
    pub(super) teardown: Value,
    /// The audit's report.
    pub(super) audit: Value,
    /// Every stack is gone and the audit is clean, but for residue that ends by itself.
    pub(super) proven: bool,
    /// The audit's overall verdict.
    pub(super) verdict: String,
}

/// Tears down and audits. A failure of either is part of the result, not an early return.
pub(super) async fn clean_up(session: &Session) -> Result<Cleanup, Failure> {
    let report = kept(session, "teardown", tear_down(session)).await?;
    let settled = serde_json::from_value::<TeardownReport>(report.clone()).ok();
    let audit = kept(session, "audit", audit_account(session, settled.as_ref())).await?;
    let verdict = audit["overall"].as_str().unwrap_or("not audited").to_owned();
    Ok(Cleanup { proven: report["complete"] == true && audit["complete"] == true, teardown: report, audit, verdict })
}

/// Runs a cleanup stage once; its report is kept for a resumed process.
async fn kept(
    session: &Session,
    stage: &str,
    work: impl Future<Output = Result<Value, Failure>>,
) -> Result<Value, Failure> {
    let name = format!("working/{stage}.json");
    let path = session.folder.path().join(&name);
    if session.log.state().stage_outcome(stage).is_some() {
        let bytes = std::fs::read(&path).map_err(|e| Failure::io("read", &path, &e))?;
        return serde_json::from_slice(&bytes).map_err(|e| Failure::Unverified(format!("{}: {e}", path.display())));
    }
    let started = now_ms();
    session.log.append(Event::StageStarted { stage: stage.to_owned() })?;
    session.progress.tell(&Notice::StageStarted { stage: stage.to_owned() });
    let complete = |report: &Value| report["complete"] == true;
    let report = match unless_expired(&session.clients, stage, complete, work).await {
        Ok(report) => report,
        Err(failure @ Failure::Paused(_)) => return Err(failure),
        Err(failure) => json!({ "complete": false, "summary": failure.to_string() }),
    };
    std::fs::create_dir_all(session.folder.path().join("working"))
        .map_err(|e| Failure::io("create folder", &path, &e))?;
    session.folder.write(&name, report.to_string().as_bytes())?;
    let outcome = if report["complete"] == true { StageOutcome::Completed } else { StageOutcome::Failed };
    let detail = report["summary"].as_str().unwrap_or_default().to_owned();
    session.log.append(Event::StageEnded { stage: stage.to_owned(), outcome, detail: detail.clone() })?;
    let outcome = format!("{outcome:?}").to_lowercase();
    session.progress.tell(&Notice::StageEnded { stage: stage.to_owned(), outcome, detail, ms: now_ms() - started });
    Ok(report)
}

async fn tear_down(session: &Session) -> Result<Value, Failure> {
    interlock::check(session).await?;
    // The run's own buckets hold nothing but the run's own artifact.
    let options = Options { empty_buckets: true, ..Options::default() };
    let report = teardown::tear_down(session, options).await?;
    let mut value = serde_json::to_value(&report).map_err(|e| Failure::Internal(e.to_string()))?;
    value["complete"] = json!(report.is_complete());
    value["summary"] = json!(summary(&report));
    Ok(value)
}

async fn audit_account(session: &Session, teardown: Option<&TeardownReport>) -> Result<Value, Failure> {
    interlock::check(session).await?;
    let report = audit::audit_run(session, teardown, Vec::new()).await?;
    let mut value = serde_json::to_value(&report).map_err(|e| Failure::Internal(e.to_string()))?;
    value["complete"] = json!(report.overall.is_proven());
    value["summary"] = json!(report.summary());
    value["text"] = json!(crate::audit::render(&report));
    Ok(value)
}

/// A teardown in one line.
#[must_use]
pub fn summary(report: &TeardownReport) -> String {
    let retained: usize = report.stacks.iter().map(|s| s.retained.len()).sum();
    let stacks = report.stacks.len();
    match report.outcome {
        TeardownOutcome::Complete => format!("complete: {stacks} stacks deleted, each read as DELETE_COMPLETE by id"),
        TeardownOutcome::CompleteWithRetained => format!("complete, {retained} retained"),
        TeardownOutcome::NothingToDo => "nothing was created".to_owned(),
        other => {
            let problems: Vec<_> = report.problems.iter().map(|p| format!("{}: {}", p.subject, p.reason)).collect();
            format!("{other:?}: {}", problems.join("; "))
        }
    }
}
