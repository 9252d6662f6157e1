//! Reading a journal: every line checked, nothing believed.

use super::{Entry, Head, JournalError, MAX_LINE, head_path};
use crate::{canonical, digest::Digest};
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read as _},
    path::Path,
};

/// A journal read and found sound.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Journal<E> {
    /// Lines in order.
    pub entries: Vec<Entry<E>>,
    /// Bytes of a last line cut short by a crash. It was never acknowledged and is not among the entries.
    pub torn_tail: Option<u64>,
    /// Number and hash of the last whole line.
    pub head: Head,
}

/// A line that does not fit; line 0 is the head.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// From 1; 0 for the head file.
    pub line: u64,
    /// What does not fit.
    pub reason: String,
}

/// Where the sound part ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// Number and hash of the last whole line.
    pub head: Head,
    /// Bytes of whole lines.
    pub bytes: u64,
    /// Bytes of a torn tail.
    pub torn: Option<u64>,
}

/// Reads the journal at `path` and checks numbers, chain, form and head.
///
/// # Errors
/// [`JournalError::Broken`] at the first line that does not fit, [`JournalError::Event`] for an unknown event, or
/// the file system. A torn tail is not an error; it is reported in [`Journal::torn_tail`].
pub fn read<E: DeserializeOwned>(path: &Path) -> Result<Journal<E>, JournalError> {
    let mut entries = Vec::new();
    let mut unknown = None;
    let (extent, fault) = scan(path, &mut |entry: Entry<Value>| {
        if unknown.is_some() {
            return;
        }
        let Entry { seq, at_ms, prev, event } = entry;
        match serde_json::from_value(event) {
            Ok(event) => entries.push(Entry { seq, at_ms, prev, event }),
            Err(source) => unknown = Some(JournalError::Event { line: seq, source }),
        }
    })?;
    if let Some(Fault { line, reason }) = fault.into_iter().next() {
        return Err(JournalError::Broken { path: path.to_owned(), line, reason });
    }
    match unknown {
        Some(error) => Err(error),
        None => Ok(Journal { entries, torn_tail: extent.torn, head: extent.head }),
    }
}

/// Result of a check.
pub(crate) struct Checked {
    /// Lines that do not fit.
    pub faults: Vec<Fault>,
    /// Bytes of a torn tail.
    pub torn: Option<u64>,
    /// Number and hash of the last whole line.
    pub head: Head,
}

/// Every fault of the journal at `path`; the sound lines go to `take`.
pub(crate) fn check(path: &Path, take: &mut dyn FnMut(Entry<Value>)) -> Result<Checked, JournalError> {
    let (extent, faults) = scan(path, take)?;
    Ok(Checked { faults, torn: extent.torn, head: extent.head })
}

/// Walks through the lines with memory for one line at a time.
pub(super) fn scan(path: &Path, take: &mut dyn FnMut(Entry<Value>)) -> Result<(Extent, Vec<Fault>), JournalError> {
    let file = File::open(path).map_err(JournalError::io("open", path))?;
    let mut reader = BufReader::new(file);
    let (mut extent, mut faults, previous) = scan_lines(&mut reader, take).map_err(JournalError::io("read", path))?;
    if faults.is_empty() {
        let reason = match read_head(&head_path(path))? {
            Ok(head) => check_head(head, &extent, previous),
            Err(reason) => Some(reason),
        };
        faults.extend(reason.map(|reason| Fault { line: 0, reason }));
    }
    extent.torn = extent.torn.filter(|torn| *torn > 0);
    Ok((extent, faults))
}

/// The lines alone: where they end, what does not fit, and the hash of the last but one line.
pub(super) fn scan_lines(
    reader: &mut impl BufRead,
    take: &mut dyn FnMut(Entry<Value>),
) -> io::Result<(Extent, Vec<Fault>, Digest)> {
    let mut extent = Extent { head: Head::EMPTY, bytes: 0, torn: None };
    let mut previous = Digest::ZERO;
    let mut faults = Vec::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = reader.by_ref().take(MAX_LINE as u64 + 1).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok((extent, faults, previous));
        }
        let number = extent.head.seq + 1;
        if line.pop_if(|byte| *byte == b'\n').is_none() {
            if read > MAX_LINE {
                faults.push(Fault { line: number, reason: format!("longer than {MAX_LINE} bytes") });
            } else {
                extent.torn = Some(read as u64);
            }
            return Ok((extent, faults, previous));
        }
        match check_line(&line, number, extent.head.hash) {
            Ok(entry) => take(entry),
            Err(reason) => faults.push(Fault { line: number, reason }),
        }
        previous = extent.head.hash;
        extent.head = Head { seq: number, hash: Digest::of(&line) };
        extent.bytes += read as u64;
    }
}

fn check_line(line: &[u8], number: u64, prev: Digest) -> Result<Entry<Value>, String> {
    let entry = check_form(line, number)?;
    if entry.prev != prev {
        return Err(format!("names {} as the hash of the line before, which is {prev}", entry.prev));
    }
    Ok(entry)
}

/// What can be said of a line without the one before it.
pub(super) fn check_form(line: &[u8], number: u64) -> Result<Entry<Value>, String> {
    let entry: Entry<Value> = serde_json::from_slice(line).map_err(|error| format!("not a journal entry: {error}"))?;
    if entry.seq != number {
        return Err(format!("is numbered {}, expected {number}", entry.seq));
    }
    match canonical::to_vec(&entry) {
        Ok(bytes) if bytes == line => Ok(entry),
        _ => Err("not in canonical form (RFC 8785)".to_owned()),
    }
}

