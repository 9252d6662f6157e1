//! Errors that know where they are.

use crate::node::Place;
use miette::{GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode};
use std::fmt;
use std::sync::Arc;

/// Lines longer than this many bytes are not drawn.
const DRAWN_LINE_BYTES: usize = 400;

/// A text with its name.
#[derive(Clone, Debug)]
pub(crate) struct Source {
    pub(crate) name: Arc<str>,
    pub(crate) text: Arc<str>,
}

impl Source {
    pub(crate) fn diagnostic(&self, place: Place, message: impl Into<String>) -> Diagnostic {
        let start = byte_of_char(&self.text, place.start);
        let end = byte_of_char(&self.text, place.end);
        let before = &self.text[..start];
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line_end = self.text[start..].find(['\n', '\r']).map_or(self.text.len(), |at| start + at);
        Diagnostic(Box::new(Inner {
            source: self.clone(),
            line: before.matches('\n').count() + 1,
            column: self.text[line_start..start].chars().count() + 1,
            start,
            // A place that spans lines is drawn on its first line only.
            length: end.min(line_end).saturating_sub(start),
            line_bytes: line_end - line_start,
            message: one_line(&message.into()),
            help: None,
        }))
    }

    /// Line and column of a place, both counted from 1, the column in characters.
    pub(crate) fn line_and_column(&self, place: Place) -> (usize, usize) {
        let found = self.diagnostic(place, "");
        (found.line(), found.column())
    }
}

/// One error at one place of a document.
///
/// Its `Display` is one line, `protocols/x.yaml:12:7: message`; [`Diagnostic::render`] draws the place.
#[derive(Clone)]
pub struct Diagnostic(Box<Inner>);

#[derive(Clone)]
struct Inner {
    source: Source,
    line: usize,
    column: usize,
    start: usize,
    length: usize,
    line_bytes: usize,
    message: String,
    help: Option<String>,
}

impl Diagnostic {
    /// Adds a sentence on what to do.
    #[must_use]
    pub fn with_help(mut self, text: impl Into<String>) -> Self {
        self.0.help = Some(one_line(&text.into()));
        self
    }

    /// Name of the document as it was given to [`crate::Document::parse`].
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.source.name
    }

    /// Line, counted from 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.0.line
    }

    /// Column in characters, counted from 1.
    #[must_use]
    pub fn column(&self) -> usize {
        self.0.column
    }

    /// What is wrong, without the place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> Option<&str> {
        self.0.help.as_deref()
    }

    /// Several lines: the message, the line of the document with carets under the place, and the help. Plain
    /// text without colours, the same on every terminal.
    #[must_use]
    pub fn render(&self) -> String {
        let handler = GraphicalReportHandler::new_themed(GraphicalTheme::none())
            .with_width(100)
            .with_context_lines(1)
            .with_links(false)
            .without_syntax_highlighting();
        let mut drawn = String::new();
        match handler.render_report(&mut drawn, &Report::of(&self.0)) {
            // The drawing has a bullet before the message, and pads some lines with blanks.
            Ok(()) => drawn
                .strip_prefix("  x ")
                .unwrap_or(&drawn)
                .lines()
                .map(|line| line.trim_end().to_owned() + "\n")
                .collect(),
            Err(fmt::Error) => format!("{self}\n"),
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { source, line, column, message, .. } = &*self.0;
        write!(f, "{}:{line}:{column}: {message}", source.name)
    }
}

impl fmt::Debug for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")?;
        self.0.help.as_ref().map_or(Ok(()), |help| write!(f, " ({help})"))
    }
}

impl std::error::Error for Diagnostic {}

/// What the drawing library asks for.
struct Report {
    message: String,
    help: Option<String>,
    drawn: Option<(NamedSource<String>, LabeledSpan)>,
}

impl Report {
    fn of(inner: &Inner) -> Self {
        let place = || {
            let text = NamedSource::new(&inner.source.name, printable(&inner.source.text));
            (text, LabeledSpan::new(None, inner.start, inner.length.max(1)))
        };
        let drawable = !inner.source.text.is_empty() && inner.line_bytes <= DRAWN_LINE_BYTES;
        Self {
            message: if drawable {
                inner.message.clone()
            } else {
                format!("{}:{}:{}: {}", inner.source.name, inner.line, inner.column, inner.message)
            },
            help: inner.help.clone(),
            drawn: drawable.then(place),
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Report {}

impl miette::Diagnostic for Report {
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as Box<dyn fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.drawn.as_ref().map(|(source, _)| source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        self.drawn.as_ref().map(|(_, label)| Box::new(std::iter::once(label.clone())) as _)
    }
}

fn byte_of_char(text: &str, index: usize) -> usize {
    text.char_indices().nth(index).map_or(text.len(), |(byte, _)| byte)
}

/// Control characters replaced byte by byte, so that a document cannot steer a terminal and offsets stay right.
fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() && !matches!(c, '\n' | '\r' | '\t') {
            out.extend(std::iter::repeat_n('?', c.len_utf8()));
        } else {
            out.push(c);
        }
    }
    out
}

/// A message on one line, whatever names from the document it quotes.
fn one_line(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c.is_whitespace() {
                ' '
            } else if c.is_control() {
                '?'
            } else {
                c
            }
        })
        .collect()
}
