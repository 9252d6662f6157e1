//! A run folder: every package, the chain between them, and the journal.

use super::{
    Subject, SubjectKind,
    claims::{self, Claims},
    settle_chain,
};
use crate::{
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

pub(super) fn verify_folder(run: &Folder, path: &Path) -> Subject {
    let mut subject = Subject::new(SubjectKind::Run);
    match run.folder(PACKAGES).and_then(|packages| packages.names().map(|names| (packages, names))) {
        Ok((packages, names)) => verify_packages(&packages, names, &mut subject),
        Err(error) => subject.problems.push(unreadable(PACKAGES, &error)),
    }
    verify_journal(run, path, &mut subject);
    verify_claims(run, &mut subject);
    subject
}

/// Verdict files and results against the sealed packages.
fn verify_claims(run: &Folder, subject: &mut Subject) {
    let mut claims = Claims::default();
    let verdicts = match run.entry(claims::VERDICTS) {
        Ok(Some(_)) => run.folder(claims::VERDICTS).and_then(|folder| folder.names()),
        Ok(None) => Ok(Vec::new()),
        Err(error) => Err(error),
    };
    let verdicts = verdicts.unwrap_or_else(|error| {
        subject.problems.push(unreadable(claims::VERDICTS, &error));
        Vec::new()
    });
    let mut documents: Vec<_> = verdicts.iter().map(|name| format!("{}/{name}", claims::VERDICTS)).collect();
    if matches!(run.entry(claims::RESULTS), Ok(Some(_))) {
        documents.push(claims::RESULTS.to_owned());
    }
    for path in documents.iter().filter(|path| claims::is_document(path)) {
        match super::document(run, path) {
            Some(bytes) => claims.document(path, &bytes),
            None => subject.problems.push(Problem::new(Kind::Unreadable, path, "cannot be read, or is too large")),
        }
    }
    claims.settle(&super::identities(subject));
    let check = |artifact: &&str| {
        let bytes = super::document(run, artifact);
        claims.check(artifact, bytes.as_deref(), bytes.as_deref().map(Digest::of))
    };
    subject.problems.par_extend(claims.artifacts().par_iter().with_max_len(16).flat_map_iter(check));
    subject.problems.extend(claims.into_problems());
}

fn verify_packages(packages: &Folder, names: Vec<String>, subject: &mut Subject) {
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
    settle_chain(subject, links);
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

fn verify_journal(run: &Folder, path: &Path, subject: &mut Subject) {
    match run.entry(JOURNAL) {
        Ok(Some(Entry::File { .. })) => {}
        Ok(Some(_)) => return subject.problems.push(Problem::new(Kind::SpecialFile, JOURNAL, "is not a plain file")),
        Ok(None) => {
            return subject.problems.push(Problem::new(Kind::Missing, JOURNAL, "the run's journal is not there"));
        }
        Err(error) => return subject.problems.push(unreadable(JOURNAL, &error)),
    }
    match journal::check(&path.join(JOURNAL)) {
        Ok((faults, torn)) => {
            subject.problems.extend(faults.into_iter().map(|fault| {
                let place = if fault.line == 0 { String::new() } else { format!("line {}: ", fault.line) };
                Problem::new(Kind::JournalBroken, JOURNAL, format!("{place}{}", fault.reason))
            }));
            subject.notes.extend(torn.map(|bytes| {
                format!("{JOURNAL} ends in {bytes} bytes of a line cut short by a crash, which never counted")
            }));
        }
        Err(error) => subject.problems.push(Problem::new(Kind::Unreadable, JOURNAL, error.to_string())),
    }
}

fn unreadable(path: &str, error: &io::Error) -> Problem {
    Problem::new(Kind::Unreadable, path, format!("cannot be read: {error}"))
}
