//! Filter patterns for unstructured logs: terms that all must be there, `?terms` of which one must be, `-terms`
//! that must not ("Filter pattern syntax", CloudWatch Logs user guide).

use crate::error::ApiError;

#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Pattern {
    all: Vec<String>,
    any: Vec<String>,
    none: Vec<String>,
}

impl Pattern {
    /// Patterns for JSON (`{…}`), columns (`[…]`) and regular expressions (`%…%`) are not emulated.
    pub(super) fn parse(text: &str) -> Result<Self, ApiError> {
        let text = text.trim();
        if text.starts_with(['{', '[', '%']) {
            return Err(ApiError::not_emulated(format!("the filter pattern {text}")));
        }
        let mut pattern = Self::default();
        let mut rest = text;
        while !rest.is_empty() {
            let (list, from) = match rest.as_bytes().first() {
                Some(b'?') => (&mut pattern.any, 1),
                Some(b'-') => (&mut pattern.none, 1),
                _ => (&mut pattern.all, 0),
            };
            let (term, after) = term(rest.get(from..).unwrap_or_default());
            list.push(term.to_owned());
            rest = after.trim_start();
        }
        Ok(pattern)
    }

    pub(super) fn matches(&self, message: &str) -> bool {
        let is_in = |term: &String| message.contains(term.as_str());
        self.all.iter().all(is_in)
            && (self.any.is_empty() || self.any.iter().any(is_in))
            && !self.none.iter().any(is_in)
    }
}

/// A quoted phrase or a word, and what follows it.
fn term(text: &str) -> (&str, &str) {
    match text.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"').unwrap_or((quoted, "")),
        None => text.split_once(char::is_whitespace).unwrap_or((text, "")),
    }
}

#[cfg(test)]
mod tests {
    use super::Pattern;
    use proptest::prelude::*;

    #[test]
    fn terms_combine() {
        let matches = |pattern, message| Pattern::parse(pattern).unwrap().matches(message);
        assert!(matches("", "anything"));
        assert!(matches("ERROR \"time out\"", "an ERROR by time out"));
        assert!(!matches("ERROR timeout", "an ERROR by time out"));
        assert!(matches("?ERROR ?WARN", "WARN: x"));
        assert!(!matches("x -WARN", "WARN: x"));
        assert_eq!(Pattern::parse("{ $.a = 1 }").unwrap_err().code, "NotEmulated");
    }

    proptest! {
        #[test]
        fn any_pattern_ends(text in any::<String>()) {
            if let Ok(pattern) = Pattern::parse(&text) {
                pattern.matches("message");
            }
        }
    }
}
