//! The end of a run: conclusions from verdicts, the closing package, results and the exit.

use super::cleanup::Cleanup;
use super::close_out;
use super::freeze;
use super::session::Session;
use crate::exit::{Exit, Failure};
use crate::judge::{self, Cell, Excluded, Facts, Results};
use crate::run::{Event, now_ms};
use crate::text::word;
use evidence::anchors::{self, Anchor, Anchors};
use evidence::digest::Digest;
use evidence::package::Sealed;
use evidence::verdict::{Cite, PackageVerdict};
use serde_json::json;

/// What a finished run comes to.
#[derive(Debug)]
pub struct Conclusion {
    /// Results as written to `results.json`.
    pub results: Results,
    /// The exit.
    pub exit: Exit,
}

/// Draws the conclusions, seals the closing package and writes `results.json`.
pub(super) async fn conclude(
    session: &Session,
    stopped: Option<Failure>,
    cleanup: Cleanup,
) -> Result<Conclusion, Failure> {
    let started = now_ms();
    let verdict = verdict_of(session, "canonical")?;
    let cells = judge::cells(&session.plan, verdict.as_ref());
    let closing = [
        ("teardown.json", cleanup.teardown.clone()),
        ("audit.json", cleanup.audit.clone()),
        (anchors::FILE, value(&anchors_of(session)?)?),
        ("outcome.json", json!({ "stopped": stopped.as_ref().map(ToString::to_string) })),
    ];
    freeze::closing(session, started, &closing)?;
    let facts = facts(session, stopped.as_ref(), &cleanup)?;
    let results = results(session, cells, &facts, cleanup)?;
    let text = serde_json::to_vec_pretty(&results).map_err(|e| Failure::Internal(e.to_string()))?;
    session.folder.write("results.json", &text)?;
    close_out::write(&session.folder, &session.log.state(), &session.plan, &results)?;
    let exit = exit(&results.cells, &facts, stopped.as_ref());
    session.log.append(Event::RunEnded { exit: exit.code() })?;
    Ok(Conclusion { results, exit })
}

/// Verdict files and the journal so far: what stands outside the packages and has to be fixed inside the last one.
fn anchors_of(session: &Session) -> Result<Anchors, Failure> {
    let judged = session.log.state().verdicts;
    let files: Result<Vec<_>, Failure> = judged
        .keys()
        .map(|package| {
            let path = session.folder.verdict(package);
            let bytes = std::fs::read(&path).map_err(|e| Failure::io("read verdict", &path, &e))?;
            Ok(Anchor { path: format!("verdicts/{package}.json"), sha256: Digest::of(&bytes) })
        })
        .collect();
    let journal = evidence::journal::read::<Event>(&session.folder.journal());
    Ok(Anchors::new(files?, journal.map_err(|e| Failure::Unverified(e.to_string()))?.head))
}

fn value(of: &impl serde::Serialize) -> Result<serde_json::Value, Failure> {
    serde_json::to_value(of).map_err(|e| Failure::Internal(e.to_string()))
}

/// Cleanup outranks everything; then a failure's own exit; then the verdicts.
fn exit(cells: &[Cell], facts: &Facts, stopped: Option<&Failure>) -> Exit {
    match stopped.map(Failure::exit) {
        Some(exit @ (Exit::Interrupted | Exit::Usage | Exit::Internal | Exit::Unverified)) if facts.cleanup_proven => {
            exit
        }
        _ => judge::exit(cells, facts),
    }
}

fn facts(session: &Session, stopped: Option<&Failure>, cleanup: &Cleanup) -> Result<Facts, Failure> {
    let report = evidence::verify::verify(&[session.folder.path()], &evidence::verify::Options::default());
    Ok(Facts {
        evidence_verifies: report.valid,
        cleanup_proven: cleanup.proven,
        audit: cleanup.verdict.clone(),
        stopped: stopped.map(ToString::to_string),
        deviations: session.log.state().deviations,
        left_out: session.left_out.clone(),
    })
}

fn results(session: &Session, cells: Vec<Cell>, facts: &Facts, cleanup: Cleanup) -> Result<Results, Failure> {
    let head = session.head()?;
    Ok(Results {
        schema: judge::SCHEMA.to_owned(),
        run: head.run,
        study: session.plan.study.clone(),
        grade: head.grade,
        plan_digest: head.plan_digest,
        comparison: judge::comparison(&session.plan, &cells, facts),
        cells,
        excluded: excluded(session)?,
        teardown: cleanup.teardown,
        audit: cleanup.audit,
        cites: cites(session)?,
        deviations: facts.deviations.clone(),
        stopped: facts.stopped.clone(),
    })
}

/// The sealed files that the results repeat.
fn cites(session: &Session) -> Result<Vec<Cite>, Failure> {
    let path = session.folder.packages().join("closing");
    let sealed = Sealed::open(&path).map_err(|e| Failure::Unverified(format!("{}: {e}", path.display())))?;
    let of = [("teardown.json", ""), ("audit.json", ""), ("outcome.json", "/stopped")];
    let cites = of.iter().filter_map(|(file, pointer)| {
        let sha256 = sealed.index().find(file)?.sha256.to_string();
        Some(Cite { artifact: format!("packages/closing/{file}"), pointer: (*pointer).to_owned(), sha256 })
    });
    Ok(cites.collect())
}

/// Validations whose verdict differs from the prediction of their cell.
fn excluded(session: &Session) -> Result<Vec<Excluded>, Failure> {
    let mut excluded = Vec::new();
    for variant in &session.plan.variants {
        let stage = format!("validate-{}", variant.slug);
        let Some(verdict) = verdict_of(session, &stage)? else { continue };
        for trial in &verdict.trials {
            let predicted = trial.scenario.and_then(|scenario| session.plan.prediction_for(&trial.variant, scenario));
            if predicted.is_some_and(|p| p.verdict != trial.verdict) {
                let (wanted, found) = (predicted.map(|p| p.verdict), trial.verdict);
                let reason = format!("not reproduced: predicted {}, found {}", word(&wanted), word(&found));
                excluded.push(Excluded { trial: trial.trial.clone(), reason });
            }
        }
    }
    Ok(excluded)
}

fn verdict_of(session: &Session, package: &str) -> Result<Option<PackageVerdict>, Failure> {
    if !session.log.state().verdicts.contains_key(package) {
        return Ok(None);
    }
    let path = session.folder.verdict(package);
    let bytes = std::fs::read(&path).map_err(|e| Failure::io("read verdict", &path, &e))?;
    serde_json::from_slice(&bytes).map(Some).map_err(|e| Failure::Unverified(format!("{}: {e}", path.display())))
}
