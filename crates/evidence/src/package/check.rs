//! The check of a package folder against its index, both ways. There is no quicker variant that skips hashing.

use super::index::{FileEntry, INDEX, Index, MAX_INDEX};
use crate::{
    digest::{BUFFER, Digest, Hasher},
    name::{collision, fold},
    problem::{Kind, Problem},
    tree::{Entry, Folder, Found},
};
use rayon::prelude::*;
use std::{
    collections::HashMap,
    io::{self, Read as _},
};

/// Result of a check.
pub(crate) struct Checked {
    /// SHA-256 of the index's bytes and the index, if it could be read.
    pub index: Option<(Digest, Index)>,
    /// Everything that is wrong.
    pub problems: Vec<Problem>,
    /// Bytes hashed.
    pub bytes: u64,
}

/// Checks the package in `folder`.
pub(crate) fn check_folder(folder: &Folder) -> Checked {
    let failed = |problems| Checked { index: None, problems, bytes: 0 };
    let (identity, index) = match identify(folder) {
        Ok(identified) => identified,
        Err(problems) => return failed(problems),
    };
    let found = match folder.walk() {
        Ok(found) => found,
        Err(error) => return failed(vec![unreadable("", &error)]),
    };
    let (mut problems, intact) = compare(&index.files, found);
    problems.par_extend(hash_all(folder, &intact));
    problems.sort_unstable();
    let bytes = intact.iter().map(|file| file.size).sum();
    Checked { index: Some((identity, index)), problems, bytes }
}

/// Reads the index and compares names, kinds and sizes with it, without hashing: the index, its digest, and what is
/// wrong so far.
pub(super) fn list(folder: &Folder) -> Result<(Digest, Index, Vec<Problem>), Vec<Problem>> {
    let (identity, index) = identify(folder)?;
    let found = folder.walk().map_err(|error| vec![unreadable("", &error)])?;
    let (problems, _) = compare(&index.files, found);
    Ok((identity, index, problems))
}

/// The index and its digest. If a path in the index is unsafe, nothing that it names is opened.
fn identify(folder: &Folder) -> Result<(Digest, Index), Vec<Problem>> {
    let bytes = read_index(folder).map_err(|problem| vec![problem])?;
    Ok((Digest::of(&bytes), Index::parse(&bytes)?))
}

fn read_index(folder: &Folder) -> Result<Vec<u8>, Problem> {
    match folder.entry(INDEX) {
        Ok(Some(Entry::File { links: 1, size })) if size <= MAX_INDEX => {}
        Ok(Some(Entry::File { size, .. })) if size > MAX_INDEX => {
            return Err(Problem::new(Kind::LimitReached, INDEX, format!("larger than {MAX_INDEX} bytes")));
        }
        Ok(Some(entry)) => return Err(oddity(INDEX, entry)),
        Ok(None) => return Err(Problem::new(Kind::IndexMissing, INDEX, "not there: this is not a sealed package")),
        Err(error) => return Err(unreadable(INDEX, &error)),
    }
    let mut bytes = Vec::new();
    let read = folder.file(INDEX).and_then(|file| file.take(MAX_INDEX + 1).read_to_end(&mut bytes));
    read.map_err(|error| unreadable(INDEX, &error))?;
    Ok(bytes)
}

fn unreadable(path: &str, error: &io::Error) -> Problem {
    Problem::new(Kind::Unreadable, path, format!("cannot be read: {error}"))
}

/// Says what is wrong with an entry that is not a plain file of one name.
fn oddity(path: &str, entry: Entry) -> Problem {
    let (kind, message) = match entry {
        Entry::File { links, .. } => {
            (Kind::HardLink, format!("has {links} names in the file system (hard links); another could change it"))
        }
        Entry::Symlink => (Kind::Symlink, "is a symbolic link".to_owned()),
        Entry::EmptyFolder => (Kind::SpecialFile, "is a folder without files".to_owned()),
        Entry::Special => (Kind::SpecialFile, "is a socket, device or pipe".to_owned()),
        Entry::Strange => (Kind::UnsafeName, "has a name that is not UTF-8, or is too deep".to_owned()),
    };
    Problem::new(kind, path, message)
}

