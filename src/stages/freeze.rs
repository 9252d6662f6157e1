//! Freeze: drafts become sealed packages, each naming those sealed before it.

use super::archive::{self, Standing};
use super::deploy::Deployed;
use super::flags::Flags;
use super::session::Session;
use crate::cloud::stacks;
use crate::exit::Failure;
use crate::paused::unless_expired;
use crate::progress::Notice;
use crate::registration;
use crate::run::Created;
use crate::tags::{self, TagProof};
use evidence::digest::Digest;
use evidence::package::{Draft, PackageError};
use evidence::trial::TrialEvidence;
use serde::Serialize;
use std::path::PathBuf;

/// The creation ledger as sealed before teardown.
#[derive(Serialize)]
struct Inventory<'a> {
    schema: &'static str,
    run: &'a str,
    created: &'a [Created],
}

/// Seals what the run is made of, before anything is deployed.
pub(super) fn preflight(session: &Session, started_ms: i64, findings: &impl Serialize) -> Result<(), Failure> {
    let registered = registration::of_run(&session.folder)?;
    seal(session, "preflight", started_ms, None, |draft| {
        if let Some(registered) = &registered {
            draft.write_json("registration.json", registered)?;
        }
        draft.write("protocol.yaml", &session.inputs.protocol)?;
        for (component, bytes) in &session.inputs.templates {
            draft.write(&format!("templates/{component}.yaml"), bytes)?;
        }
        draft.write_json("plan.json", &session.plan)?;
        draft.write_json("findings.json", findings)
    })
}

/// Seals the inventory and the stacks as deployed, with their events.
pub(super) async fn deployment(
    session: &Session,
    deployed: &Deployed,
    flags: &Flags,
    started_ms: i64,
) -> Result<(), Failure> {
    let mut events = Vec::new();
    for (component, stack) in deployed {
        let read = || stacks::all_events(&session.clients, &stack.id, session.page_cap());
        match session.late_read(&format!("read events of {component}"), read).await? {
            Ok(read) => events.push((component, read)),
            Err(unread) => flags.add(component, unread),
        }
    }
    let created = session.log.state().created;
    let inventory = Inventory { schema: "assay.inventory/1", run: session.folder.id(), created: &created };
    let tags = tag_proof(session, &created).await?;
    seal(session, "deploy", started_ms, None, |draft| {
        draft.write_json("inventory.json", &inventory)?;
        draft.write_json("stacks.json", deployed)?;
        draft.write_json("tags.json", &tags)?;
        if let Some(disturbances) = flags.sealed() {
            draft.write_json("disturbances.json", &disturbances)?;
        }
        events.iter().try_for_each(|(component, events)| draft.write_json(&format!("events/{component}.json"), events))
    })
}

/// Reads the tags back from every resource. What is not as planned is told and sealed; it does not stop the run,
/// because cost attribution is no condition of the study.
async fn tag_proof(session: &Session, created: &[Created]) -> Result<TagProof, Failure> {
    let expected = tags::expected(&session.plan, &session.filling);
    let work = tags::prove(&session.clients, session.folder.id(), created, &expected, session.page_cap());
    let read = |proof: &TagProof| proof.open().next().is_none();
    let proof = unless_expired(&session.clients, "read tags", read, async { Ok(work.await) }).await?;
    proof.open().for_each(|resource| session.progress.warn(format!("tags: {resource}")));
    Ok(proof)
}

/// Seals the trials of a stage; those that did not run are missing, and the oracle says so.
pub(super) fn trials(session: &Session, stage: &str, started_ms: i64, ended: Option<&Failure>) -> Result<(), Failure> {
    let mut saved = Vec::new();
    for trial in session.plan.trials_of(stage) {
        saved.extend(self::saved(session, &trial.id)?);
    }
    seal(session, stage, started_ms, ended, |draft| {
        saved.iter().try_for_each(|trial| draft.write_json(&format!("trials/{}.json", trial.trial.id), trial))
    })
}

/// Seals the end of the run: teardown, audit and whatever else belongs to it.
pub(super) fn closing(session: &Session, started_ms: i64, files: &[(&str, serde_json::Value)]) -> Result<(), Failure> {
    seal(session, "closing", started_ms, None, |draft| {
        files.iter().try_for_each(|(path, value)| draft.write_json(path, value))
    })
}

/// A package that a crash left sealed but not journaled is taken as it is.
pub(super) fn adopt(session: &Session, name: &str) -> Result<bool, Failure> {
    match session.archive().look(name)? {
        Standing::Journaled => Ok(true),
        Standing::Adopted(identity) => {
            tell(session, name, identity);
            Ok(true)
        }
        Standing::Absent => Ok(false),
    }
}

fn seal(
    session: &Session,
    name: &str,
    started_ms: i64,
    ended: Option<&Failure>,
    fill: impl FnOnce(&mut Draft) -> Result<(), PackageError>,
) -> Result<(), Failure> {
    if adopt(session, name)? {
        return Ok(());
    }
    let mut record = archive::record(session.head()?, &session.plan.study, name, started_ms);
    record.outcome = ended.map_or(record.outcome, ToString::to_string);
    record.trials = session.plan.trials_of(name).map(|t| t.id.clone()).collect();
    let identity = session.archive().seal(&record, fill)?;
    tell(session, name, identity);
    Ok(())
}

/// Tells of a sealed package.
pub(super) fn tell(session: &Session, name: &str, identity: Digest) {
    session.progress.tell(&Notice::Sealed { package: name.to_owned(), identity: identity.to_string() });
}

/// Keeps one trial's evidence until its stage is sealed, so that a crash does not lose it.
pub(super) fn save(session: &Session, trial: &TrialEvidence) -> Result<(), Failure> {
    let bytes = evidence::canonical::to_line(trial).map_err(|e| Failure::Internal(e.to_string()))?;
    let working = session.folder.path().join("working");
    std::fs::create_dir_all(&working).map_err(|e| Failure::io("create folder", &working, &e))?;
    session.folder.write(&format!("working/{}.json", trial.trial.id), &bytes).map(drop)
}

/// A trial's evidence, if it was saved.
pub(super) fn saved(session: &Session, trial: &str) -> Result<Option<TrialEvidence>, Failure> {
    let path: PathBuf = session.folder.path().join("working").join(format!("{trial}.json"));
    match std::fs::read(&path) {
        Ok(bytes) => serde_json::from_slice(&bytes)
            .map(Some)
            .map_err(|e| Failure::Unverified(format!("{}: {e}", path.display()))),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(Failure::io("read", &path, &e)),
    }
}
