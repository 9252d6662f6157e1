//! Text for terminals.

use std::io::IsTerminal as _;

/// Columns that every screen must do with.
pub const COLUMNS: usize = 80;

/// Columns of the terminal at stdout; `None` if there is no terminal.
#[must_use]
pub fn stdout_columns() -> Option<usize> {
    let terminal = std::io::stdout().is_terminal();
    terminal.then(|| console::Term::stdout().size_checked()).flatten().map(|(_, columns)| usize::from(columns))
}

/// A failure's text, broken for the terminal at stderr; as it is if there is none, for programs and for searching.
/// Lines with a command to copy stay whole.
#[must_use]
pub fn for_stderr(text: &str) -> String {
    let terminal = std::io::stderr().is_terminal();
    let columns = terminal.then(|| console::Term::stderr().size_checked()).flatten().map(|(_, c)| usize::from(c));
    columns.map_or_else(|| text.to_owned(), |columns| broken(text, columns))
}

/// Breaks prose line by line; what continues a line is indented below it.
fn broken(text: &str, columns: usize) -> String {
    let one = |line: &str| {
        let lead = line.chars().take_while(|c| *c == ' ').count();
        let quoted = line.contains("assay ") || line.contains("aws ") || line.contains(['│', '╭', '╰', '|', '`', '^']);
        if quoted { line.to_owned() } else { wrap(line, columns.max(20), lead + 2) }
    };
    text.split('\n').map(one).collect::<Vec<_>>().join("\n")
}

/// A time to the second, UTC, for example `2026-11-30T20:01:02Z`; milliseconds since the epoch go in.
#[must_use]
pub fn to_the_second(ms: i64) -> String {
    jiff::Timestamp::from_millisecond(ms).map_or_else(|_| format!("{ms} ms"), |at| at.strftime("%FT%TZ").to_string())
}

/// Breaks a line at spaces; what follows the first line is indented. A word that is longer than a line, for example an
/// ARN that somebody will copy, stays whole.
#[must_use]
pub fn wrap(line: &str, columns: usize, indent: usize) -> String {
    let lead: String = line.chars().take_while(|c| *c == ' ').collect();
    let mut out = lead.clone();
    let mut used = lead.len();
    let mut empty = true;
    // Runs of spaces align columns: they stay with the word after them.
    for word in words(line.get(lead.len()..).unwrap_or_default()) {
        let (bare, width) = (word.trim_start(), word.chars().count());
        if !empty && used + width > columns {
            out.push('\n');
            out.extend(std::iter::repeat_n(' ', indent));
            used = indent + bare.chars().count();
            out.push_str(bare);
        } else {
            out.push_str(word);
            used += width;
        }
        empty = false;
    }
    out
}

/// An enum's name as it stands in files, for example `COMMIT_THEN_TIMEOUT`; `none` where there is nothing.
#[must_use]
pub fn word(value: &impl serde::Serialize) -> String {
    let named = serde_json::to_value(value).ok();
    named.and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_else(|| "none".to_owned())
}

/// Words with the spaces before them.
fn words(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        let start = rest.find(|c: char| c != ' ')?;
        let end = rest.get(start..)?.find(' ').map_or(rest.len(), |at| start + at);
        let (word, left) = rest.split_at(end);
        rest = left;
        Some(word)
    })
}

#[cfg(test)]
mod tests {
    use super::{broken, word, wrap};

    #[test]
    fn failures_break_as_prose_and_their_commands_stay_whole() {
        let text = "paused: one two three four\n  - five six seven eight nine\ncontinue with: assay resume x --yes";
        let expected =
            "paused: one two three\n  four\n  - five six seven\n    eight nine\ncontinue with: assay resume x --yes";
        assert_eq!(broken(text, 22), expected);
        assert_eq!(broken("", 80), "");
    }

    #[test]
    fn lines_break_at_spaces_and_keep_their_columns() {
        assert_eq!(wrap("audit   clean", 80, 8), "audit   clean");
        assert_eq!(wrap("audit   one two three", 15, 8), "audit   one two\n        three");
        assert_eq!(wrap("  a bb", 4, 4), "  a\n    bb");
        assert_eq!(wrap("x arn:aws:long y", 6, 2), "x\n  arn:aws:long\n  y");
        assert_eq!(wrap("", 5, 2), "");
    }

    #[test]
    fn names_are_those_of_the_files() {
        assert_eq!(word(&evidence::record::Scenario::CommitThenTimeout), "COMMIT_THEN_TIMEOUT");
        assert_eq!(word(&None::<u8>), "none");
    }
}
