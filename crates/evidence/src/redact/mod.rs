//! Redaction: account ids, local paths, host and user names, each always replaced by the same stand-in of the same
//! shape, and nothing else. ARNs still parse, joins still hold, JSON keeps its form.

mod json;
mod matcher;

use crate::{canonical, scan::account_mentions};
use matcher::{Matcher, Rule};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// User names that identify nobody and are words of their own in evidence.
pub const COMMON_USERS: [&str; 8] = ["admin", "ec2-user", "nobody", "root", "runner", "system", "ubuntu", "user"];
/// Host names that identify nothing.
pub const COMMON_HOSTS: [&str; 3] = ["localhost", "host", "ip6-localhost"];

/// Classes of what is redacted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    /// AWS account id, alone or in an ARN.
    Account,
    /// Local path and what is below it.
    Path,
    /// Host name.
    Host,
    /// User name.
    User,
}

/// What must not be published.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sensitive {
    /// Account ids of twelve digits.
    pub accounts: BTreeSet<String>,
    /// Absolute local paths, for example the home folder and the working folder.
    pub paths: BTreeSet<String>,
    /// Host names.
    pub hosts: BTreeSet<String>,
    /// User names.
    pub users: BTreeSet<String>,
}

impl Sensitive {
    /// Adds every account id that stands in `bytes` as part of an ARN, of an AWS URL or as the value of an
    /// account field.
    pub fn discover(&mut self, bytes: &[u8]) {
        let text = String::from_utf8_lossy(bytes);
        self.accounts.extend(account_mentions(&text).into_iter().map(|(_, id)| id.to_owned()));
    }
}

/// Replaces what is sensitive. The stand-ins depend only on what is sensitive, never on the order of files.
#[derive(Clone, Debug)]
pub struct Redactor {
    tokens: BTreeMap<(What, String), String>,
    everywhere: Matcher,
    keys: Matcher,
}

impl Redactor {
    /// A redactor for `sensitive`. `taken`: account ids that occur and must not be used as stand-ins.
    #[must_use]
    pub fn new(sensitive: &Sensitive, taken: &BTreeSet<String>) -> Self {
        let mut tokens = BTreeMap::new();
        let mut add = |what, original: &str, token: String| {
            tokens.insert((what, original.to_owned()), token);
        };
        let free = (1_u64..).map(|n| format!("{}", 999_900_000_000 + n));
        let free = free.filter(|token| !sensitive.accounts.contains(token) && !taken.contains(token));
        for (account, token) in sensitive.accounts.iter().filter(|account| is_account(account)).zip(free) {
            add(What::Account, account, token);
        }
        let paths = sensitive.paths.iter().map(|path| path.trim_end_matches('/')).filter(|path| path.len() > 1);
        for (n, path) in (1..).zip(paths) {
            add(What::Path, path, format!("/redacted/path-{n}"));
        }
        let hosts = sensitive.hosts.iter().filter(|host| !host.is_empty() && !COMMON_HOSTS.contains(&host.as_str()));
        for (n, host) in (1..).zip(hosts) {
            let suffix = if host.contains('.') { ".invalid" } else { "" };
            add(What::Host, host, format!("redacted-host-{n}{suffix}"));
        }
        let users = sensitive.users.iter().filter(|user| !user.is_empty() && !COMMON_USERS.contains(&user.as_str()));
        for (n, user) in (1..).zip(users) {
            add(What::User, user, format!("redacted-user-{n}"));
        }
        let rules = |wanted: fn(What) -> bool| {
            let chosen = tokens.iter().filter(move |((what, _), _)| wanted(*what));
            chosen.map(|((_, original), token)| Rule { original: original.clone(), token: token.clone() })
        };
        let everywhere = Matcher::new(rules(|_| true));
        // A JSON key that happens to be somebody's name is structure, not a name.
        let keys = Matcher::new(rules(|what| matches!(what, What::Account | What::Path)));
        Self { tokens, everywhere, keys }
    }

