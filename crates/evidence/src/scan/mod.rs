//! A scan for what must not be published or printed: credentials, and account ids where they mean accounts.
//! Digests, request ids and UUIDs are not findings.

mod accounts;
mod credentials;

pub use accounts::account_mentions;

use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, ops::Range};

/// Class of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FindingKind {
    /// `AKIA…`, `ASIA…`.
    AccessKeyId,
    /// Forty characters of a secret access key.
    SecretAccessKey,
    /// Session token.
    SessionToken,
    /// PEM block.
    PrivateKey,
    /// An account id that is neither allowed nor a stand-in.
    AccountId,
}

/// Something found; the text itself is not repeated.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Finding {
    /// Class.
    pub kind: FindingKind,
    /// File.
    pub path: String,
    /// Line, from 1.
    pub line: u64,
}

/// Which account ids are known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Ids that may appear: stand-ins, and accounts that are nobody's.
    pub allowed_accounts: BTreeSet<String>,
    /// Ids that may appear nowhere, with or without context.
    pub known_accounts: BTreeSet<String>,
}

/// Everything found in `bytes`; bytes that are not text are scanned as far as they are ASCII.
#[must_use]
pub fn scan(path: &str, bytes: &[u8], policy: &Policy) -> Vec<Finding> {
    let text = String::from_utf8_lossy(bytes);
    let spots = spots(&text, policy);
    let mut findings = Vec::with_capacity(spots.len());
    let (mut line, mut counted) = (1, 0);
    for (range, kind) in spots {
        line += text[counted..range.start].bytes().filter(|byte| *byte == b'\n').count() as u64;
        counted = range.start;
        findings.push(Finding { kind, path: path.to_owned(), line });
    }
    findings
}

/// The text with every finding replaced by stars, for output that a person or a log sees.
#[must_use]
pub fn mask(text: &str, policy: &Policy) -> String {
    let mut out = String::with_capacity(text.len());
    let mut copied = 0;
    for (range, _) in spots(text, policy) {
        if range.start >= copied {
            out.push_str(&text[copied..range.start]);
            out.push_str("****");
            copied = range.end;
        }
    }
    out.push_str(&text[copied..]);
    out
}

/// Findings by place, sorted.
fn spots(text: &str, policy: &Policy) -> Vec<(Range<usize>, FindingKind)> {
    let mut spots = credentials::find(text);
    let mentions = account_mentions(text).into_iter().filter(|(_, id)| !policy.allowed_accounts.contains(*id));
    spots.extend(mentions.map(|(at, id)| (at..at + id.len(), FindingKind::AccountId)));
    for id in &policy.known_accounts {
        let known = text.match_indices(id.as_str()).filter(|(at, _)| is_word(text, *at, *at + id.len()));
        spots.extend(known.map(|(at, _)| (at..at + id.len(), FindingKind::AccountId)));
    }
    spots.sort_by_key(|(range, kind)| (range.start, range.end, *kind));
    spots.dedup();
    spots
}

