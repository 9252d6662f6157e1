//! Compact JSON put into canonical form: members sorted, numbers spelled as RFC 8785 spells them.
//!
//! Works on the bytes that serde_json has just written, so no tree of values is built: a verdict on 10,000 trials
//! has a million members, and a tree of them weighs many times its text. Strings need no change, because serde_json
//! escapes exactly what RFC 8785 says, in the same way.

use super::{CanonicalError, MAX_EXACT};
use serde::ser::Error as _;
use std::{cmp::Ordering, ops::Range};

/// One member: where its key (with quotes) and its whole text stand in the output.
struct Member {
    key: Range<usize>,
    all: Range<usize>,
}

/// Rewrites compact JSON written by serde_json.
pub(super) struct Sorter<'a> {
    rest: &'a [u8],
    out: Vec<u8>,
    /// Room for the members of an object while they are put in order.
    scratch: Vec<u8>,
}

impl<'a> Sorter<'a> {
    pub(super) fn new(compact: &'a [u8]) -> Self {
        Self { rest: compact, out: Vec::with_capacity(compact.len()), scratch: Vec::new() }
    }

    /// The canonical bytes.
    pub(super) fn finish(mut self) -> Result<Vec<u8>, CanonicalError> {
        self.value()?;
        if self.rest.is_empty() { Ok(self.out) } else { Err(malformed()) }
    }

    fn value(&mut self) -> Result<(), CanonicalError> {
        match self.rest.first() {
            Some(b'{') => self.object(),
            Some(b'[') => self.array(),
            Some(b'"') => self.string().map(drop),
            Some(b'-' | b'0'..=b'9') => self.number(),
            // `true`, `false`, `null`: all that is left.
            Some(b'a'..=b'z') => {
                let end = self.rest.iter().position(|byte| !byte.is_ascii_lowercase()).unwrap_or(self.rest.len());
                self.copy(end);
                Ok(())
            }
            _ => Err(malformed()),
        }
    }

    fn array(&mut self) -> Result<(), CanonicalError> {
        self.copy(1);
        if self.rest.first() == Some(&b']') {
            self.copy(1);
            return Ok(());
        }
        loop {
            self.value()?;
            if self.separator(b']')? {
                return Ok(());
            }
        }
    }

    fn object(&mut self) -> Result<(), CanonicalError> {
        self.copy(1);
        if self.rest.first() == Some(&b'}') {
            self.copy(1);
            return Ok(());
        }
        let start = self.out.len();
        let mut members: Vec<Member> = Vec::with_capacity(16);
        let mut sorted = true;
        loop {
            let from = self.out.len();
            let key = self.string()?;
            if self.rest.first() != Some(&b':') {
                return Err(malformed());
            }
            self.copy(1);
            self.value()?;
            if let Some(last) = members.last() {
                sorted &= order(&self.out[last.key.clone()], &self.out[key.clone()]) == Ordering::Less;
            }
            members.push(Member { key, all: from..self.out.len() });
            if self.separator(b'}')? {
                break;
            }
        }
        if sorted { Ok(()) } else { self.sort(start, members) }
    }

    /// Puts the members that stand from `start` to the closing brace in order.
    fn sort(&mut self, start: usize, mut members: Vec<Member>) -> Result<(), CanonicalError> {
        let key = |member: &Member| &self.out[member.key.clone()];
        members.sort_by(|a, b| order(key(a), key(b)));
        if members.windows(2).any(|pair| order(key(&pair[0]), key(&pair[1])) == Ordering::Equal) {
            return Err(CanonicalError::Json(serde_json::Error::custom("an object has two members of one name")));
        }
        self.scratch.clear();
        for (at, member) in members.iter().enumerate() {
            if at > 0 {
                self.scratch.push(b',');
            }
            self.scratch.extend_from_slice(&self.out[member.all.clone()]);
        }
        self.out.truncate(start);
        self.out.extend_from_slice(&self.scratch);
        self.out.push(b'}');
        Ok(())
    }

    /// Copies a comma (false) or the end of the container (true).
    fn separator(&mut self, end: u8) -> Result<bool, CanonicalError> {
        let found = self.rest.first().copied();
        if found != Some(b',') && found != Some(end) {
            return Err(malformed());
        }
        self.copy(1);
        Ok(found == Some(end))
    }

    /// Copies a string and says where it stands now, quotes included.
    fn string(&mut self) -> Result<Range<usize>, CanonicalError> {
        if self.rest.first() != Some(&b'"') {
            return Err(malformed());
        }
        let mut at = 1;
        loop {
            // Written so that the compiler can look at many bytes at once.
            match self.rest.get(at..).and_then(|rest| rest.iter().position(|byte| (*byte == b'"') | (*byte == b'\\'))) {
                None => return Err(malformed()),
                Some(found) if self.rest[at + found] == b'"' => {
                    let from = self.out.len();
                    self.copy(at + found + 1);
                    return Ok(from..self.out.len());
                }
                Some(found) => at += found + 2,
            }
        }
    }

    fn number(&mut self) -> Result<(), CanonicalError> {
        let end = self.rest.iter().position(|byte| !matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E'));
        let end = end.unwrap_or(self.rest.len());
        let token = &self.rest[..end];
        let integer = token.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'-'));
        // Up to 15 digits are exact whatever they are; serde_json writes them as RFC 8785 does, but for −0.
        if integer && token.len() <= 15 && token != b"-0" {
            self.copy(end);
            return Ok(());
        }
        let number: serde_json::Number = serde_json::from_slice(token)?;
        let magnitude = number.as_u64().or_else(|| number.as_i64().map(i64::unsigned_abs));
        if integer && magnitude.is_none_or(|magnitude| magnitude > MAX_EXACT) {
            return Err(CanonicalError::Inexact(number));
        }
        self.out.extend(serde_json_canonicalizer::to_vec(&number)?);
        self.rest = &self.rest[end..];
        Ok(())
    }

    fn copy(&mut self, n: usize) {
        let (taken, rest) = self.rest.split_at(n.min(self.rest.len()));
        self.out.extend_from_slice(taken);
        self.rest = rest;
    }
}

/// RFC 8785, 3.2.3: keys (here with their quotes) are compared as UTF-16 code units. Among plain ASCII keys that is
/// the order of their bytes.
fn order(a: &[u8], b: &[u8]) -> Ordering {
    let plain = |key: &[u8]| key.iter().all(|byte| byte.is_ascii() && *byte != b'\\');
    if plain(a) && plain(b) {
        return a[1..a.len() - 1].cmp(&b[1..b.len() - 1]);
    }
    let units = |key: &[u8]| -> Vec<u16> {
        // serde_json has written it, so it can read it.
        serde_json::from_slice::<String>(key).unwrap_or_default().encode_utf16().collect()
    };
    units(a).cmp(&units(b))
}

fn malformed() -> CanonicalError {
    CanonicalError::Json(serde_json::Error::custom("not compact JSON"))
}
