//! Live lines on a terminal: the stage, one line per stack with its newest event, waits counted down.

use super::notice::Notice;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

#[derive(Debug)]
pub(super) struct Terminal {
    bars: MultiProgress,
    live: Mutex<Live>,
}

#[derive(Debug, Default)]
struct Live {
    stage: Option<ProgressBar>,
    stacks: BTreeMap<String, ProgressBar>,
    wait: Option<ProgressBar>,
}

impl Terminal {
    pub(super) fn new() -> Self {
        Self { bars: MultiProgress::new(), live: Mutex::default() }
    }

    pub(super) fn tell(&self, notice: &Notice) {
        let mut live = self.live.lock().unwrap_or_else(PoisonError::into_inner);
        match notice {
            Notice::StageStarted { stage } => {
                let bar = self.spinner(stage.clone());
                if let Some(old) = live.stage.replace(bar) {
                    old.finish_and_clear();
                }
            }
            Notice::StageEnded { .. } => {
                live.clear();
                self.print(&notice.line());
            }
            Notice::Stack { component, resource, status, reason } => {
                let bar = live.stacks.entry(component.clone()).or_insert_with(|| self.spinner(String::new()));
                bar.set_message(format!("{component:<13} {status:<20} {resource}"));
                if status.ends_with("FAILED") {
                    self.print(&format!("  {component}: {resource} {status}: {reason}"));
                }
            }
            Notice::Waiting { what, ms } => {
                let bar = self.countdown(what, *ms);
                if let Some(old) = live.wait.replace(bar) {
                    old.finish_and_clear();
                }
            }
            Notice::Trial { .. } => {
                if let Some(bar) = &live.stage {
                    bar.set_message(notice.line().trim().to_owned());
                }
            }
            _ => self.print(&notice.line()),
        }
    }

    pub(super) fn finish(&self) {
        self.live.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }

    fn print(&self, line: &str) {
        let _ = self.bars.println(line);
    }

    fn spinner(&self, message: String) -> ProgressBar {
        let bar = self.bars.add(ProgressBar::new_spinner());
        bar.set_message(message);
        bar.enable_steady_tick(Duration::from_millis(120));
        bar
    }

    fn countdown(&self, what: &str, ms: u64) -> ProgressBar {
        let bar = self.bars.add(ProgressBar::new(ms));
        if let Ok(style) = ProgressStyle::with_template("  waiting for {msg}, {elapsed} of {prefix}") {
            bar.set_style(style);
        }
        bar.set_prefix(format!("{} s", ms.div_ceil(1000)));
        bar.set_message(what.to_owned());
        bar.enable_steady_tick(Duration::from_millis(250));
        bar
    }
}

impl Live {
    fn clear(&mut self) {
        let bars =
            self.stage.take().into_iter().chain(self.wait.take()).chain(std::mem::take(&mut self.stacks).into_values());
        bars.for_each(|bar| bar.finish_and_clear());
    }
}
