//! Progress: live on a terminal, append-only lines elsewhere, JSON lines for programs.

mod notice;
mod terminal;

pub use notice::{Notice, SCHEMA};

use std::io::{IsTerminal as _, Write as _};
use std::sync::Arc;

/// How to tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// A terminal gets live lines, anything else plain ones.
    Human,
    /// JSON lines on stdout.
    Json,
    /// Nothing but warnings.
    Quiet,
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
}

impl Progress {
    /// A sink for this process's terminal, or lack of one.
    #[must_use]
    pub fn new(format: Format) -> Self {
        let sink = match format {
            Format::Json => Sink::Json,
            Format::Quiet => Sink::Quiet,
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

fn print_json(notice: &Notice) {
    #[derive(serde::Serialize)]
    struct Line<'a> {
        schema: &'static str,
        at_ms: i64,
        #[serde(flatten)]
        notice: &'a Notice,
    }
    let line = Line { schema: SCHEMA, at_ms: crate::run::now_ms(), notice };
    if let Ok(text) = serde_json::to_string(&line) {
        let _ = writeln!(std::io::stdout().lock(), "{text}");
    }
}