    /// The stand-ins by class, sorted.
    pub fn replacements(&self) -> impl Iterator<Item = (What, &str)> {
        self.tokens.iter().map(|((what, _), token)| (*what, token.as_str()))
    }

    /// Whether `bytes` hold anything to redact, wherever it stands.
    #[must_use]
    pub fn finds(&self, text: &str) -> bool {
        self.everywhere.replace(text).is_some()
    }

    /// A redacted copy, or `None` if nothing had to change. `path` tells JSON (`.json`, `.jsonl`, `.head`) from text.
    ///
    /// # Errors
    /// [`BinaryFile`] if the bytes are not text and hold something sensitive.
    pub fn redact(&self, path: &str, bytes: &[u8]) -> Result<Option<Vec<u8>>, BinaryFile> {
        let Ok(text) = std::str::from_utf8(bytes) else {
            // Lossy text keeps every ASCII byte, so a sensitive word in a binary file is still seen.
            let found = self.finds(&String::from_utf8_lossy(bytes));
            return if found { Err(BinaryFile { path: path.to_owned() }) } else { Ok(None) };
        };
        let is_json = [".json", ".jsonl", ".head"].iter().any(|suffix| path.ends_with(suffix));
        let redacted = if is_json { self.redact_json_text(text) } else { self.everywhere.replace(text) };
        Ok(redacted.map(String::into_bytes))
    }

    /// Line by line, so that JSON lines are covered too; a JSON text over several lines has no string across them.
    fn redact_json_text(&self, text: &str) -> Option<String> {
        let mut out = String::with_capacity(text.len());
        let mut changed = false;
        for line in text.split_inclusive('\n') {
            let body = line.strip_suffix('\n').unwrap_or(line);
            match json::redact(body, &self.everywhere, &self.keys) {
                None => out.push_str(line),
                Some(redacted) => {
                    changed = true;
                    out.push_str(&recanonicalise(body, redacted));
                    out.push_str(&line[body.len()..]);
                }
            }
        }
        changed.then_some(out)
    }
}

/// Replaced keys may have to move for the text to stay canonical.
fn recanonicalise(original: &str, redacted: String) -> String {
    if !canonical::is_canonical(original.as_bytes()) || canonical::is_canonical(redacted.as_bytes()) {
        return redacted;
    }
    let value = serde_json::from_str::<serde_json::Value>(&redacted).ok();
    let sorted = value.and_then(|value| canonical::to_vec(&value).ok()).and_then(|bytes| String::from_utf8(bytes).ok());
    sorted.unwrap_or(redacted)
}

/// A file that is not text holds something sensitive and cannot be redacted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path} is not text and holds something that must not be published; leave it out")]
pub struct BinaryFile {
    /// The file.
    pub path: String,
}

