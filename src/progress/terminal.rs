//! Live lines on a terminal: the stage, one line per stack with its newest event, waits counted down, bars.

use super::bars::Bars;
use super::notice::Notice;
use indicatif::ProgressBar;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

#[derive(Debug)]
pub(super) struct Terminal {
    bars: Bars,
    live: Mutex<Live>,
}

#[derive(Debug, Default)]
struct Live {
    plot: Vec<String>,
    stage: Option<ProgressBar>,
    stacks: BTreeMap<String, ProgressBar>,
    wait: Option<ProgressBar>,
    trials: Option<ProgressBar>,
    total: Option<ProgressBar>,
}

impl Terminal {
    pub(super) fn new() -> Self {
        Self { bars: Bars::new(), live: Mutex::default() }
    }

    pub(super) fn tell(&self, notice: &Notice) {
        let mut live = self.live.lock().unwrap_or_else(PoisonError::into_inner);
        match notice {
            Notice::Run { stages, trials, trials_done, floor_ms, .. } => {
                self.bars.print(&notice.line());
                live.plot.clone_from(stages);
                live.trials = Some(self.bars.trials(*trials, *trials_done));
                live.total = Some(self.bars.total(*floor_ms));
            }
            Notice::StageStarted { stage } => {
                let place = live.plot.iter().position(|name| name == stage);
                let of = place.map(|at| format!("stage {} of {}: ", at + 1, live.plot.len())).unwrap_or_default();
                let bar = self.bars.top(&of, stage);
                live.stage.replace(bar).into_iter().for_each(|old| old.finish_and_clear());
            }
            Notice::StageEnded { .. } => {
                live.clear_stage();
                self.bars.print(&notice.line());
            }
            Notice::Stack { component, resource, status, reason } => {
                let bar = live.stacks.entry(component.clone()).or_insert_with(|| self.bars.above_totals());
                bar.set_message(format!("  {component:<13} {status:<20} {resource}"));
                if status.ends_with("FAILED") {
                    self.bars.print(&format!("  {component}: {resource} {status}: {reason}"));
                }
            }
            Notice::Waiting { what, ms } => {
                let bar = self.bars.countdown(what, *ms);
                live.wait.replace(bar).into_iter().for_each(|old| old.finish_and_clear());
            }
            Notice::Trial { phase, .. } => self.trial(&mut live, &notice.line(), phase),
            _ => self.bars.print(&notice.line()),
        }
    }

    /// A trial that moves on has nothing left to wait for; one that is at rest is done but for its evidence.
    fn trial(&self, live: &mut Live, line: &str, phase: &str) {
        if !phase.contains("waiting") {
            live.wait.take().into_iter().for_each(|bar| bar.finish_and_clear());
        }
        if phase.starts_with("at rest") {
            live.trials.iter().for_each(|bar| bar.inc(1));
        }
        if let Some(bar) = &live.stage {
            bar.set_message(line.trim().to_owned());
        }
    }

    pub(super) fn finish(&self) {
        let mut live = self.live.lock().unwrap_or_else(PoisonError::into_inner);
        live.clear_stage();
        let live = &mut *live;
        live.trials.take().into_iter().chain(live.total.take()).for_each(|bar| bar.finish_and_clear());
    }
}

impl Live {
    fn clear_stage(&mut self) {
        let bars =
            self.stage.take().into_iter().chain(self.wait.take()).chain(std::mem::take(&mut self.stacks).into_values());
        bars.for_each(|bar| bar.finish_and_clear());
    }
}
