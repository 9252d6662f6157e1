//! Credentials by shape and context.

use super::FindingKind;
use std::ops::Range;

/// Length of a secret access key.
const SECRET: usize = 40;
/// Shortest thing taken for a session token.
const TOKEN: usize = 100;
/// Bits per character from which forty characters without context look random; English paths stay below.
const RANDOM_BITS: f64 = 4.4;
/// How temporary credentials' tokens begin.
const TOKEN_STARTS: [&str; 4] = ["IQoJb3JpZ2lu", "FwoGZXIvYXdz", "FQoGZXIvYXdz", "FQoDYXdz"];

pub(super) fn find(text: &str) -> Vec<(Range<usize>, FindingKind)> {
    let mut spots = private_keys(text);
    for word in words(text) {
        let bytes = &text[word.clone()];
        if let Some(key) = key_id(bytes) {
            spots.push((word.start + key.start..word.start + key.end, FindingKind::AccessKeyId));
        } else if bytes.len() >= TOKEN && is_token(text, &word) {
            spots.push((word, FindingKind::SessionToken));
        } else if bytes.len() == SECRET && is_secret(text, &word) {
            spots.push((word, FindingKind::SecretAccessKey));
        }
    }
    spots
}

/// Runs of base64 characters; `=` only ends one.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        at += bytes[at..].iter().position(|byte| is_base64(*byte))?;
        let start = at;
        at += bytes[at..].iter().take_while(|byte| is_base64(**byte)).count();
        at += bytes[at..].iter().take(2).take_while(|byte| **byte == b'=').count();
        // `name=` of a setting is not padding.
        let padded = bytes[start..at].ends_with(b"=") && bytes.get(at).is_some_and(|byte| is_base64(*byte));
        let end = if padded { start + bytes[start..at].iter().take_while(|byte| **byte != b'=').count() } else { at };
        Some(start..end)
    })
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/')
}

/// `AKIA` or `ASIA` and sixteen of A–Z 2–7, not within a longer word.
fn key_id(word: &str) -> Option<Range<usize>> {
    let mut start = 0;
    for part in word.split(['/', '+', '=']) {
        let body = part.strip_prefix("AKIA").or_else(|| part.strip_prefix("ASIA"));
        if body.is_some_and(|body| body.len() == 16 && body.bytes().all(|b| matches!(b, b'A'..=b'Z' | b'2'..=b'7'))) {
            return Some(start..start + part.len());
        }
        start += part.len() + 1;
    }
    None
}

fn is_token(text: &str, word: &Range<usize>) -> bool {
    let known = TOKEN_STARTS.iter().any(|start| text[word.clone()].starts_with(start));
    known || follows(text, word.start, &["sessiontoken", "session_token", "security-token", "security_token"])
}

fn is_secret(text: &str, word: &Range<usize>) -> bool {
    let secret = &text[word.clone()];
    let has = |test: fn(&u8) -> bool| secret.as_bytes().iter().any(test);
    if secret.bytes().all(|byte| byte.is_ascii_hexdigit()) || !has(u8::is_ascii_alphabetic) || secret.contains('=') {
        return false;
    }
    if follows(text, word.start, &["secret"]) {
        return true;
    }
    let mixed = has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase) && has(u8::is_ascii_digit);
    mixed && bits_per_character(secret) >= RANDOM_BITS
}

/// Whether one of `names` stands in the 48 bytes before, on the same line.
fn follows(text: &str, at: usize, names: &[&str]) -> bool {
    let context: Vec<u8> = text.as_bytes()[at.saturating_sub(48)..at].to_ascii_lowercase();
    let context = context.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    names.iter().any(|name| context.windows(name.len()).any(|window| window == name.as_bytes()))
}

/// Shannon entropy of the characters.
fn bits_per_character(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    text.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let total = f64::from(u32::try_from(text.len()).unwrap_or(u32::MAX));
    let share = |count: &u32| f64::from(*count) / total;
    counts.iter().filter(|count| **count > 0).map(share).map(|p| -p * p.log2()).sum()
}

fn private_keys(text: &str) -> Vec<(Range<usize>, FindingKind)> {
    let begins = text.match_indices("-----BEGIN ");
    begins
        .filter_map(|(at, begin)| {
            let label = &text[at + begin.len()..];
            let label = &label[..label.find("-----")?];
            let is_key = label.len() < 40 && label.ends_with("PRIVATE KEY");
            let block = &text[at..];
            let end = block.find("-----END ").unwrap_or(begin.len() + label.len() + 5);
            is_key.then_some((at..at + end, FindingKind::PrivateKey))
        })
        .collect()
}
