//! One run as `list` and `show` tell it.

use crate::cloud::reach;
use crate::exit::Exit;
use crate::run::{Event, Lock, RunFolder, State, now_ms};
use crate::text::{COLUMNS, wrap};
use serde::Serialize;
use std::fmt;
use std::fmt::Write as _;

/// State, holder, age and next command of a run.
#[derive(Clone, Debug, Serialize)]
pub struct RunLine {
    /// Run id.
    pub run: String,
    /// `running`, `paused`, `interrupted`, `stopped`, `lost`, `ended` or `damaged`.
    pub state: String,
    /// Exit code, if it ended.
    pub exit: Option<u8>,
    /// Process that holds it.
    pub holder: Option<String>,
    /// Since the last journal line, milliseconds.
    pub age_ms: i64,
    /// What to type next.
    pub next: String,
    /// Why nothing else can be done, where that is so.
    pub note: Option<String>,
    /// Stages and their outcomes.
    pub stages: Vec<(String, String)>,
    /// Sealed packages.
    pub packages: Vec<(String, String)>,
    /// Verdicts by package.
    pub verdicts: Vec<(String, String)>,
}

impl RunLine {
    /// Reads a run's journal; a damaged one is said to be so.
    #[must_use]
    pub fn of(folder: &RunFolder) -> Self {
        let holder = Lock::holder(folder.path());
        let read = evidence::journal::read::<Event>(&folder.journal()).map_err(|e| e.to_string());
        let folded = read.and_then(|journal| {
            let last = journal.entries.last().map_or_else(now_ms, |e| e.at_ms);
            let state = State::fold(journal.entries.into_iter().map(|e| e.event)).map_err(|e| e.to_string())?;
            Ok((state, last))
        });
        match folded {
            Ok((state, last_ms)) => Self::told(folder, &state, holder, now_ms() - last_ms),
            Err(reason) => Self::damaged(folder, holder, reason),
        }
    }

    fn told(folder: &RunFolder, state: &State, holder: Option<String>, age_ms: i64) -> Self {
        let resume = folder.recovery();
        let verify = format!("assay verify {}", folder.path().display());
        let gone = gone(state, holder.as_deref());
        let (word, next) = match (state.ended, &holder, &state.paused) {
            (Some(exit), _, _) if exit == Exit::Unclean.code() && gone.is_none() => {
                ("ended", format!("assay teardown {}", folder.path().display()))
            }
            (Some(_), _, _) => ("ended", verify),
            (None, Some(pid), _) => ("running", format!("wait, or kill {pid}")),
            (None, None, _) if gone.is_some() => ("lost", verify),
            (None, None, Some(_)) => ("paused", resume),
            (None, None, None) if state.interrupted => ("interrupted", resume),
            (None, None, None) => ("stopped", resume),
        };
        let stages = state
            .stages
            .iter()
            .map(|(s, o)| (s.clone(), o.map_or_else(|| "open".to_owned(), |o| format!("{o:?}").to_lowercase())));
        Self {
            run: folder.id().to_owned(),
            state: word.to_owned(),
            exit: state.ended,
            holder,
            age_ms,
            next,
            note: gone.filter(|_| state.ended.is_none_or(|exit| exit == Exit::Unclean.code())),
            stages: stages.collect(),
            packages: state.packages.iter().map(|(n, d)| (n.clone(), d.to_string())).collect(),
            verdicts: state.verdicts.iter().map(|(n, v)| (n.clone(), format!("{v:?}").to_lowercase())).collect(),
        }
    }

    fn damaged(folder: &RunFolder, holder: Option<String>, reason: String) -> Self {
        Self {
            run: folder.id().to_owned(),
            state: "damaged".to_owned(),
            exit: None,
            holder,
            age_ms: 0,
            next: reason,
            note: None,
            stages: Vec::new(),
            packages: Vec::new(),
            verdicts: Vec::new(),
        }
    }

    /// Stages, packages and verdicts, a line each.
    #[must_use]
    pub fn details(&self) -> String {
        let mut out = String::new();
        for (stage, outcome) in &self.stages {
            let verdict = self.verdicts.iter().find(|(name, _)| name == stage).map_or("", |(_, v)| v);
            let package = self.packages.iter().find(|(name, _)| name == stage).map_or("", |(_, d)| d);
            let line = format!("  {stage:<22} {outcome:<12} {verdict:<14} {}", package.get(..16).unwrap_or(package));
            let _ = writeln!(out, "{}", line.trim_end());
        }
        out
    }
}

impl fmt::Display for RunLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let exit = self.exit.map(|e| format!(" ({e})")).unwrap_or_default();
        write!(f, "{}  {}{exit}  {} ago\n  next: {}", self.run, self.state, age(self.age_ms), self.next)?;
        match &self.note {
            Some(note) => write!(f, "\n{}", wrap(&format!("  {note}"), COLUMNS, 2)),
            None => Ok(()),
        }
    }
}

/// What to say of a run whose local cloud has ended; nothing if it is there, or elsewhere, or a process is at work.
fn gone(state: &State, holder: Option<&str>) -> Option<String> {
    let endpoint = state.head.as_ref()?.origin.endpoint.as_deref()?;
    (holder.is_none() && reach::is_gone(endpoint)).then(|| {
        format!(
            "its local cloud at {endpoint} is gone, and with it everything that the run made: there is nothing to \
             resume and nothing to remove; what was sealed can be verified, and the folder discarded"
        )
    })
}

fn age(ms: i64) -> String {
    match ms / 1000 {
        s if s < 120 => format!("{s} s"),
        s if s < 7_200 => format!("{} min", s / 60),
        s if s < 172_800 => format!("{} h", s / 3600),
        s => format!("{} d", s / 86_400),
    }
}
