//! One run per name prefix and account. Every run names its stacks `assay-<run>-…`; what two runs of one study would
//! share is therefore the study's part of an account: account, region, endpoint and study. The lock on it lies in
//! `<runs>/.locks/`, so it keeps out runs of this folder of runs only; runs of other folders and machines are noticed
//! by their stacks (`launch`).
//!
//! While its process lives, the holder is known by the kernel's lock. After that, the holder is the run that the file
//! names, until its journal says that it has ended: its stacks may still stand.

use super::lock::{sign, try_lock};
use super::{RunFolder, now_ms};
use crate::exit::Failure;
use crate::text::to_the_second;
use evidence::digest::Digest;
use evidence::stage::Origin;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// What a new run does about a run that was there before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Neighbours {
    /// It is refused, and told who holds the place.
    Refuse,
    /// A dead holder's lock is taken over, and stacks of other runs are only told of.
    TakeOver,
    /// Nothing is locked and nobody is looked for: several runs at once, on purpose or in a cloud of their own.
    Ignore,
}

/// Held for as long as the process works on a run.
#[derive(Debug)]
pub struct PrefixLock {
    _file: File,
}

/// What the lock's file says.
#[derive(Debug, Serialize, Deserialize)]
struct Holder {
    run: String,
    pid: u32,
    since_ms: i64,
}

impl PrefixLock {
    /// Takes the place of a study in an account for a run.
    ///
    /// # Errors
    /// [`Failure::Refused`] naming the holder's run, process and time; [`Failure::Internal`] for the file system.
    pub fn take(
        runs: &Path,
        origin: &Origin,
        study: &str,
        run: &str,
        neighbours: Neighbours,
    ) -> Result<Option<Self>, Failure> {
        if neighbours == Neighbours::Ignore {
            return Ok(None);
        }
        let path = path(runs, origin, study);
        let folder = path.parent().unwrap_or(runs);
        std::fs::create_dir_all(folder).map_err(|e| Failure::io("create folder", folder, &e))?;
        let (mut file, is_free) = try_lock(&path)?;
        let holder = holder(&mut file);
        if !is_free {
            return Err(living(study, origin, holder));
        }
        if let Some(holder) = holder.filter(|h| h.run != run && neighbours == Neighbours::Refuse)
            && let Some(failure) = unfinished(runs, study, origin, &holder)
        {
            return Err(failure);
        }
        write(&mut file, run).map_err(|e| Failure::io("write lock", &path, &e))?;
        Ok(Some(Self { _file: file }))
    }
}

fn path(runs: &Path, origin: &Origin, study: &str) -> PathBuf {
    let endpoint = match &origin.endpoint {
        None => "aws".to_owned(),
        Some(url) => Digest::of(url.as_bytes()).to_string().chars().take(12).collect(),
    };
    runs.join(".locks").join(format!("{study}-{}-{}-{endpoint}.lock", origin.account, origin.region))
}

fn holder(file: &mut File) -> Option<Holder> {
    let mut text = String::new();
    file.read_to_string(&mut text).ok()?;
    serde_json::from_str(&text).ok()
}

fn write(file: &mut File, run: &str) -> std::io::Result<()> {
    let holder = Holder { run: run.to_owned(), pid: std::process::id(), since_ms: now_ms() };
    sign(file, &serde_json::to_vec(&holder)?)
}

fn place(study: &str, origin: &Origin) -> String {
    format!("study {study} in account {}, {}", origin.account, origin.region)
}

fn living(study: &str, origin: &Origin, holder: Option<Holder>) -> Failure {
    let place = place(study, origin);
    Failure::Refused(match holder {
        Some(Holder { run, pid, since_ms }) => format!(
            "run {run} holds {place}: process {pid}, since {}; wait for it, or stop it with `kill {pid}` and try again",
            to_the_second(since_ms)
        ),
        None => format!("another run has just begun on {place}; wait for it and try again"),
    })
}

/// Why a dead holder's place is not free; nothing if its run has ended or is gone.
fn unfinished(runs: &Path, study: &str, origin: &Origin, holder: &Holder) -> Option<Failure> {
    let folder = RunFolder::open(runs, &holder.run).ok()?;
    if folder.state().is_ok_and(|state| state.ended.is_some()) {
        return None;
    }
    Some(Failure::Refused(format!(
        "run {} holds {}: process {} is gone, since {}, and the run has not ended; its stacks may still stand\n\
         continue it with: {}\nor take its place over with: --neighbours take-over",
        holder.run,
        place(study, origin),
        holder.pid,
        to_the_second(holder.since_ms),
        folder.recovery()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Event, RunLog};
    use evidence::stage::Grade;

    const FIRST: &str = "20261130t200102-3fa9";
    const SECOND: &str = "20261130t200103-3fa9";

    fn origin(endpoint: Option<&str>) -> Origin {
        Origin {
            endpoint_kind: "aws".into(),
            endpoint: endpoint.map(Into::into),
            account: "123456789012".into(),
            region: "us-east-1".into(),
            partition: "aws".into(),
        }
    }

    fn take(runs: &Path, run: &str, neighbours: Neighbours) -> Result<Option<PrefixLock>, String> {
        PrefixLock::take(runs, &origin(None), "study-1", run, neighbours).map_err(|e| e.to_string())
    }

    /// A run's folder with a journal of one line.
    fn begun(runs: &Path, run: &str) -> RunLog {
        let folder = RunFolder::create(runs, run).expect("folder");
        let log = RunLog::create(&folder.journal()).expect("journal");
        let started = Event::RunStarted {
            run: run.into(),
            plan_digest: Digest::of(b"plan"),
            grade: Grade::Canonical,
            origin: origin(None),
            pid: 1,
        };
        log.append(started).expect("line");
        log
    }

    #[test]
    fn a_living_holder_is_named_and_never_taken_over() {
        let runs = tempfile::tempdir().expect("folder");
        let _held = take(runs.path(), FIRST, Neighbours::Refuse).expect("free");
        for neighbours in [Neighbours::Refuse, Neighbours::TakeOver] {
            let refused = take(runs.path(), SECOND, neighbours).expect_err("held");
            let pid = format!("process {}", std::process::id());
            assert!([FIRST, &pid, "since 20"].iter().all(|word| refused.contains(word)), "{refused}");
        }
        let other = PrefixLock::take(runs.path(), &origin(Some("http://x")), "study-1", SECOND, Neighbours::Refuse);
        assert!(other.expect("another endpoint is another place").is_some());
        assert!(take(runs.path(), SECOND, Neighbours::Ignore).expect("ignored").is_none());
    }

    #[test]
    fn a_dead_holders_place_is_free_once_its_run_has_ended_or_is_taken_over() {
        let runs = tempfile::tempdir().expect("folder");
        let log = begun(runs.path(), FIRST);
        drop(take(runs.path(), FIRST, Neighbours::Refuse).expect("free"));
        let refused = take(runs.path(), SECOND, Neighbours::Refuse).expect_err("not ended");
        assert!(refused.contains("assay resume") && refused.contains("take-over"), "{refused}");
        drop(take(runs.path(), FIRST, Neighbours::Refuse).expect("its own"));
        drop(take(runs.path(), SECOND, Neighbours::TakeOver).expect("taken over"));
        drop(take(runs.path(), FIRST, Neighbours::TakeOver).expect("and back"));
        log.append(Event::RunEnded { exit: 0 }).expect("end");
        take(runs.path(), SECOND, Neighbours::Refuse).expect("ended");
    }
}