/// The head file; the inner error says what is wrong with its contents.
fn read_head(path: &Path) -> Result<Result<Option<Head>, String>, JournalError> {
    let read = File::open(path).and_then(|file| {
        let mut bytes = Vec::new();
        // Far more than two numbers need.
        file.take(4096).read_to_end(&mut bytes).map(|_| bytes)
    });
    match read {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes).map(Some).map_err(|error| format!("journal.head: {error}"))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Ok(None)),
        Err(error) => Err(JournalError::io("read", path)(error)),
    }
}

/// The head may be one whole line behind (a crash between the two writes), and never ahead.
fn check_head(head: Option<Head>, extent: &Extent, previous: Digest) -> Option<String> {
    let last = extent.head;
    match head {
        Some(head) if head == last => None,
        None if last.seq == 0 => None,
        None => Some("journal.head is missing".to_owned()),
        Some(head) if head.seq > last.seq => Some(format!(
            "journal.head knows of line {}, the journal ends at line {}: the end was lost",
            head.seq, last.seq
        )),
        Some(head) if head.seq + 1 == last.seq && head.hash == previous => None,
        Some(head) if head.seq == last.seq || head.seq + 1 == last.seq => {
            Some(format!("journal.head names another line {} than the journal holds", head.seq))
        }
        Some(head) => Some(format!("journal.head stopped at line {}, the journal at line {}", head.seq, last.seq)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line(seq: u64, prev: Digest, event: &str) -> Vec<u8> {
        canonical::to_line(&Entry { seq, at_ms: 1_700_000_000_000, prev, event }).unwrap()
    }

    fn hash(line: &[u8]) -> Digest {
        Digest::of(line.strip_suffix(b"\n").unwrap())
    }

    fn three() -> Vec<Vec<u8>> {
        let first = line(1, Digest::ZERO, "a");
        let second = line(2, hash(&first), "b");
        let third = line(3, hash(&second), "c");
        vec![first, second, third]
    }

    fn faults(bytes: &[u8]) -> Vec<u64> {
        let (_, faults, _) = scan_lines(&mut &bytes[..], &mut |_| {}).unwrap();
        faults.into_iter().map(|fault| fault.line).collect()
    }

    #[test]
    fn sound_lines_have_no_fault() {
        let bytes = three().concat();
        let (extent, faults, _) = scan_lines(&mut &bytes[..], &mut |_| {}).unwrap();
        assert_eq!(faults, []);
        assert_eq!((extent.head.seq, extent.bytes, extent.torn), (3, bytes.len() as u64, None));
    }

    #[test]
    fn every_cut_is_a_torn_tail_or_a_line_end() {
        let bytes = three().concat();
        for cut in 0..bytes.len() {
            let (extent, faults, _) = scan_lines(&mut &bytes[..cut], &mut |_| {}).unwrap();
            assert_eq!(faults, [], "cut at {cut}");
            assert_eq!(extent.bytes + extent.torn.unwrap_or(0), cut as u64);
        }
    }

    #[test]
    fn every_flipped_bit_but_those_of_the_last_line_breaks_the_chain() {
        let lines = three();
        let guarded = lines[0].len() + lines[1].len();
        let bytes = lines.concat();
        for at in 0..guarded {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1;
            assert_ne!(faults(&damaged), [] as [u64; 0], "byte {at}");
        }
    }

    #[test]
    fn duplicated_dropped_and_swapped_lines_are_faults() {
        let lines = three();
        assert_eq!(faults(&[&lines[..], &lines[2..]].concat().concat()), [4]);
        assert_eq!(faults(&[&lines[..1], &lines[2..]].concat().concat()), [2]);
        assert!(!faults(&[lines[1].clone(), lines[0].clone()].concat()).is_empty());
        assert_eq!(faults(b"\n"), [1]);
    }

    #[test]
    fn head_may_lag_by_one_line_and_never_lead() {
        let lines = three();
        let bytes = lines.concat();
        let (extent, _, previous) = scan_lines(&mut &bytes[..], &mut |_| {}).unwrap();
        let at = |seq, hash| check_head(Some(Head { seq, hash }), &extent, previous);
        assert_eq!(at(3, hash(&lines[2])), None);
        assert_eq!(at(2, hash(&lines[1])), None);
        assert!(at(4, hash(&lines[2])).unwrap().contains("the end was lost"));
        assert!(at(3, hash(&lines[1])).unwrap().contains("another line 3"));
        assert!(at(2, hash(&lines[2])).unwrap().contains("another line 2"));
        assert!(at(1, hash(&lines[0])).unwrap().contains("stopped at line 1"));
        assert!(check_head(None, &extent, previous).unwrap().contains("missing"));
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..512)) {
            let (extent, _, _) = scan_lines(&mut &bytes[..], &mut |_| {}).unwrap();
            prop_assert!(extent.bytes + extent.torn.unwrap_or(0) <= bytes.len() as u64);
        }

        #[test]
        fn arbitrary_lines_are_no_entries(text in "[ -~]{0,40}\n") {
            prop_assert_eq!(faults(text.as_bytes()).len(), 1);
        }
    }
}
