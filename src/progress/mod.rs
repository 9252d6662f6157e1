//! Progress: live on a terminal, append-only lines elsewhere, JSON lines for programs.

mod bars;
mod notice;
mod terminal;

pub use notice::{Notice, SCHEMA};

use std::io::{IsTerminal as _, Write as _};
use std::sync::Arc;

/// Target of progress among the log lines.
pub const LOG_TARGET: &str = "assay::progress";

/// How to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A terminal gets live lines, anything else plain ones.
    Human,
    /// JSON lines on stdout.
    Json,
    /// Nothing but warnings.
    Quiet,
    /// Append-only lines, also on a terminal.
    Plain,
    /// Log lines, whatever their form.
    Log,
}

/// Where notices go. Cloning shares it.
#[derive(Clone, Debug)]
pub struct Progress {
    sink: Arc<Sink>,
}

#[derive(Debug)]
enum Sink {
    Terminal(terminal::Terminal),
    Plain,
    Json,
    Quiet,
    Log,
}

impl Progress {
    /// A sink for this process's terminal, or lack of one.
    #[must_use]
    pub fn new(format: Format) -> Self {
        let sink = match format {
            Format::Json => Sink::Json,
            Format::Quiet => Sink::Quiet,
            Format::Log => Sink::Log,
            Format::Plain => Sink::Plain,
            Format::Human if std::io::stderr().is_terminal() => Sink::Terminal(terminal::Terminal::new()),
            Format::Human => Sink::Plain,
        };
        Self { sink: Arc::new(sink) }
    }

    /// Tells one notice.
    pub fn tell(&self, notice: &Notice) {
        match &*self.sink {
            Sink::Terminal(terminal) => terminal.tell(notice),
            Sink::Plain => eprint_line(&notice.line()),
            Sink::Json => print_json(notice),
            Sink::Log => log(notice),
            Sink::Quiet => {
                if matches!(notice, Notice::Warning { .. }) {
                    eprint_line(&notice.line());
                }
            }
        }
    }

    /// A line for people.
    pub fn note(&self, text: impl Into<String>) {
        self.tell(&Notice::note(text));
    }

    /// A warning for people.
    pub fn warn(&self, text: impl Into<String>) {
        self.tell(&Notice::warning(text));
    }

    /// Whether stdout belongs to a program.
    #[must_use]
    pub fn is_json(&self) -> bool {
        matches!(*self.sink, Sink::Json)
    }

    /// Removes live lines, before final text is printed.
    pub fn finish(&self) {
        if let Sink::Terminal(terminal) = &*self.sink {
            terminal.finish();
        }
    }
}

/// A closed pipe must not end the run.
fn eprint_line(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// The notice as a log line, with the event itself for programs.
fn log(notice: &Notice) {
    let event = serde_json::to_string(notice).unwrap_or_default();
    let text = notice.line();
    if matches!(notice, Notice::Warning { .. }) {
        tracing::warn!(target: LOG_TARGET, event, "{text}");
    } else {
        tracing::info!(target: LOG_TARGET, event, "{text}");
    }
}

fn print_json(notice: &Notice) {
    if let Some(text) = json_line(notice, crate::run::now_ms()) {
        let _ = writeln!(std::io::stdout().lock(), "{text}");
    }
}

/// One line of the event stream, as docs/events.md has it.
fn json_line(notice: &Notice, at_ms: i64) -> Option<String> {
    #[derive(serde::Serialize)]
    struct Line<'a> {
        schema: &'static str,
        at_ms: i64,
        #[serde(flatten)]
        notice: &'a Notice,
    }
    serde_json::to_string(&Line { schema: SCHEMA, at_ms, notice }).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn every_notice() -> Vec<Notice> {
        let text = || "two\nlines \u{1b}[31m".to_owned();
        vec![
            Notice::Run {
                run: text(),
                folder: text(),
                account: text(),
                region: text(),
                grade: text(),
                floor_ms: 25_000,
                stages: vec![text()],
                trials: 9,
                trials_done: 0,
            },
            Notice::StageStarted { stage: text() },
            Notice::StageEnded { stage: text(), outcome: text(), detail: text(), ms: 1 },
            Notice::Stack { component: text(), resource: text(), status: text(), reason: text() },
            Notice::Trial { trial: text(), phase: text() },
            Notice::Waiting { what: text(), ms: 41_000 },
            Notice::Sealed { package: text(), identity: text() },
            Notice::Judged { trial: text(), verdict: evidence::verdict::Verdict::Fail, valid: true },
            Notice::note(text()),
            Notice::warning(text()),
        ]
    }

    #[test]
    fn every_event_is_one_line_that_parses_and_is_documented() {
        let documentation = include_str!("../../docs/events.md");
        for notice in every_notice() {
            let line = json_line(&notice, 7).expect("line");
            assert!(!line.contains(['\n', '\u{1b}']), "{line}");
            let value: serde_json::Value = serde_json::from_str(&line).expect("JSON");
            assert_eq!((value["schema"].as_str(), value["at_ms"].as_i64()), (Some(SCHEMA), Some(7)));
            for name in value.as_object().expect("object").keys().chain([&value["event"].to_string()]) {
                let name = name.trim_matches('"');
                assert!(documentation.contains(&format!("`{name}`")), "docs/events.md lacks `{name}`");
            }
        }
    }
}
