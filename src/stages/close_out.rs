//! `close-out.md` from what a run's folder holds: at the end of the run, and again after each amendment.

use crate::cost::{COST_FILE, Figure};
use crate::exit::Failure;
use crate::judge::{self, Results};
use crate::plan::Plan;
use crate::registration;
use crate::report::{Basis, close_out};
use crate::run::{Event, RunFolder, State, now_ms};
use evidence::package::Sealed;
use evidence::verdict::PackageVerdict;
use serde::de::DeserializeOwned;
use std::path::Path;

/// Writes the close-out of a run with results.
pub(super) fn write(folder: &RunFolder, state: &State, plan: &Plan, results: &Results) -> Result<(), Failure> {
    let text = close_out(results, plan, &basis(folder, state)?);
    folder.write("close-out.md", text.as_bytes()).map(drop)
}

/// Writes it again, because something was sealed after the run's end; a run that has no results yet has no close-out.
pub(super) fn rewrite(folder: &RunFolder, state: &State) -> Result<(), Failure> {
    let path = folder.path().join("results.json");
    if !path.is_file() {
        return Ok(());
    }
    write(folder, state, &folder.plan()?, &read(&path)?)
}

fn basis(folder: &RunFolder, state: &State) -> Result<Basis, Failure> {
    let head = state.head.clone().ok_or_else(|| Failure::Unverified("the run's journal is empty".to_owned()))?;
    let journal = evidence::journal::read::<Event>(&folder.journal());
    let entries = journal.map_err(|e| Failure::Unverified(e.to_string()))?.entries;
    let started_ms = entries.first().map_or_else(now_ms, |entry| entry.at_ms);
    let judged = state.verdicts.contains_key("canonical");
    let verdict: Option<PackageVerdict> = judged.then(|| read(&folder.verdict("canonical"))).transpose()?;
    let registered = registration::of_run(folder)?;
    let judges: Vec<_> = verdict.iter().map(|verdict| verdict.oracle.source_sha256.clone()).collect();
    Ok(Basis {
        packages: state.packages.clone(),
        oracle: verdict.map(|verdict| verdict.oracle),
        order: judge::order(registered.as_ref(), started_ms, &judges),
        registered,
        origin: head.origin,
        billed: billed(folder, state)?,
    })
}

/// What billing said last, with the path of the file that was sealed.
fn billed(folder: &RunFolder, state: &State) -> Result<Option<(String, Figure)>, Failure> {
    for (name, _) in state.packages.iter().rev().filter(|(name, _)| name.starts_with("amendment-")) {
        let sealed = Sealed::open(&folder.packages().join(name)).map_err(|e| Failure::Unverified(e.to_string()))?;
        if sealed.index().find(COST_FILE).is_some() {
            let path = format!("packages/{name}/{COST_FILE}");
            let bytes = sealed.read(COST_FILE).map_err(|e| Failure::Unverified(e.to_string()))?;
            let figure = serde_json::from_slice(&bytes).map_err(|e| Failure::Unverified(format!("{path}: {e}")))?;
            return Ok(Some((path, figure)));
        }
    }
    Ok(None)
}

fn read<T: DeserializeOwned>(path: &Path) -> Result<T, Failure> {
    let bytes = std::fs::read(path).map_err(|e| Failure::io("read", path, &e))?;
    serde_json::from_slice(&bytes).map_err(|e| Failure::Unverified(format!("{}: {e}", path.display())))
}
