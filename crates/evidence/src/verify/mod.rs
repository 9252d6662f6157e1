//! Verification of a run folder, a package folder or a published archive. All problems are collected, nothing is
//! called valid without having been hashed, and nothing is written.

mod archive;
mod causes;
mod claims;
mod consistency;
mod package;
mod pointer;
mod records;
mod report;
mod run;
mod said;

pub use report::{PackageSummary, Report, SCHEMA, Subject, SubjectKind};

use crate::{
    archive::Limits,
    chain::Link,
    digest::Digest,
    package::INDEX,
    problem::{Kind, Problem},
    publish::MANIFEST,
    tree::{Entry, Folder},
};
use std::{
    io::{self, Read as _},
    path::Path,
};

/// How to verify. There is deliberately no option to verify less.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// The chain's root as known from elsewhere; every subject must have it.
    pub expect_root: Option<Digest>,
    /// What an archive may demand.
    pub limits: Limits,
}

/// Verifies everything at `paths`.
pub fn verify<P: AsRef<Path>>(paths: &[P], options: &Options) -> Report {
    let subjects: Vec<Subject> = paths.iter().map(|path| verify_one(path.as_ref(), options)).collect();
    Report::new(subjects)
}

fn verify_one(path: &Path, options: &Options) -> Subject {
    let mut subject = look(path, options);
    subject.path = path.display().to_string();
    if let Some(expected) = options.expect_root {
        let message = match subject.root {
            Some(root) if root == expected => None,
            Some(root) => Some(format!("the chain's root is {root}, expected {expected}")),
            None => Some(format!("the chain has no root to compare with the expected {expected}")),
        };
        subject.problems.extend(message.map(|message| Problem::new(Kind::RootDiffers, "", message)));
    }
    subject
}

fn look(path: &Path, options: &Options) -> Subject {
    match path.metadata() {
        Ok(metadata) if metadata.is_dir() => {}
        Ok(metadata) if metadata.is_file() => return archive::verify_file(path, &options.limits),
        // Opening a pipe would wait for a writer, and a device may never end.
        Ok(_) => return failed(&io::Error::other("neither a folder nor a file")),
        Err(error) => return failed(&error),
    }
    match Folder::open(path).and_then(|folder| Ok((kind_of(&folder)?, folder))) {
        Ok((Some(SubjectKind::Run), folder)) => run::verify_folder(&folder, path),
        Ok((Some(SubjectKind::Package), folder)) => package::verify_folder(&folder),
        Ok((Some(_), folder)) => archive::verify_unpacked(&folder, &options.limits),
        Ok((None, _)) => Subject::new(SubjectKind::Unknown).with(Problem::new(
            Kind::NothingToVerify,
            "",
            "neither a run (packages/), a package (index.json) nor an unpacked archive (redaction-manifest.json)",
        )),
        Err(error) => failed(&error),
    }
}

fn kind_of(folder: &Folder) -> io::Result<Option<SubjectKind>> {
    let there = |name| folder.entry(name).map(|entry: Option<Entry>| entry.is_some());
    Ok(if there(INDEX)? {
        Some(SubjectKind::Package)
    } else if there(MANIFEST)? {
        Some(SubjectKind::Unpacked)
    } else if there(run::PACKAGES)? {
        Some(SubjectKind::Run)
    } else {
        None
    })
}

fn failed(error: &io::Error) -> Subject {
    let problem = Problem::new(Kind::Unreadable, "", format!("cannot be read: {error}"));
    Subject::new(SubjectKind::Unknown).with(problem)
}

/// Chain problems, packages and root of a run whose packages stand in `packages/`; gives them in order of sealing.
fn settle_chain(subject: &mut Subject, mut links: Vec<Link>) -> Vec<Link> {
    match crate::chain::check(&mut links) {
        Ok(sealed) if !sealed.is_empty() => subject.root = Some(crate::chain::root(&sealed)),
        Ok(_) => {}
        Err(problems) => subject.problems.extend(problems.into_iter().map(|problem| problem.below(run::PACKAGES))),
    }
    subject.packages = links.iter().map(|link| PackageSummary::new(link.identity, &link.index)).collect();
    links
}

/// Folder and identity of every package, as far as they could be read.
fn identities(subject: &Subject) -> Vec<(String, Digest)> {
    subject.packages.iter().map(|package| (package.name.clone(), package.identity)).collect()
}

/// A file of a folder, if it is there, safe to open and not too large.
fn document(folder: &Folder, path: &str) -> Option<Vec<u8>> {
    crate::name::check_path(path).ok()?;
    let file = folder.file(path).ok()?;
    let mut bytes = Vec::new();
    file.take(claims::MAX_DOCUMENT + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= claims::MAX_DOCUMENT).then_some(bytes)
}
