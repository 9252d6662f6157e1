//! What every stage works with.

use super::archive::Archive;
use crate::cloud::{Clients, Pace, PageCap};
use crate::cost::Usd;
use crate::exit::Failure;
use crate::plan::Plan;
use crate::plan::names::Filling;
use crate::progress::Progress;
use crate::run::{Event, Head, Lock, PrefixLock, RunFolder, RunLog};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// The bytes that a run is made of, kept in its folder so that a resumed run uses the same.
#[derive(Clone, Debug)]
pub struct Inputs {
    /// The protocol file.
    pub protocol: Vec<u8>,
    /// Template bytes by component.
    pub templates: BTreeMap<String, Vec<u8>>,
    /// The function artifact, a zip.
    pub artifact: Vec<u8>,
}

/// One process's hold on a run.
#[derive(Debug)]
pub struct Session {
    /// The run's folder.
    pub folder: RunFolder,
    /// What is to be done.
    pub plan: Plan,
    /// What fills the plan's placeholders.
    pub filling: Filling,
    /// Journal and state.
    pub log: RunLog,
    /// The run's bytes.
    pub inputs: Inputs,
    /// AWS, or what stands in for it.
    pub clients: Clients,
    /// The oracle's program.
    pub oracle: PathBuf,
    /// Says when to stop.
    pub cancel: CancellationToken,
    /// Where progress is told.
    pub progress: Progress,
    /// Whether a signal leaves the stacks in place.
    pub keep_on_interrupt: bool,
    /// A ceiling below the protocol's, of this process alone.
    pub stop_at: Option<Usd>,
    /// Variants of the protocol that this run leaves out.
    pub left_out: Vec<String>,
    /// Held until the session is dropped.
    pub lock: Lock,
    /// The study's place in the account, held as long; none in a cloud of one's own.
    pub place: Option<PrefixLock>,
}

impl Session {
    /// The run's unchanging facts.
    ///
    /// # Errors
    /// [`Failure::Internal`] before the run's first event.
    pub fn head(&self) -> Result<Head, Failure> {
        self.log.state().head.ok_or_else(|| Failure::Internal("the run has not started".to_owned()))
    }

    /// The run's packages.
    pub(super) fn archive(&self) -> Archive<'_> {
        Archive { folder: &self.folder, log: &self.log }
    }

    /// The command that takes this run up again.
    #[must_use]
    pub fn recovery(&self) -> String {
        self.folder.recovery()
    }

    /// Fails if somebody asked to stop.
    ///
    /// # Errors
    /// [`Failure::Interrupted`].
    pub fn check_interrupt(&self) -> Result<(), Failure> {
        if !self.cancel.is_cancelled() {
            return Ok(());
        }
        if !self.log.state().interrupted {
            self.log.append(Event::Interrupted)?;
        }
        Err(Failure::Interrupted("stopped by a signal".to_owned()))
    }

    /// A stack's name in this run.
    #[must_use]
    pub fn stack_name(&self, component: &str) -> String {
        self.filling.fill(&format!("assay-{{run}}-{component}"))
    }

    /// Page bound of every listing.
    #[must_use]
    pub fn page_cap(&self) -> PageCap {
        PageCap(self.plan.limits.page_cap)
    }

    /// Pace of a poll that may last `timeout_ms`.
    #[must_use]
    pub fn pace(&self, timeout_ms: u64) -> Pace {
        let interval = Duration::from_millis(u64::from(self.plan.limits.poll_interval_ms));
        let timeout = Duration::from_millis(timeout_ms);
        Pace { interval, ceiling: interval * 8, timeout, attempts: u32::MAX }
    }
}
