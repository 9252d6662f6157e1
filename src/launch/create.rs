//! A new run: folder, lock, inputs, plan, first journal line.

use super::{grade, neighbours, origin};
use crate::cloud::Clients;
use crate::cost::Usd;
use crate::exit::Failure;
use crate::plan::Plan;
use crate::plan::names::{self, Filling};
use crate::progress::Progress;
use crate::protocol::Loaded;
use crate::registration;
use crate::run::{Event, Lock, Neighbours, PrefixLock, RunFolder, RunLog};
use crate::stages::{Inputs, Session};
use evidence::stage::{Grade, Origin};
use jiff::{SignedDuration, Timestamp};
use std::path::{Path, PathBuf};
use tokio_util::sync::CancellationToken;

/// Everything that a new run starts from.
#[derive(Debug)]
pub struct Start {
    /// The registration that the run is held to.
    pub registration: Option<registration::Adopted>,
    /// The checked protocol.
    pub loaded: Loaded,
    /// The resolved plan, artifact included.
    pub plan: Plan,
    /// The artifact's bytes.
    pub artifact: Vec<u8>,
    /// The oracle's program.
    pub oracle: PathBuf,
    /// Connected clients.
    pub clients: Clients,
    /// Folder of the runs.
    pub runs: PathBuf,
    /// Where progress is told.
    pub progress: Progress,
    /// Says when to stop.
    pub cancel: CancellationToken,
    /// Whether a signal leaves the stacks in place.
    pub keep_on_interrupt: bool,
    /// What to do about other runs of the study in this account.
    pub neighbours: Neighbours,
    /// A ceiling below the protocol's.
    pub stop_at: Option<Usd>,
}

/// Makes the run. Nothing is written outside its folder.
///
/// # Errors
/// If the target does not answer or the folder cannot be made.
pub async fn start(start: Start) -> Result<Session, Failure> {
    let origin = origin(&start.clients).await?;
    let grade = grade(start.clients.endpoint());
    let now = Timestamp::now();
    let filling = filling(&start, &origin, now)?;
    let place = PrefixLock::take(&start.runs, &origin, &start.plan.study, &filling.run, start.neighbours)?;
    look_around(&start, &origin).await?;
    let folder = RunFolder::create(&start.runs, &filling.run)?;
    let lock = Lock::take(folder.path())?;
    let inputs = inputs(&start);
    keep(&folder, &inputs, &start.plan, &filling)?;
    let log = RunLog::create(&folder.journal())?;
    begin(&log, &folder, &start.plan, grade, origin)?;
    if let Some(adopted) = &start.registration {
        registration::keep(&folder, adopted)?;
        adopted.deviation.iter().try_for_each(|reason| log.append(Event::Deviation { reason: reason.clone() }))?;
    }
    Ok(Session {
        left_out: left_out(&start.loaded, &start.plan),
        folder,
        plan: start.plan,
        filling,
        log,
        inputs,
        clients: start.clients,
        oracle: start.oracle,
        cancel: start.cancel,
        progress: start.progress,
        keep_on_interrupt: start.keep_on_interrupt,
        stop_at: start.stop_at,
        lock,
        place,
    })
}

/// Refuses to start beside stacks of another run of the study, or only tells of them. Not being able to look is no
/// reason to stop: the lock of this folder of runs holds, and names never collide.
async fn look_around(start: &Start, origin: &Origin) -> Result<(), Failure> {
    if start.neighbours == Neighbours::Ignore {
        return Ok(());
    }
    let found = match neighbours::of_study(&start.clients, &start.plan.study).await.into_result() {
        Ok(found) => found,
        Err(failure) => {
            start.progress.warn(format!("could not look for other runs of this study: {failure}"));
            return Ok(());
        }
    };
    let Some((run, stack)) = found.first_key_value() else { return Ok(()) };
    let told = format!(
        "run {run} of study {} has stacks in account {} ({stack}), and its lock is not in {}",
        start.plan.study,
        origin.account,
        start.runs.display()
    );
    match start.neighbours {
        Neighbours::Refuse => Err(Failure::Refused(format!(
            "{told}\nfinish it where it was started (assay resume {run} --yes, or assay teardown {run}), or start beside it with: --neighbours take-over"
        ))),
        _ => {
            start.progress.warn(told);
            Ok(())
        }
    }
}

fn filling(start: &Start, origin: &Origin, now: Timestamp) -> Result<Filling, Failure> {
    let random = u16::from_le_bytes(random()?);
    let hours = i64::from(start.loaded.protocol.tags.expires_after_h);
    let expires = now.checked_add(SignedDuration::from_hours(hours)).unwrap_or(now);
    Ok(Filling {
        run: names::run_id(now, random),
        account: origin.account.clone(),
        expires: expires.strftime("%Y-%m-%dT%H:%M:%SZ").to_string(),
    })
}

fn random() -> Result<[u8; 2], Failure> {
    let mut bytes = [0; 2];
    let read = std::fs::File::open("/dev/urandom").and_then(|mut f| std::io::Read::read_exact(&mut f, &mut bytes));
    read.map_err(|e| Failure::io("read", Path::new("/dev/urandom"), &e))?;
    Ok(bytes)
}

fn inputs(start: &Start) -> Inputs {
    Inputs {
        protocol: start.loaded.bytes.clone(),
        templates: start.loaded.templates.iter().map(|(component, t)| (component.clone(), t.bytes.clone())).collect(),
        artifact: start.artifact.clone(),
    }
}

fn keep(folder: &RunFolder, inputs: &Inputs, plan: &Plan, filling: &Filling) -> Result<(), Failure> {
    let path = folder.path().join("inputs/templates");
    std::fs::create_dir_all(&path).map_err(|e| Failure::io("create folder", &path, &e))?;
    folder.write("inputs/protocol.yaml", &inputs.protocol)?;
    for (component, bytes) in &inputs.templates {
        folder.write(&format!("inputs/templates/{component}.yaml"), bytes)?;
    }
    folder.write("inputs/bootstrap.zip", &inputs.artifact)?;
    let json = |value: Result<Vec<u8>, _>| {
        value.map_err(|e: evidence::canonical::CanonicalError| Failure::Internal(e.to_string()))
    };
    folder.write("inputs/filling.json", &json(evidence::canonical::to_line(filling))?)?;
    folder.write("plan.json", &json(evidence::canonical::to_line(plan))?)?;
    Ok(())
}

fn begin(log: &RunLog, folder: &RunFolder, plan: &Plan, grade: Grade, origin: Origin) -> Result<(), Failure> {
    let plan_digest = plan.digest().map_err(|e| Failure::Internal(e.to_string()))?;
    log.append(Event::RunStarted { run: folder.id().to_owned(), plan_digest, grade, origin, pid: std::process::id() })
}

fn left_out(loaded: &Loaded, plan: &Plan) -> Vec<String> {
    let all = loaded.protocol.variants.iter().map(|v| &v.name);
    all.filter(|name| !plan.variants.iter().any(|v| &v.name == *name)).cloned().collect()
}
