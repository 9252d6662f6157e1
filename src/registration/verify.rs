//! The third party's time on a run's registration, checked again when the run or its archive is verified.

use super::model::REGISTRATION;
use super::timestamp::{CA, REPLY, verified_under};
use crate::exit::Failure;
use crate::judge::Registered;
use evidence::archive::{self, Limits};
use evidence::digest::Digest;
use evidence::problem::{Kind, Problem};
use evidence::verify::{Options, Report, Subject, SubjectKind, verify};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// Files of a registration that the check of its timestamp needs, relative to the run.
const NEEDED: [&str; 4] = [
    "registration/adopted.json",
    "registration/registration/index.json",
    "registration/timestamp.tsr",
    "registration/tsa-ca.pem",
];
/// Largest of them that is read from an archive, bytes.
const MAX_NEEDED: u64 = 1 << 20;

/// Verifies everything at `paths`, timestamps of registrations included. `ca`: certificates of the timestamp
/// authority from elsewhere; without them those that came with the run have to do, and the report says so.
#[must_use]
pub fn verify_with_timestamps(paths: &[PathBuf], options: &Options, ca: Option<&Path>) -> Report {
    let mut report = verify(paths, options);
    for (path, subject) in paths.iter().zip(&mut report.subjects) {
        match timestamp(path, subject, ca) {
            Ok(note) => subject.notes.extend(note),
            Err(failure) => {
                let problem =
                    Problem::new(Kind::TimestampInvalid, format!("{REGISTRATION}/{REPLY}"), failure.to_string());
                subject.problems.push(problem);
                report.valid = false;
            }
        }
    }
    report
}

/// A sentence about the timestamp, if there is one.
fn timestamp(path: &Path, subject: &Subject, ca: Option<&Path>) -> Result<Option<String>, Failure> {
    match subject.kind {
        SubjectKind::Run | SubjectKind::Unpacked => of_registration(&path.join(REGISTRATION), ca),
        SubjectKind::Archive => {
            let folder =
                tempfile::tempdir().map_err(|e| Failure::io("create a folder in", &std::env::temp_dir(), &e))?;
            extract(path, folder.path())?;
            of_registration(&folder.path().join(REGISTRATION), ca)
        }
        SubjectKind::Package | SubjectKind::Unknown => Ok(None),
    }
}

fn extract(archive: &Path, to: &Path) -> Result<(), Failure> {
    let file = std::fs::File::open(archive).map_err(|e| Failure::io("open", archive, &e))?;
    let mut write = |path: &str, size: u64, content: &mut dyn Read| -> io::Result<()> {
        if NEEDED.contains(&path) && size <= MAX_NEEDED {
            let target = to.join(path);
            std::fs::create_dir_all(target.parent().unwrap_or(to))?;
            io::copy(content, &mut std::fs::File::create(target)?)?;
        }
        Ok(())
    };
    // What is wrong with the archive has been told already; this only looks for files.
    drop(archive::read(file, &Limits::default(), &mut write));
    Ok(())
}

fn of_registration(folder: &Path, ca: Option<&Path>) -> Result<Option<String>, Failure> {
    let adopted = folder.join("adopted.json");
    let registered: Option<Registered> = match std::fs::read(&adopted) {
        Ok(bytes) => Some(
            serde_json::from_slice(&bytes).map_err(|e| Failure::Unverified(format!("{}: {e}", adopted.display())))?,
        ),
        Err(e) if e.kind() == io::ErrorKind::NotFound => None,
        Err(e) => return Err(Failure::io("read", &adopted, &e)),
    };
    let claimed = registered.and_then(|registered| registered.third_party_ms);
    let index = folder.join(REGISTRATION).join(evidence::package::INDEX);
    let found = match std::fs::read(&index) {
        Ok(bytes) => verified_under(&Digest::of(&bytes), folder, ca.unwrap_or(&folder.join(CA)))?,
        Err(e) if e.kind() == io::ErrorKind::NotFound => None,
        Err(e) => return Err(Failure::io("read", &index, &e)),
    };
    if found != claimed {
        let words = |time: Option<i64>| time.map_or_else(|| "none".to_owned(), |ms| format!("{ms} ms"));
        return Err(Failure::Unverified(format!(
            "the run tells the time {}, the token {}",
            words(claimed),
            words(found)
        )));
    }
    let Some(time) = found.and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok()) else { return Ok(None) };
    let trust = match ca {
        Some(ca) => format!("under the certificates in {}", ca.display()),
        None => format!(
            "under {REGISTRATION}/{CA}, which came with the run: compare it with the authority's own, or name that: --tsa-ca FILE"
        ),
    };
    Ok(Some(format!("{REGISTRATION}/{REPLY}: a third party saw the registration at {time}, {trust}")))
}
