//! What CloudFormation makes of unquoted scalars, told before it surprises anybody. Pure.

use yaml::{Document, Scalar};

/// Words that readers of YAML 1.1 take for booleans and CloudFormation keeps as text.
const KEPT: [&str; 4] = ["Y", "N", "y", "n"];
/// Words that CloudFormation takes for booleans though they say something else.
const BOOLEANS: [&str; 12] = ["yes", "Yes", "YES", "no", "No", "NO", "on", "On", "ON", "off", "Off", "OFF"];

/// One line for each unquoted scalar that is stored as something else than it says, and for each tag value that other
/// readers of YAML would take differently.
#[must_use]
pub fn notes(document: &Document) -> Vec<String> {
    document.scalars().filter(|(_, scalar)| scalar.plain).filter_map(|(at, scalar)| note(at, scalar)).collect()
}

fn note(pointer: &str, scalar: &Scalar) -> Option<String> {
    let text = scalar.text.as_str();
    let place = format!("{}:{} `{text}`", scalar.line, scalar.column);
    if BOOLEANS.contains(&text) {
        let stored = matches!(text.to_ascii_lowercase().as_str(), "yes" | "on");
        return Some(format!("{place} is stored as `{stored}`; quote it if the text is meant"));
    }
    let in_tag = pointer.contains("/Tags/");
    if in_tag && (KEPT.contains(&text) || is_date(text)) {
        return Some(format!("{place} is stored as the text `{text}`; quote it, other readers of YAML differ"));
    }
    let digits = text.len() > 1 && text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit());
    digits.then(|| format!("{place} is a number with a leading zero, which readers take as octal or decimal; quote it"))
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let digits = |part: &str, length| part.len() == length && part.bytes().all(|b| b.is_ascii_digit());
    matches!(parts.as_slice(), [year, month, day] if digits(year, 4) && digits(month, 2) && digits(day, 2))
}

#[cfg(test)]
mod tests {
    use super::notes;
    use yaml::{Dialect, Document, Limits};

    fn of(value: &str) -> Vec<String> {
        let text = format!(
            "Resources:\n  Q:\n    Type: AWS::SQS::Queue\n    Properties:\n      Tags:\n        - {{Key: k, Value: {value}}}\n"
        );
        notes(&Document::parse("t.yaml", &text, Dialect::CloudFormation, Limits::default()).expect("YAML"))
    }

    #[test]
    fn what_cloudformation_stores_is_shown() {
        for (value, stored) in
            [("YES", "`true`"), ("off", "`false`"), ("N", "text `N`"), ("2026-01-01", "text `2026-01-01`")]
        {
            let notes = of(value);
            assert_eq!(notes.len(), 1, "{value}: {notes:?}");
            assert!(notes[0].starts_with("6:") && notes[0].contains(stored), "{notes:?}");
        }
        assert!(of("012345670123")[0].contains("octal or decimal"));
    }

    #[test]
    fn quoted_and_plain_words_are_left_alone() {
        for value in ["'YES'", "\"off\"", "true", "payments", "7"] {
            assert_eq!(of(value), Vec::<String>::new(), "{value}");
        }
    }
}