/// Twelve ASCII digits.
#[must_use]
pub fn is_account(text: &str) -> bool {
    text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{Value, json};

    fn redactor() -> Redactor {
        let set = |items: &[&str]| items.iter().map(|item| (*item).to_owned()).collect();
        let sensitive = Sensitive {
            accounts: set(&["123456789012", "210987654321"]),
            paths: set(&["/home/alice", "/home/alice/work/"]),
            hosts: set(&["vulcan", "vulcan.example.org", "localhost"]),
            users: set(&["alice", "root", "trial"]),
        };
        Redactor::new(&sensitive, &BTreeSet::new())
    }

    fn text(input: &str) -> String {
        let redacted = redactor().redact("notes.md", input.as_bytes()).unwrap();
        redacted.map_or_else(|| input.to_owned(), |bytes| String::from_utf8(bytes).unwrap())
    }

    #[test]
    fn accounts_keep_their_shape_and_identity() {
        let before = "arn:aws:sqs:us-east-1:123456789012:q and 123456789012, other 210987654321";
        let after = "arn:aws:sqs:us-east-1:999900000001:q and 999900000001, other 999900000002";
        assert_eq!(text(before), after);
        assert_eq!(text("bucket assay-123456789012-x"), "bucket assay-999900000001-x");
    }

    #[test]
    fn nothing_else_is_touched() {
        let untouched = [
            "1234567890123",
            "a123456789012",
            "sha256 123456789012ab",
            "/mnt/home/alicex",
            "arn:aws:iam::aws:policy/root",
            "localhost malice vulcanic",
            "uid=root",
        ];
        for input in untouched {
            assert_eq!(text(input), input);
        }
    }

    #[test]
    fn longest_path_first_then_names() {
        assert_eq!(text("file:///home/alice/work/a.rs"), "file:///redacted/path-2/a.rs");
        assert_eq!(text("/home/alice/.aws alice@vulcan"), "/redacted/path-1/.aws redacted-user-1@redacted-host-1");
        assert_eq!(text("on vulcan.example.org"), "on redacted-host-2.invalid");
    }

    #[test]
    fn json_keeps_keys_numbers_and_canonical_form() {
        let value = json!({
            "account": "123456789012", "n": 123_456_789_012_u64, "trial": "by alice", "t": 1_700_000_000_000_i64,
            "arn:aws:sqs:us-east-1:210987654321:q": "x", "arn:aws:sqs:us-east-1:999900000001:q": "y",
            "payload": "{\"arn\":\"arn:aws:lambda:eu-west-1:123456789012:function:f\"}",
        });
        let bytes = canonical::to_line(&value).unwrap();
        let redacted = redactor().redact("trials/a.json", &bytes).unwrap().unwrap();
        assert!(canonical::is_canonical(redacted.strip_suffix(b"\n").unwrap()));
        let after: Value = serde_json::from_slice(&redacted).unwrap();
        assert_eq!(after["account"], "999900000001");
        assert_eq!(after["n"], 999_900_000_001_u64);
        assert_eq!(after["trial"], "by redacted-user-1");
        assert_eq!(after["t"], value["t"]);
        assert_eq!(after["arn:aws:sqs:us-east-1:999900000002:q"], "x");
        assert!(after["payload"].as_str().unwrap().contains(":999900000001:function"));
    }

    #[test]
    fn a_taken_stand_in_is_not_used() {
        let accounts = BTreeSet::from(["123456789012".to_owned()]);
        let taken = BTreeSet::from(["999900000001".to_owned()]);
        let redactor = Redactor::new(&Sensitive { accounts, ..Sensitive::default() }, &taken);
        assert_eq!(redactor.replacements().collect::<Vec<_>>(), [(What::Account, "999900000002")]);
    }

    #[test]
    fn escaped_strings_are_seen_through() {
        let line = r#"{"p":"\u0031\u00323456789012 \/home\/alice","q":"caf\u00e9"}"#;
        let redacted = redactor().redact("x.jsonl", line.as_bytes()).unwrap().unwrap();
        assert_eq!(String::from_utf8(redacted).unwrap(), r#"{"p":"999900000001 /redacted/path-1","q":"caf\u00e9"}"#);
    }

    #[test]
    fn binary_files_are_left_or_refused() {
        assert_eq!(redactor().redact("a.bin", b"\xff\x00").unwrap(), None);
        assert!(redactor().redact("a.bin", b"\xff 123456789012 \x00").is_err());
    }

    #[test]
    fn accounts_are_discovered_where_they_mean_accounts() {
        let mut sensitive = Sensitive::default();
        sensitive.discover(
            br#"{"a":"arn:aws:s3:::b","b":"arn:aws:sqs:x:111122223333:q","account":"444455556666","n":777788889999}"#,
        );
        sensitive.discover(b"https://sqs.us-east-1.amazonaws.com/555566667777/q");
        let found: Vec<&str> = sensitive.accounts.iter().map(String::as_str).collect();
        assert_eq!(found, ["111122223333", "444455556666", "555566667777"]);
    }
}
