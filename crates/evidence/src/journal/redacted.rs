//! A journal in a published copy: some lines were redacted, so their bytes no longer have the hash that the next line
//! names. Every other line has, and the hashes of all lines as they were written are still there.

use super::{
    Entry, Head, MAX_LINE,
    reader::{Fault, check_form},
};
use crate::digest::Digest;
use serde_json::Value;
use std::io::{self, BufRead, Read as _};

/// Result of reading a published journal.
pub(crate) struct Published {
    /// Lines that do not fit.
    pub faults: Vec<Fault>,
    /// Lines in all.
    pub lines: u64,
    /// Lines that are not as they were written, because something in them was replaced.
    pub redacted: u64,
}

/// Checks numbers and form of every line, and the hash of each one against the line after it (against `head` for the
/// last). A line with another hash must hold one of the stand-ins that redaction puts in, and is counted; without one
/// it was edited. `None` stands for stand-ins that are not known.
pub(crate) fn check(
    source: &mut impl BufRead,
    head: Option<Head>,
    stand_ins: Option<&[String]>,
    take: &mut dyn FnMut(Entry<Value>),
) -> io::Result<Published> {
    let mut found = Published { faults: Vec::new(), lines: 0, redacted: 0 };
    let mut previous: Option<(Digest, bool)> = None;
    let mut line = Vec::new();
    loop {
        line.clear();
        if source.by_ref().take(MAX_LINE as u64 + 1).read_until(b'\n', &mut line)? == 0 {
            break;
        }
        let number = found.lines + 1;
        if line.pop_if(|byte| *byte == b'\n').is_none() {
            found.faults.push(Fault { line: number, reason: "is cut short, or too long".to_owned() });
            return Ok(found);
        }
        found.lines = number;
        match check_form(&line, number) {
            Ok(entry) => {
                link(&mut found, number - 1, previous, entry.prev);
                take(entry);
            }
            Err(reason) => found.faults.push(Fault { line: number, reason }),
        }
        let text = String::from_utf8_lossy(&line);
        previous = Some((
            Digest::of(&line),
            stand_ins.is_none_or(|tokens| tokens.iter().any(|token| text.contains(token.as_str()))),
        ));
    }
    match head {
        Some(head) if head.seq == found.lines => link(&mut found, head.seq, previous, head.hash),
        // A crash between the two writes: the line before the last is the head's.
        Some(head) if head.seq + 1 == found.lines => {}
        _ => found.faults.push(Fault { line: 0, reason: "journal.head does not name the last line".to_owned() }),
    }
    Ok(found)
}

/// Compares line `number` as it is with its hash as it was written.
fn link(found: &mut Published, number: u64, line: Option<(Digest, bool)>, written: Digest) {
    match line {
        None if written == Digest::ZERO => {}
        Some((digest, _)) if digest == written => {}
        Some((_, true)) => found.redacted += 1,
        _ => found.faults.push(Fault {
            line: number,
            reason: format!("was written as {written}; it is something else and holds nothing redacted"),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonical;

    /// Three lines by the original's hashes; the second is redacted.
    fn published() -> (Vec<String>, Head) {
        let mut prev = Digest::ZERO;
        let mut lines = Vec::new();
        for (seq, event) in (1..).zip(["start", "by 123412341234", "end"]) {
            let line = canonical::to_vec(&Entry { seq, at_ms: 0, prev, event }).unwrap();
            prev = Digest::of(&line);
            lines.push(String::from_utf8(line).unwrap().replace("123412341234", "999900000001"));
        }
        (lines, Head { seq: 3, hash: prev })
    }

    fn read(lines: &[String], head: Head) -> (Vec<u64>, u64) {
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        let tokens = ["999900000001".to_owned()];
        let found = check(&mut text.as_bytes(), Some(head), Some(&tokens), &mut |_| {}).unwrap();
        (found.faults.into_iter().map(|fault| fault.line).collect(), found.redacted)
    }

    #[test]
    fn redacted_lines_are_counted_and_edited_ones_are_faults() {
        let (lines, head) = published();
        assert_eq!(read(&lines, head), (vec![], 1));
        for (at, from, to) in [(0, "start", "other"), (2, "end", "END")] {
            let mut edited = lines.clone();
            edited[at] = edited[at].replace(from, to);
            assert_eq!(read(&edited, head), (vec![at as u64 + 1], 1));
        }
        assert_eq!(read(&lines[..2], head), (vec![0], 0));
        assert_eq!(read(&[lines[0].clone(), lines[2].clone()], head), (vec![2, 0], 0));
        assert_eq!(read(&[lines[1].clone(), lines[0].clone(), lines[2].clone()], head).0.len(), 3);
    }
}
