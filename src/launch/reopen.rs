//! An existing run: lock, journal, inputs as they were, the pinned target.

use super::{connect, oracle};
use crate::cloud::{RefusalKind, Surroundings, Target, identity};
use crate::exit::Failure;
use crate::paused;
use crate::plan::Plan;
use crate::plan::names::Filling;
use crate::progress::Progress;
use crate::protocol::Protocol;
use crate::run::{Event, Head, Lock, Neighbours, PrefixLock, RunFolder, RunLog};
use crate::stages::{Inputs, Session};
use evidence::digest::Digest;
use std::collections::BTreeMap;
use std::path::PathBuf;
use tokio_util::sync::CancellationToken;

/// What a resumed run is opened with.
#[derive(Debug)]
pub struct Reopen {
    /// The run.
    pub folder: RunFolder,
    /// Profile, if the default one is not meant.
    pub profile: Option<String>,
    /// Where progress is told.
    pub progress: Progress,
    /// Says when to stop.
    pub cancel: CancellationToken,
    /// Only to settle what it left: an ended run is welcome, and the plot does not go on.
    pub settling: bool,
}

/// Opens a run from its folder alone.
///
/// # Errors
/// If another process holds it, if journal or inputs are damaged, if it has ended, or if its target does not answer.
pub async fn reopen(reopen: Reopen) -> Result<Session, Failure> {
    let folder = reopen.folder;
    let lock = Lock::take(folder.path())?;
    let log = RunLog::resume(&folder.journal())?;
    let state = log.state();
    let head = state.head.clone().ok_or_else(|| {
        Failure::Unverified(format!("run {} has an empty journal; nothing was deployed", folder.id()))
    })?;
    if let Some(exit) = state.ended.filter(|_| !reopen.settling) {
        return Err(Failure::Usage(format!(
            "run {} has ended with exit code {exit}; see `assay show {}`",
            folder.id(),
            folder.id()
        )));
    }
    let plan = plan(&folder, &head)?;
    let inputs = inputs(&folder, &plan)?;
    let filling = filling(&folder)?;
    let target = Target {
        profile: reopen.profile,
        region: Some(head.origin.region.clone()),
        endpoint_url: head.origin.endpoint.clone(),
    };
    let clients = connect(&target, &Surroundings { endpoint_url: None, ..Surroundings::from_env() }).await?;
    match identity::caller(&clients).await.into_result() {
        Err(failure) => return Err(unreachable(&folder, &head, &failure, reopen.settling)),
        Ok(caller) if caller.account != head.origin.account => {
            return Err(Failure::Refused(format!(
                "run {} belongs to account {}, the current credentials lead to {}; nothing was written\n\
                 sign in to that account, or name a profile of it with --profile, and give the command again",
                folder.id(),
                head.origin.account,
                caller.account
            )));
        }
        Ok(_) => {}
    }
    // Settling touches nothing but the run's own, beside which another run may be at work.
    let neighbours = if reopen.settling { Neighbours::Ignore } else { Neighbours::TakeOver };
    let runs = folder.path().parent().unwrap_or(folder.path());
    let place = PrefixLock::take(runs, &head.origin, &plan.study, folder.id(), neighbours)?;
    // Nothing is judged while settling. Building may take minutes, so whatever refuses the run comes before it.
    let oracle = if reopen.settling { PathBuf::new() } else { oracle().await? };
    if !reopen.settling {
        log.append(Event::Resumed { pid: std::process::id() })?;
    }
    Ok(Session {
        left_out: left_out(&folder, &plan, &inputs)?,
        folder,
        plan,
        filling,
        log,
        inputs,
        clients,
        oracle,
        cancel: reopen.cancel,
        progress: reopen.progress,
        keep_on_interrupt: false,
        stop_at: None,
        lock,
        place,
    })
}

/// Variants that the run was started without; a resumed run is no more eligible than it was.
fn left_out(folder: &RunFolder, plan: &Plan, inputs: &Inputs) -> Result<Vec<String>, Failure> {
    let name = folder.path().join("inputs/protocol.yaml").display().to_string();
    let text = String::from_utf8_lossy(&inputs.protocol);
    let document = yaml::Document::parse(&name, &text, yaml::Dialect::Plain, yaml::Limits::default())?;
    let protocol: Protocol = document.deserialize()?;
    let all = protocol.variants.into_iter().map(|v| v.name);
    Ok(all.filter(|name| !plan.variants.iter().any(|v| v.name == *name)).collect())
}

/// Nobody said who we are: expired credentials and AWS out of reach pause, a local cloud that is gone is gone.
fn unreachable(folder: &RunFolder, head: &Head, failure: &crate::cloud::Failure, settling: bool) -> Failure {
    let recovery = folder.recovery();
    if failure.kind() == Some(RefusalKind::Expired) {
        let paused = paused::expired("ask STS whose account this is", failure);
        // An ended run cannot be resumed; settling goes on by the command that was given.
        return if settling { paused } else { Failure::Paused(format!("{paused}\ncontinue with: {recovery}")) };
    }
    if failure.kind() == Some(RefusalKind::Denied) {
        return Failure::Refused(format!("{failure}; sign in as the run's owner, then: {recovery}"));
    }
    match &head.origin.endpoint {
        Some(endpoint) => Failure::Refused(format!(
            "the local cloud of run {} does not answer at {endpoint}: {failure}\nan embedded cloud ends with its process and everything in it, so nothing is left behind; start again with: assay rehearse",
            folder.id()
        )),
        None => Failure::Paused(format!("cannot reach AWS: {failure}\ncontinue with: {recovery}")),
    }
}

fn plan(folder: &RunFolder, head: &Head) -> Result<Plan, Failure> {
    let plan = folder.plan()?;
    let digest = plan.digest().map_err(|e| Failure::Internal(e.to_string()))?;
    if digest != head.plan_digest {
        return Err(Failure::Unverified(format!(
            "plan.json of run {} is not the plan that the run started with",
            folder.id()
        )));
    }
    Ok(plan)
}

fn inputs(folder: &RunFolder, plan: &Plan) -> Result<Inputs, Failure> {
    let read = |name: &str, expected: Option<&Digest>| -> Result<Vec<u8>, Failure> {
        let path = folder.path().join("inputs").join(name);
        let bytes = std::fs::read(&path).map_err(|e| Failure::io("read", &path, &e))?;
        match expected {
            Some(expected) if Digest::of(&bytes) != *expected => {
                Err(Failure::Unverified(format!("{} is not what the run started with", path.display())))
            }
            _ => Ok(bytes),
        }
    };
    let mut templates = BTreeMap::new();
    for stack in &plan.stacks {
        let bytes = read(&format!("templates/{}.yaml", stack.component), Some(&stack.template_sha256))?;
        templates.insert(stack.component.clone(), bytes);
    }
    Ok(Inputs {
        protocol: read("protocol.yaml", Some(&plan.protocol_sha256))?,
        templates,
        artifact: read("bootstrap.zip", plan.artifact.as_ref().map(|a| &a.sha256))?,
    })
}

fn filling(folder: &RunFolder) -> Result<Filling, Failure> {
    let path = folder.path().join("inputs/filling.json");
    let bytes = std::fs::read(&path).map_err(|e| Failure::io("read", &path, &e))?;
    serde_json::from_slice(&bytes).map_err(|e| Failure::Unverified(format!("{}: {e}", path.display())))
}
