//! Finding whole words in text, the longest first, in one pass: a stand-in is never searched again.

/// One word and its stand-in.
#[derive(Clone, Debug)]
pub(super) struct Rule {
    pub original: String,
    pub token: String,
}

/// Replaces the words of its rules.
#[derive(Clone, Debug)]
pub(super) struct Matcher {
    /// By length, longest first.
    rules: Vec<Rule>,
    /// Bytes with which some rule begins.
    first: Vec<u8>,
}

impl Matcher {
    pub(super) fn new(rules: impl Iterator<Item = Rule>) -> Self {
        let mut rules: Vec<Rule> = rules.filter(|rule| !rule.original.is_empty()).collect();
        rules.sort_by(|a, b| b.original.len().cmp(&a.original.len()).then_with(|| a.original.cmp(&b.original)));
        let mut first: Vec<u8> = rules.iter().map(|rule| rule.original.as_bytes()[0]).collect();
        first.sort_unstable();
        first.dedup();
        Self { rules, first }
    }

    /// The text with every word replaced; `None` if there was none.
    pub(super) fn replace(&self, text: &str) -> Option<String> {
        let mut out = String::new();
        let mut copied = 0;
        let mut at = 0;
        while at < text.len() {
            match self.rule_at(text, at) {
                Some(rule) => {
                    out.push_str(&text[copied..at]);
                    out.push_str(&rule.token);
                    at += rule.original.len();
                    copied = at;
                }
                None => at += 1,
            }
        }
        if copied == 0 {
            return None;
        }
        out.push_str(&text[copied..]);
        Some(out)
    }

    fn rule_at(&self, text: &str, at: usize) -> Option<&Rule> {
        let bytes = text.as_bytes();
        if self.first.binary_search(&bytes[at]).is_err() || !text.is_char_boundary(at) {
            return None;
        }
        // A word must not go on to either side. A path may follow a slash (file:///home/x).
        let before = &text[..at];
        self.rules.iter().find(|rule| {
            text[at..].strip_prefix(rule.original.as_str()).is_some_and(|after| {
                !before.chars().next_back().is_some_and(char::is_alphanumeric)
                    && !after.chars().next().is_some_and(char::is_alphanumeric)
            })
        })
    }
}
