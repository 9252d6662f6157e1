//! The journal on disk: resumed after every kind of crash, refused after every kind of edit.

use evidence::{
    digest::Digest,
    journal::{Head, JournalError, Writer, head_path, read},
};
use proptest::prelude::*;
use serde::{Deserialize, Serialize};
use std::{
    fs,
    path::{Path, PathBuf},
};
use tempfile::{TempDir, tempdir};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum Event {
    Intent { act: String },
    Outcome { done: bool },
}

fn event(n: u64) -> Event {
    if n.is_multiple_of(2) { Event::Outcome { done: n > 2 } } else { Event::Intent { act: format!("act {n}") } }
}

fn written(lines: u64) -> (TempDir, PathBuf) {
    let folder = tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    let mut writer = Writer::create(&path).unwrap();
    for n in 1..=lines {
        assert_eq!(writer.append(1_700_000_000_000, &event(n)).unwrap(), n);
    }
    (folder, path)
}

fn broken_at(path: &Path) -> u64 {
    let resumed = Writer::<Event>::resume(path);
    assert!(matches!(resumed, Err(JournalError::Broken { .. })), "resume must refuse as well: {resumed:?}");
    match read::<Event>(path) {
        Err(JournalError::Broken { line, .. }) => line,
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_was_appended_is_read() {
    let (_folder, path) = written(5);
    let journal = read::<Event>(&path).unwrap();
    assert_eq!(
        journal.entries.iter().map(|entry| entry.event.clone()).collect::<Vec<_>>(),
        (1..=5).map(event).collect::<Vec<_>>()
    );
    assert_eq!((journal.torn_tail, journal.head.seq, journal.entries[0].prev), (None, 5, Digest::ZERO));
    let first = fs::read_to_string(&path).unwrap().lines().next().unwrap().to_owned();
    assert_eq!(
        first,
        format!(
            "{{\"at_ms\":1700000000000,\"event\":{{\"act\":\"act 1\",\"kind\":\"intent\"}},\"prev\":\"{}\",\"seq\":1}}",
            Digest::ZERO
        )
    );
    assert_eq!(journal.entries[1].prev, Digest::of(first.as_bytes()));
}

#[test]
fn every_cut_through_the_line_being_written_is_cut_off_and_said() {
    let (_folder, path) = written(3);
    let whole = fs::read(&path).unwrap();
    let head = fs::read(head_path(&path)).unwrap();
    let mut writer = Writer::<Event>::resume(&path).unwrap();
    writer.append(0, &event(4)).unwrap();
    drop(writer);
    let longer = fs::read(&path).unwrap();
    for cut in whole.len()..=longer.len() {
        fs::write(&path, &longer[..cut]).unwrap();
        fs::write(head_path(&path), &head).unwrap();
        let torn = (cut > whole.len() && cut < longer.len()).then(|| (cut - whole.len()) as u64);
        assert_eq!(read::<Event>(&path).unwrap().torn_tail, torn);
        let mut writer = Writer::<Event>::resume(&path).unwrap();
        assert_eq!(writer.torn_tail(), torn);
        let next = if cut == longer.len() { 5 } else { 4 };
        assert_eq!(writer.append(1, &event(9)).unwrap(), next);
        drop(writer);
        assert_eq!(read::<Event>(&path).unwrap().entries.len() as u64, next);
    }
}

#[test]
fn a_lost_last_line_is_noticed_whole_or_in_part() {
    let (_folder, path) = written(3);
    let whole = fs::read(&path).unwrap();
    let second_ends = whole.iter().enumerate().filter(|(_, byte)| **byte == b'\n').nth(1).unwrap().0 + 1;
    for cut in second_ends..whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        assert_eq!(broken_at(&path), 0, "cut at {cut}");
    }
}

#[test]
fn every_flipped_bit_is_noticed() {
    let (_folder, path) = written(3);
    let whole = fs::read(&path).unwrap();
    for at in 0..whole.len() {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        fs::write(&path, &bytes).unwrap();
        let found = read::<Event>(&path);
        assert!(matches!(found, Err(JournalError::Broken { .. })), "byte {at}: {found:?}");
    }
}

#[test]
fn duplicated_dropped_swapped_and_foreign_lines_are_refused() {
    let (_folder, path) = written(4);
    let text = fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let cases: [(Vec<&str>, u64); 5] = [
        (vec![lines[0], lines[1], lines[1], lines[2], lines[3]], 3),
        (vec![lines[0], lines[1], lines[2], lines[3], lines[3]], 5),
        (vec![lines[0], lines[2], lines[3]], 2),
        (vec![lines[0], lines[2], lines[1], lines[3]], 2),
        (vec![lines[0], lines[1], "{}\n", lines[2], lines[3]], 3),
    ];
    for (lines, at) in cases {
        fs::write(&path, lines.concat()).unwrap();
        assert_eq!(broken_at(&path), at);
    }
}

#[test]
fn a_damaged_missing_or_stale_head_is_refused() {
    let (_folder, path) = written(3);
    let head = head_path(&path);
    let stale = Head { seq: 1, hash: read::<Event>(&path).unwrap().entries[1].prev };
    let foreign = Head { seq: 3, hash: Digest::of(b"other") };
    for bytes in
        [b"".to_vec(), b"{}".to_vec(), serde_json::to_vec(&stale).unwrap(), serde_json::to_vec(&foreign).unwrap()]
    {
        fs::write(&head, bytes).unwrap();
        assert_eq!(broken_at(&path), 0);
    }
    fs::remove_file(&head).unwrap();
    assert_eq!(broken_at(&path), 0);
}

#[test]
fn events_of_a_newer_program_are_named_and_nothing_is_appended() {
    let (_folder, path) = written(1);
    #[derive(Serialize, Deserialize)]
    #[serde(tag = "kind", rename_all = "snake_case")]
    enum Newer {
        Intent { act: String },
        Paused,
    }
    let mut writer = Writer::<Newer>::resume(&path).unwrap();
    writer.append(0, &Newer::Paused).unwrap();
    writer.append(0, &Newer::Intent { act: "x".to_owned() }).unwrap();
    drop(writer);
    assert!(matches!(read::<Event>(&path), Err(JournalError::Event { line: 2, .. })));
    assert!(matches!(Writer::<Event>::resume(&path), Err(JournalError::Event { line: 2, .. })));
}

#[test]
fn there_is_one_writer_and_one_beginning() {
    let (_folder, path) = written(1);
    assert!(matches!(Writer::<Event>::create(&path), Err(JournalError::Exists(_))));
    let first = Writer::<Event>::resume(&path).unwrap();
    assert!(matches!(Writer::<Event>::resume(&path), Err(JournalError::InUse(_))));
    drop(first);
    assert!(Writer::<Event>::resume(&path).is_ok());
}

#[test]
fn an_event_without_canonical_form_leaves_the_journal_usable() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("journal.jsonl");
    let mut writer = Writer::<u64>::create(&path).unwrap();
    assert!(matches!(writer.append(0, &u64::MAX), Err(JournalError::Canonical(_))));
    assert_eq!(writer.append(0, &1).unwrap(), 1);
    assert_eq!(read::<u64>(&path).unwrap().entries.len(), 1);
}

#[test]
fn a_failed_write_poisons_the_writer() {
    let (folder, path) = written(1);
    let mut writer = Writer::<Event>::resume(&path).unwrap();
    let moved = folder.path().with_extension("moved");
    fs::rename(folder.path(), &moved).unwrap();
    assert!(matches!(writer.append(0, &event(2)), Err(JournalError::Io { .. })), "the head cannot be written");
    fs::rename(&moved, folder.path()).unwrap();
    assert!(matches!(writer.append(0, &event(2)), Err(JournalError::Poisoned)));
    drop(writer);
    assert_eq!(Writer::<Event>::resume(&path).unwrap().head().seq, 2, "the line itself had reached the disk");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn arbitrary_files_never_panic(journal in proptest::collection::vec(any::<u8>(), 0..400), head in "\\PC{0,40}") {
        let folder = tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        fs::write(&path, &journal).unwrap();
        fs::write(head_path(&path), head).unwrap();
        let _ = read::<Event>(&path);
        let before = fs::read(&path).unwrap();
        if Writer::<Event>::resume(&path).is_err() {
            prop_assert_eq!(fs::read(&path).unwrap(), before, "a refused journal is left as it is");
        }
    }
}
