//! The lines that a terminal is drawn with. None wraps: what does not fit is cut at the edge of the terminal.

use crate::text::{COLUMNS, wrap};
use indicatif::{MultiProgress, ProgressBar, ProgressState, ProgressStyle};
use std::fmt::Write;
use std::time::Duration;

const TICK: Duration = Duration::from_millis(150);
/// Width of both bars, columns.
const WIDTH: usize = 32;

#[derive(Debug)]
pub(super) struct Bars {
    all: MultiProgress,
}

impl Bars {
    pub(super) fn new() -> Self {
        Self { all: MultiProgress::new() }
    }

    /// A line that stays, above all live ones.
    pub(super) fn print(&self, text: &str) {
        let lines: Vec<_> = text.lines().map(|line| wrap(line, COLUMNS, 4)).collect();
        let _ = self.all.println(lines.join("\n"));
    }

    /// The first live line: a spinner with a fixed text and a changing one.
    pub(super) fn top(&self, prefix: &str, text: &str) -> ProgressBar {
        let bar = self.all.insert(0, ProgressBar::new_spinner());
        self.styled(&bar, "{spinner} {prefix}{wide_msg}");
        bar.set_prefix(prefix.to_owned());
        bar.set_message(text.to_owned());
        bar
    }

    /// A line above the bars.
    pub(super) fn above_totals(&self) -> ProgressBar {
        let bar = self.all.insert_from_back(2, ProgressBar::new_spinner());
        self.styled(&bar, "{wide_msg}");
        bar
    }

    /// `waiting for redelivery, 41 s`, counted down.
    pub(super) fn countdown(&self, what: &str, ms: u64) -> ProgressBar {
        let bar = self.all.insert_from_back(2, ProgressBar::new(ms));
        let what = what.to_owned();
        self.keyed(&bar, "  waiting for {told}", move |elapsed| left(&what, ms, elapsed));
        bar
    }

    pub(super) fn trials(&self, count: usize, done: usize) -> ProgressBar {
        let wide = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
        let bar = self.all.add(ProgressBar::new(wide(count)));
        bar.set_position(wide(done));
        self.styled(&bar, &format!("  trials  [{{bar:{WIDTH}}}] {{pos}} of {{len}}"));
        bar
    }

    /// Time so far against the time that no run of the plan can beat.
    pub(super) fn total(&self, floor_ms: u64) -> ProgressBar {
        let bar = self.all.add(ProgressBar::new(floor_ms));
        self.keyed(&bar, "  total   {told}", move |elapsed| total(floor_ms, elapsed));
        bar
    }

    fn styled(&self, bar: &ProgressBar, template: &str) {
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars("=>-"));
        }
        bar.enable_steady_tick(TICK);
    }

    /// A line whose text follows from the time since it appeared.
    fn keyed(
        &self,
        bar: &ProgressBar,
        template: &str,
        told: impl Fn(Duration) -> String + Send + Sync + Clone + 'static,
    ) {
        if let Ok(style) = ProgressStyle::with_template(template) {
            let told = move |state: &ProgressState, out: &mut dyn Write| {
                let _ = out.write_str(&told(state.elapsed()));
            };
            bar.set_style(style.with_key("told", told));
        }
        bar.enable_steady_tick(TICK);
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

/// `[=====>------] 12 s of at least 21 s`; beyond the floor the bar is full and the time goes on.
fn total(floor_ms: u64, elapsed: Duration) -> String {
    let elapsed = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
    let full = usize::try_from(elapsed.min(floor_ms).saturating_mul(32) / floor_ms.max(1)).unwrap_or(WIDTH).min(WIDTH);
    let tip = if full < WIDTH { ">" } else { "" };
    let rest = WIDTH.saturating_sub(full + tip.len());
    format!(
        "[{}{tip}{}] {} s of at least {} s",
        "=".repeat(full),
        "-".repeat(rest),
        elapsed / 1000,
        floor_ms.div_ceil(1000)
    )
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

    #[test]
    fn the_total_is_measured_against_the_floor_and_may_pass_it() {
        let at = |ms| total(20_000, Duration::from_millis(ms));
        assert_eq!(at(0), format!("[>{}] 0 s of at least 20 s", "-".repeat(31)));
        assert_eq!(at(10_000), format!("[{}>{}] 10 s of at least 20 s", "=".repeat(16), "-".repeat(15)));
        assert_eq!(at(31_000), format!("[{}] 31 s of at least 20 s", "=".repeat(32)));
        assert!(total(0, Duration::ZERO).ends_with("0 s of at least 0 s"), "a plan without waits");
    }
}