/// Compares names, kinds and sizes; returns what is wrong and the entries that are worth hashing.
/// `listed` and `found` are sorted by path.
pub(crate) fn compare(listed: &[FileEntry], found: Vec<Found>) -> (Vec<Problem>, Vec<&FileEntry>) {
    let mut problems = Vec::new();
    let mut intact = Vec::with_capacity(listed.len());
    let mut missing = Vec::new();
    let mut unexpected = Vec::new();
    let mut listed = listed.iter().peekable();
    for found in found.into_iter().filter(|found| found.path != INDEX) {
        while let Some(file) = listed.next_if(|file| file.path < found.path) {
            missing.push(file);
        }
        let file = listed.next_if(|file| file.path == found.path);
        match (file, found.entry) {
            (_, entry) if !matches!(entry, Entry::File { links: 1, .. }) => problems.push(oddity(&found.path, entry)),
            (None, _) => unexpected.push(found.path),
            (Some(file), Entry::File { size, .. }) if size != file.size => {
                problems.push(Problem::new(
                    Kind::SizeDiffers,
                    &file.path,
                    format!("has {size} bytes, the index says {}", file.size),
                ));
            }
            (Some(file), _) => intact.push(file),
        }
    }
    missing.extend(listed);
    problems.extend(name_problems(&missing, &unexpected));
    (problems, intact)
}

/// Missing and unexpected names, and which of them are one name in two spellings.
fn name_problems(missing: &[&FileEntry], unexpected: &[String]) -> Vec<Problem> {
    let by_fold: HashMap<String, &str> = missing.iter().map(|file| (fold(&file.path), file.path.as_str())).collect();
    let mut problems = Vec::with_capacity(missing.len() + unexpected.len());
    for file in missing {
        problems.push(Problem::new(Kind::Missing, &file.path, "is listed in the index and not there"));
    }
    for path in unexpected {
        let twin = by_fold.get(&fold(path)).and_then(|other| collision(path, other).map(|how| (other, how)));
        let message = match twin {
            Some((other, how)) => format!("is not listed; it differs from the listed {other:?} {how}"),
            None if !path.is_ascii() => {
                "is not listed; its name is not ASCII and changes under Unicode normalisation".to_owned()
            }
            None => "is there and not listed in the index".to_owned(),
        };
        problems.push(Problem::new(Kind::Unexpected, path, message));
    }
    problems
}

/// Hashes in parallel, the largest files first, so that none of them is left for the end alone.
pub(super) fn hash_all<'a>(folder: &'a Folder, files: &[&'a FileEntry]) -> Vec<Problem> {
    let mut order = files.to_vec();
    order.sort_by_key(|file| std::cmp::Reverse(file.size));
    let checked = order.into_par_iter().with_max_len(64);
    checked.map_init(|| vec![0; BUFFER], |buffer, file| hash_one(folder, file, buffer)).flatten_iter().collect()
}

fn hash_one(folder: &Folder, file: &FileEntry, buffer: &mut [u8]) -> Option<Problem> {
    match hash_exactly(folder, file, buffer) {
        Ok((digest, size)) if digest == file.sha256 && size == file.size => None,
        Ok((digest, size)) if size == file.size => Some(Problem::new(
            Kind::DigestDiffers,
            &file.path,
            format!("has SHA-256 {digest}, the index says {}", file.sha256),
        )),
        Ok((_, size)) => Some(Problem::new(
            Kind::SizeDiffers,
            &file.path,
            format!("changed while it was read: {size} bytes, the index says {}", file.size),
        )),
        Err(error) => Some(unreadable(&file.path, &error)),
    }
}

/// Reads at most one byte more than listed: a file that grows is noticed and does not keep the reader busy.
fn hash_exactly(folder: &Folder, file: &FileEntry, buffer: &mut [u8]) -> io::Result<(Digest, u64)> {
    let mut source = folder.file(&file.path)?.take(file.size + 1);
    let mut hasher = Hasher::new();
    loop {
        match source.read(buffer) {
            Ok(0) => return Ok((hasher.finish(), hasher.len())),
            Ok(n) => hasher.update(&buffer[..n]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
