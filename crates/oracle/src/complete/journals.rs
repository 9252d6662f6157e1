//! The three journals as reads: there, consistent, after quiescence, unbroken, sorted.

use super::pages;
use crate::findings::Findings;
use crate::story::{Entry, Story, journal_name};
use evidence::record::Source;
use evidence::trial::JournalRead;
use std::collections::HashSet;

pub(super) fn check(story: &Story<'_>, findings: &mut Findings) {
    let evidence = story.evidence;
    for (source, journal, entries) in [
        (Source::Caller, &evidence.caller_journal, &story.caller),
        (Source::Provider, &evidence.provider_journal, &story.provider),
        (Source::Controller, &evidence.controller_journal, &story.controller),
    ] {
        let name = journal_name(source);
        match journal {
            None => findings.add(format!("/{name}"), format!("{name}: it was not read")),
            Some(journal) => {
                read(story, journal, name, findings);
                keys(name, entries, findings);
            }
        }
    }
    numbers(story, findings);
}

fn read(story: &Story<'_>, journal: &JournalRead, name: &str, findings: &mut Findings) {
    let pointer = format!("/{name}");
    findings.require(journal.consistent, || {
        (format!("{pointer}/consistent"), format!("{name}: the read was not consistent"))
    });
    after_quiescence(story, journal.read_at_ms, &pointer, name, findings);
    pages::check(&journal.pages, journal.records.len(), &pointer, name, findings);
    let sorted = journal.records.is_sorted_by(|one, other| {
        (one.at_ms, &one.request_id, one.seq) <= (other.at_ms, &other.request_id, other.seq)
    });
    findings.require(sorted, || (format!("{pointer}/records"), format!("{name}: the records are out of order")));
}

/// What was read before the trial came to rest may lack its end.
pub(super) fn after_quiescence(story: &Story<'_>, read_at_ms: i64, pointer: &str, name: &str, findings: &mut Findings) {
    let after = story.evidence.quiescent_at_ms.is_none_or(|quiescent| read_at_ms >= quiescent);
    findings.require(after, || {
        (format!("{pointer}/read_at_ms"), format!("{name}: it was read before the trial came to rest"))
    });
}

/// Per invocation the records count from 1 without gaps.
fn numbers(story: &Story<'_>, findings: &mut Findings) {
    for group in story.invocations.iter().flatten() {
        let broken = group.iter().zip(1..).find(|(entry, number)| entry.record.seq != *number);
        if let Some((entry, number)) = broken {
            let (name, request) = (journal_name(entry.source), &entry.record.request_id);
            let what = format!("{name}: request {request}: record {number} is missing or doubled");
            findings.add(format!("{}/seq", entry.pointer()), what);
        }
    }
}

fn keys(name: &str, entries: &[Entry<'_>], findings: &mut Findings) {
    let mut seen = HashSet::with_capacity(entries.len());
    for entry in entries {
        let id = entry.record.record_id.as_str();
        if id.is_empty() || !seen.insert(id) {
            findings.add(
                format!("{}/record_id", entry.pointer()),
                format!("{name}: record id {id:?} is empty or stands twice"),
            );
        }
    }
}
