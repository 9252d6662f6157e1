//! A run folder: every package, the chain between them, and the journal.

use super::{
    Subject, SubjectKind,
    claims::{self, Claims},
    records::{self, Around, Records},
    said::Said,
    settle_chain,
};
use crate::{
    anchors,
    chain::Link,
    digest::Digest,
    journal,
    package::check_folder,
    problem::{Kind, Problem},
    tree::{Entry, Folder},
};
use rayon::prelude::*;
use std::{io, path::Path};

/// Folder of a run's packages.
pub(super) const PACKAGES: &str = "packages";
/// File name of a run's journal.
pub(super) const JOURNAL: &str = "journal.jsonl";

/// Everything else that a run's folder holds: inputs and working files, which packages replace, and texts for people.
const OTHER: [&str; 6] = ["close-out.md", "inputs", "lock", "report.html", "report.md", "working"];
/// What is verified.
const VERIFIED: [&str; 8] = [
    JOURNAL,
    "journal.head",
    PACKAGES,
    "plan.json",
    records::REGISTRATION,
    "rejudged",
    claims::RESULTS,
    claims::VERDICTS,
];

pub(super) fn verify_folder(run: &Folder, path: &Path) -> Subject {
    let mut subject = Subject::new(SubjectKind::Run);
    let links = match run.folder(PACKAGES).and_then(|packages| packages.names().map(|names| (packages, names))) {
        Ok((packages, names)) => verify_packages(&packages, names, &mut subject),
        Err(error) => {
            subject.problems.push(unreadable(PACKAGES, &error));
            Vec::new()
        }
    };
    let said = verify_journal(run, path, &mut subject);
    let claims = verify_claims(run, &mut subject);
    verify_records(run, &links, said.as_ref(), &claims, &mut subject);
    subject.problems.extend(claims.into_problems());
    unexpected(run, &mut subject);
    subject
}

/// Names that are no part of a run are said; they prove nothing and were not looked into.
fn unexpected(run: &Folder, subject: &mut Subject) {
    match run.names() {
        Ok(names) => {
            let unknown =
                names.into_iter().filter(|name| !OTHER.contains(&name.as_str()) && !VERIFIED.contains(&name.as_str()));
            subject
                .notes
                .extend(unknown.map(|name| format!("{} is no part of a run and was not checked", name.escape_debug())));
        }
        Err(error) => subject.problems.push(unreadable("", &error)),
    }
}

/// The run's records against each other.
fn verify_records(run: &Folder, links: &[Link], said: Option<&Said>, claims: &Claims, subject: &mut Subject) {
    let mut found = Records::default();
    let stages = links.iter().map(|link| format!("{PACKAGES}/{}/stage.json", link.folder));
    let others = [format!("{}/adopted.json", records::REGISTRATION), anchors::PATH.to_owned()];
    let closing = records::CLOSING.iter().map(|(_, path, _)| (*path).to_owned());
    for path in stages.chain(others).chain(closing) {
        match run.entry(&path) {
            Ok(None) => {}
            Ok(Some(_)) => match super::document(run, &path) {
                Some(bytes) => found.take(&path, &bytes),
                None => subject.problems.push(Problem::new(Kind::Unreadable, path, "cannot be read, or is too large")),
            },
            Err(error) => subject.problems.push(unreadable(&path, &error)),
        }
    }
    let digest = |path: &str| super::document(run, path).map(|bytes| Digest::of(&bytes));
    let registered = verify_registration(run, subject);
    found.settle(&Around { links, said, digest: &digest, registered, claims });
    subject.problems.extend(found.problems);
    subject.notes.extend(found.notes);
}

/// The registration that the run keeps a copy of: a package of its own, outside the chain.
fn verify_registration(run: &Folder, subject: &mut Subject) -> Option<Digest> {
    const NAME: &str = records::REGISTRATION;
    let below = format!("{NAME}/{NAME}");
    match run.entry(NAME) {
        Ok(None) => return None,
        Ok(Some(_)) => {}
        Err(error) => subject.problems.push(unreadable(NAME, &error)),
    }
    let checked =
        run.folder(NAME).map_err(|error| unreadable(NAME, &error)).and_then(|outer| verify_package(&outer, NAME));
    match checked {
        Ok(checked) => {
            subject.bytes += checked.bytes;
            subject.problems.extend(checked.problems.into_iter().map(|problem| problem.below(&below)));
            checked.index.map(|(identity, _)| identity)
        }
        Err(problem) => {
            subject.problems.push(problem.below(&below));
            None
        }
    }
}

