//! Live lines on a terminal: the stage, one line per stack with its newest event, waits counted down.

use super::notice::Notice;
use indicatif::{MultiProgress, ProgressBar, ProgressState, ProgressStyle};
use std::collections::BTreeMap;
use std::fmt::Write;
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
            Notice::Trial { phase, .. } => {
                // A trial that moves on has nothing left to wait for.
                if !phase.contains("waiting") {
                    live.wait.take().into_iter().for_each(|bar| bar.finish_and_clear());
                }
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

    /// A line that never wraps: what does not fit is cut at the edge of the terminal.
    fn spinner(&self, message: String) -> ProgressBar {
        let bar = self.bars.add(ProgressBar::new_spinner());
        if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
            bar.set_style(style);
        }
        bar.set_message(message);
        bar.enable_steady_tick(Duration::from_millis(120));
        bar
    }

    fn countdown(&self, what: &str, ms: u64) -> ProgressBar {
        let bar = self.bars.add(ProgressBar::new(ms));
        if let Ok(style) = ProgressStyle::with_template("  waiting for {left}") {
            let what = what.to_owned();
            let left = move |state: &ProgressState, out: &mut dyn Write| {
                let _ = out.write_str(&left(&what, ms, state.elapsed()));
            };
            bar.set_style(style.with_key("left", left));
        }
        bar.enable_steady_tick(Duration::from_millis(250));
        bar
    }
}

/// `redelivery, 41 s`; after the time that the study demands, the wait is for the cloud.
fn left(what: &str, ms: u64, elapsed: Duration) -> String {
    let elapsed = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
    match ms.saturating_sub(elapsed) {
        0 => format!("{what}, due {} s ago", (elapsed - ms) / 1000),
        left => format!("{what}, {} s", left.div_ceil(1000)),
    }
}

impl Live {
    fn clear(&mut self) {
        let bars =
            self.stage.take().into_iter().chain(self.wait.take()).chain(std::mem::take(&mut self.stacks).into_values());
        bars.for_each(|bar| bar.finish_and_clear());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_count_down_and_then_say_how_late_it_is() {
        let at = |ms| left("redelivery", 41_000, Duration::from_millis(ms));
        assert_eq!(at(0), "redelivery, 41 s");
        assert_eq!(at(500), "redelivery, 41 s");
        assert_eq!(at(40_999), "redelivery, 1 s");
        assert_eq!(at(43_500), "redelivery, due 2 s ago");
    }
}