/// Whether the text does not go on with a letter or digit to either side.
fn is_word(text: &str, start: usize, end: usize) -> bool {
    let bytes = text.as_bytes();
    let alphanumeric = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_alphanumeric);
    !start.checked_sub(1).is_some_and(alphanumeric) && !alphanumeric(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use FindingKind::{AccessKeyId, AccountId, PrivateKey, SecretAccessKey, SessionToken};

    // Made up for these tests, in pieces, so that no scanner takes this file for a leak.
    fn key_id() -> String {
        ["AK", "IA", "Q3EGZ5NVX7LM2TRB"].concat()
    }

    fn secret() -> String {
        ["f9Zk2qLr", "/Xw7BvTn", "3YcHs8Jd", "+PgM5aRe", "U1oKiE6y"].concat()
    }

    fn token() -> String {
        ["IQoJb3JpZ2lu", "X2VjEJr4Zk9wLxTq", &"b7Qp".repeat(40)].concat()
    }

    fn kinds(text: &str) -> Vec<FindingKind> {
        let policy = Policy { allowed_accounts: BTreeSet::from(["999900000001".to_owned()]), ..Policy::default() };
        scan("out.log", text.as_bytes(), &policy).into_iter().map(|finding| finding.kind).collect()
    }

    #[test]
    fn credentials_are_found() {
        assert_eq!(kinds(&format!("id={}", key_id())), [AccessKeyId]);
        assert_eq!(kinds(&format!("Credential={}/20260101", key_id().replace("AKIA", "ASIA"))), [AccessKeyId]);
        assert_eq!(kinds(&format!("aws_secret_access_key = {}", secret())), [SecretAccessKey]);
        assert_eq!(kinds(&format!("{{\"SecretAccessKey\":\"{}\"}}", secret())), [SecretAccessKey]);
        assert_eq!(kinds(&format!("bare {} word", secret())), [SecretAccessKey]);
        assert_eq!(kinds(&format!("{{\"SessionToken\":\"{}\"}}", token())), [SessionToken]);
        assert_eq!(kinds(&format!("x-amz-security-token: {}", token().replace("IQoJ", "Zzzz"))), [SessionToken]);
        assert_eq!(kinds(&["-----BEGIN RSA PRIV", "ATE KEY-----\nMIIE\n-----END"].concat()), [PrivateKey]);
    }

    #[test]
    fn accounts_are_found_where_they_mean_accounts() {
        assert_eq!(kinds("User: arn:aws:iam::123456789012:user/x is not authorized"), [AccountId]);
        assert_eq!(kinds("arn:aws-us-gov:sqs:us-gov-west-1:123456789012:q"), [AccountId]);
        assert_eq!(kinds(r#"{"account": "123456789012"}"#), [AccountId]);
        assert_eq!(kinds("https://sqs.us-east-1.amazonaws.com/123456789012/q"), [AccountId]);
        assert_eq!(kinds("arn:aws:sqs:us-east-1:999900000001:q"), []);
    }

    #[test]
    fn digests_ids_and_numbers_are_no_findings() {
        let digest = crate::digest::Digest::of(b"x").to_string();
        let harmless = [
            digest.as_str(),
            "da39a3ee5e6b4b0d3255bfef95601890afd80709",
            "request id 7c3e1f9a-1b2c-4d5e-8f90-123456789012",
            "RequestId: 52f4bd2d-0d3b-5f6e-9b1d-e6d6a8a1f3c2",
            "at_ms 1700000000000, 123456789012 bytes",
            "arn:aws:iam::aws:policy/AdministratorAccess",
            "CodeSha256: 47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
            "packages/canonical/trials/canonical-1/a1",
            "ValidateConventionalCommitThenTimeoutAB12",
            "arn:aws:s3:::assay-artifacts-1",
            "token bucket AKIA is a prefix",
            "-----BEGIN CERTIFICATE-----",
        ];
        for text in harmless {
            assert_eq!(kinds(text), [], "{text}");
        }
    }

    #[test]
    fn known_accounts_are_found_anywhere_and_lines_are_counted() {
        let policy = Policy { known_accounts: BTreeSet::from(["123456789012".to_owned()]), ..Policy::default() };
        let findings = scan("a", b"one\ntwo bucket-123456789012\n\narn:aws:sqs:x:123456789012:q", &policy);
        assert_eq!(findings.iter().map(|finding| finding.line).collect::<Vec<_>>(), [2, 4]);
        assert_eq!(scan("a", b"a123456789012 0123456789012", &policy), []);
    }

    #[test]
    fn masking_leaves_the_rest() {
        let text = format!("key {} secret {} account arn:aws:iam::123456789012:user/x end", key_id(), secret());
        assert_eq!(mask(&text, &Policy::default()), "key **** secret **** account arn:aws:iam::****:user/x end");
    }

    proptest::proptest! {
        #[test]
        fn arbitrary_text_never_panics(text in "\\PC{0,200}") {
            let policy = Policy { known_accounts: BTreeSet::from(["123456789012".to_owned()]), ..Policy::default() };
            proptest::prop_assert!(mask(&text, &policy).len() <= text.len() + 4 * text.len());
        }

        #[test]
        fn digests_and_uuids_are_never_findings(bytes in proptest::array::uniform32(proptest::prelude::any::<u8>())) {
            let hex = hex::encode(bytes);
            let uuid = format!("{}-{}-4{}-8{}-{}", &hex[..8], &hex[8..12], &hex[12..15], &hex[15..18], &hex[18..30]);
            proptest::prop_assert_eq!(kinds(&format!("{{\"sha256\":\"{hex}\",\"request_id\":\"{uuid}\",\"sha1\":\"{}\"}}", &hex[..40])), []);
        }
    }
}