/// Verdict files and results against the sealed packages.
fn verify_claims(run: &Folder, subject: &mut Subject) -> Claims {
    let mut claims = Claims::within(claims::MAX_DOCUMENT);
    let mut documents = Vec::new();
    let folders = [claims::VERDICTS.to_owned()].into_iter().chain(inner(run, claims::REJUDGED, subject));
    for folder in folders {
        documents.extend(inner(run, &folder, subject));
    }
    if matches!(run.entry(claims::RESULTS), Ok(Some(_))) {
        documents.push(claims::RESULTS.to_owned());
    }
    for path in &documents {
        match super::document(run, path) {
            Some(bytes) if claims::is_document(path) => claims.document(path, &bytes),
            Some(_) => subject.notes.push(format!("{path} is no verdict file and was not checked")),
            None => subject.problems.push(Problem::new(Kind::Unreadable, path, "cannot be read, or is too large")),
        }
    }
    claims.settle(&super::identities(subject));
    let check = |artifact: &&str| {
        let bytes = super::document(run, artifact);
        claims.check(artifact, bytes.as_deref(), bytes.as_deref().map(Digest::of))
    };
    subject.problems.par_extend(claims.artifacts().par_iter().with_max_len(16).flat_map_iter(check));
    claims
}

/// What stands in a folder of the run, if it is there.
fn inner(run: &Folder, folder: &str, subject: &mut Subject) -> Vec<String> {
    let names = match run.entry(folder) {
        Ok(Some(_)) => run.folder(folder).and_then(|folder| folder.names()),
        Ok(None) => Ok(Vec::new()),
        Err(error) => Err(error),
    };
    match names {
        Ok(names) => names.into_iter().map(|name| format!("{folder}/{name}")).collect(),
        Err(error) => {
            subject.problems.push(unreadable(folder, &error));
            Vec::new()
        }
    }
}

fn verify_packages(packages: &Folder, names: Vec<String>, subject: &mut Subject) -> Vec<Link> {
    let (drafts, names): (Vec<_>, Vec<_>) = names.into_iter().partition(|name| name.starts_with(".draft-"));
    subject
        .notes
        .extend(drafts.iter().map(|name| format!("{PACKAGES}/{name} is left over from an interrupted freeze")));
    if names.is_empty() {
        subject.problems.push(Problem::new(Kind::NothingToVerify, PACKAGES, "holds no sealed package"));
    }
    let checked: Vec<_> = names.into_par_iter().map(|name| (verify_package(packages, &name), name)).collect();
    let mut links = Vec::new();
    for (result, name) in checked {
        let below = format!("{PACKAGES}/{name}");
        match result {
            Ok(checked) => {
                subject.bytes += checked.bytes;
                subject.problems.extend(checked.problems.into_iter().map(|problem| problem.below(&below)));
                links.extend(checked.index.map(|(identity, index)| Link { folder: name, identity, index }));
            }
            Err(problem) => subject.problems.push(problem.below(&below)),
        }
    }
    settle_chain(subject, links)
}

fn verify_package(packages: &Folder, name: &str) -> Result<crate::package::Checked, Problem> {
    match packages.entry(name) {
        Ok(Some(Entry::Symlink)) => return Err(Problem::new(Kind::Symlink, "", "is a symbolic link")),
        Ok(Some(Entry::EmptyFolder)) => {}
        Ok(_) => return Err(Problem::new(Kind::Unexpected, "", "is not a package")),
        Err(error) => return Err(unreadable("", &error)),
    }
    let folder = packages.folder(name).map_err(|error| unreadable("", &error))?;
    Ok(check_folder(&folder))
}

/// The journal by itself; what it says, if it is sound.
fn verify_journal(run: &Folder, path: &Path, subject: &mut Subject) -> Option<Said> {
    for name in [JOURNAL, "journal.head"] {
        let problem = match run.entry(name) {
            Ok(Some(Entry::File { links: 1, .. })) => continue,
            Ok(Some(Entry::File { .. })) => Problem::new(Kind::HardLink, name, "has another name in the file system"),
            Ok(Some(_)) => Problem::new(Kind::SpecialFile, name, "is not a plain file"),
            // Whether a journal may be without its head is the journal's matter.
            Ok(None) if name != JOURNAL => continue,
            Ok(None) => Problem::new(Kind::Missing, name, "the run's journal is not there"),
            Err(error) => unreadable(name, &error),
        };
        subject.problems.push(problem);
        return None;
    }
    let mut said = Said::default();
    match journal::check(&path.join(JOURNAL), &mut |entry| said.take(&entry)) {
        Ok(checked) => {
            subject.notes.extend(checked.torn.map(|bytes| {
                format!("{JOURNAL} ends in {bytes} bytes of a line cut short by a crash, which never counted")
            }));
            said.last = Some(checked.head.hash);
            let sound = checked.faults.is_empty();
            subject.problems.extend(checked.faults.iter().map(broken_line));
            sound.then_some(said)
        }
        Err(error) => {
            subject.problems.push(Problem::new(Kind::Unreadable, JOURNAL, error.to_string()));
            None
        }
    }
}

/// A fault of the journal as a problem of the run.
pub(super) fn broken_line(fault: &journal::Fault) -> Problem {
    let place = if fault.line == 0 { String::new() } else { format!("line {}: ", fault.line) };
    Problem::new(Kind::JournalBroken, JOURNAL, format!("{place}{}", fault.reason))
}

fn unreadable(path: &str, error: &io::Error) -> Problem {
    Problem::new(Kind::Unreadable, path, format!("cannot be read: {error}"))
}
