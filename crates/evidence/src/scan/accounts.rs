//! Account ids by the context that makes twelve digits an account.

/// Names of JSON members and settings whose value is an account id; compared without case, `_` and `-`.
const FIELDS: [&str; 7] =
    ["account", "accountid", "awsaccount", "awsaccountid", "ownerid", "owneraccount", "owneraccountid"];

/// Every account id that stands in an ARN, in an AWS URL or in an account field, with its place, in order.
#[must_use]
pub fn account_mentions(text: &str) -> Vec<(usize, &str)> {
    let mut mentions = Vec::new();
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let digits = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (start, end) = (at, at + digits);
        at = end;
        if digits != 12 || !super::is_word(text, start, end) {
            continue;
        }
        let before = &text[line_start(text, start)..start];
        if in_arn(before, bytes.get(end)) || in_url(before) || in_field(before) {
            mentions.push((start, &text[start..end]));
        }
    }
    mentions
}

/// Start of the context looked at: at most 200 bytes, on the same line.
fn line_start(text: &str, at: usize) -> usize {
    let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let mut start = line.max(at.saturating_sub(200));
    while !text.is_char_boundary(start) {
        start += 1;
    }
    start
}

/// `arn:partition:service:region:` before, `:` after.
fn in_arn(before: &str, after: Option<&u8>) -> bool {
    let Some(arn) = before.rfind("arn:").map(|at| &before[at..]) else { return false };
    after == Some(&b':')
        && arn.ends_with(':')
        && arn.matches(':').count() == 4
        && arn.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'-'))
}

/// `https://sqs.us-east-1.amazonaws.com/` before.
fn in_url(before: &str) -> bool {
    before.ends_with(".amazonaws.com/") || before.ends_with(".amazonaws.com.cn/")
}

/// `"account": "`, `AccountId=`, `account ` before.
fn in_field(before: &str) -> bool {
    let name = before.trim_end_matches(['"', '\'', ':', '=', ' ', '\\']);
    let separator = &before[name.len()..];
    let word = name.rsplit(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '_' | '-'))).next().unwrap_or_default();
    let plain: String = word.chars().filter(char::is_ascii_alphanumeric).collect();
    !separator.is_empty() && FIELDS.iter().any(|field| plain.eq_ignore_ascii_case(field))
}
