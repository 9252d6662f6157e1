//! Redaction of JSON without parsing it into a tree: strings are taken out, redacted and put back; every other byte
//! stays as it is.

use super::matcher::Matcher;

/// The text with strings and twelve-digit numbers redacted; `None` if nothing changed. Text that is not JSON is
/// treated as plain text from the first unfinished string on.
pub(super) fn redact(text: &str, values: &Matcher, keys: &Matcher) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut changed = false;
    let mut rest = text;
    while let Some(start) = rest.find('"') {
        let (gap, string) = rest.split_at(start);
        changed |= push(&mut out, gap, values);
        let Some(end) = string_end(string) else {
            rest = string;
            break;
        };
        let (token, after) = string.split_at(end);
        let matcher = if after.trim_start().starts_with(':') { keys } else { values };
        match redact_string(token, matcher) {
            Some(redacted) => {
                changed = true;
                out.push_str(&redacted);
            }
            None => out.push_str(token),
        }
        rest = after;
    }
    changed |= push(&mut out, rest, values);
    changed.then_some(out)
}

fn push(out: &mut String, text: &str, matcher: &Matcher) -> bool {
    match matcher.replace(text) {
        Some(redacted) => {
            out.push_str(&redacted);
            true
        }
        None => {
            out.push_str(text);
            false
        }
    }
}

/// Length of the JSON string that `text` begins with, both quotes included.
fn string_end(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return Some(at + 1),
            _ => {}
        }
    }
    None
}

fn redact_string(token: &str, matcher: &Matcher) -> Option<String> {
    let Ok(value) = serde_json::from_str::<String>(token) else {
        return matcher.replace(token);
    };
    let redacted = matcher.replace(&value)?;
    serde_json::to_string(&redacted).ok()
}
