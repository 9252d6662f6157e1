//! Durable executions: every version and the unqualified list were asked, each execution is found there and ended.

use super::{history, pages};
use crate::findings::Findings;
use crate::story::Story;
use evidence::trial::{Execution, ExecutionsRead};
use std::collections::{BTreeSet, HashSet};

pub(super) fn check(story: &Story<'_>, findings: &mut Findings) {
    let Some(read) = story.evidence.executions.as_ref().filter(|_| story.evidence.trial.durable) else { return };
    versions(read, findings);
    listings(read, findings);
    let mut seen = HashSet::new();
    for (index, execution) in read.executions.iter().enumerate() {
        let pointer = format!("/executions/executions/{index}");
        findings.require(seen.insert(&execution.arn), || {
            (pointer.clone(), format!("executions: {} stands twice", execution.arn))
        });
        listed(read, execution, &pointer, findings);
        history::check(story, execution, &pointer, findings);
    }
    let sorted = read.executions.is_sorted_by_key(|execution| execution.started_at_ms);
    findings.require(sorted, || ("/executions/executions".to_owned(), "executions: they are out of order".to_owned()));
    deliveries(story, read, findings);
}

/// Each recorded version and the unqualified list, once; an alias is refused by the service and proves nothing.
fn versions(read: &ExecutionsRead, findings: &mut Findings) {
    let numeric = |version: &String| !version.is_empty() && version.bytes().all(|byte| byte.is_ascii_digit());
    findings.require(!read.versions.is_empty() && read.versions.iter().all(numeric), || {
        ("/executions/versions".to_owned(), "executions: no numeric version is on record".to_owned())
    });
    let mut expected: Vec<Option<&str>> = read.versions.iter().map(|version| Some(version.as_str())).collect();
    expected.push(None);
    for qualifier in expected {
        let count = read.listings.iter().filter(|listing| listing.qualifier.as_deref() == qualifier).count();
        findings.require(count == 1, || {
            let which =
                qualifier.map_or_else(|| "the unqualified list".to_owned(), |version| format!("version {version}"));
            ("/executions/listings".to_owned(), format!("executions: {which} was listed {count} times instead of once"))
        });
    }
    findings.require(read.listings.len() == read.versions.len() + 1, || {
        (
            "/executions/listings".to_owned(),
            "executions: a list was asked for something that is no recorded version".to_owned(),
        )
    });
}

fn listings(read: &ExecutionsRead, findings: &mut Findings) {
    for (index, listing) in read.listings.iter().enumerate() {
        let pointer = format!("/executions/listings/{index}");
        let what = format!("executions of version {}", listing.qualifier.as_deref().unwrap_or("(unqualified)"));
        pages::check(&listing.pages, listing.arns.len(), &pointer, &what, findings);
        let unique: HashSet<_> = listing.arns.iter().collect();
        findings.require(unique.len() == listing.arns.len(), || {
            (format!("{pointer}/arns"), format!("{what}: one stands twice"))
        });
    }
}

fn listed(read: &ExecutionsRead, execution: &Execution, pointer: &str, findings: &mut Findings) {
    let mut own = read.listings.iter().filter(|listing| listing.qualifier.as_deref() == Some(&execution.version));
    let found = own.any(|listing| listing.arns.contains(&execution.arn));
    findings.require(found && read.versions.contains(&execution.version), || {
        let what = format!("executions: {} is not in the list of its version {}", execution.arn, execution.version);
        (pointer.to_owned(), what)
    });
}

/// The event source mapping starts one execution per delivery; an empty answer may come from the wrong version.
fn deliveries(story: &Story<'_>, read: &ExecutionsRead, findings: &mut Findings) {
    let delivered: BTreeSet<u32> = story.caller.iter().map(|entry| entry.record.delivery).collect();
    let sent = story.evidence.dispatch.outcome == "done" || !delivered.is_empty();
    findings.require(!sent || !read.executions.is_empty(), || {
        let what = "executions: the message was sent, but no version lists an execution of it".to_owned();
        ("/executions/executions".to_owned(), what)
    });
    findings.require(read.executions.is_empty() || read.executions.len() >= delivered.len(), || {
        let what = format!("executions: {} for {} deliveries on record", read.executions.len(), delivered.len());
        ("/executions/executions".to_owned(), what)
    });
    let outcomes: usize = read.executions.iter().map(history::attempts_ended).sum();
    let ended = story.attempts.len();
    findings.require(outcomes <= ended, || {
        let what = format!("caller_journal: the histories end {outcomes} attempts, {ended} are on record");
        ("/caller_journal/records".to_owned(), what)
    });
}
