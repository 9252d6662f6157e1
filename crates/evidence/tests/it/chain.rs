//! Run folders: the chain between packages, its root, and what a re-sealing forger cannot hide.

use crate::support::{STAGES, overwrite, problems, report, reseal, run};
use evidence::{
    chain,
    digest::Digest,
    problem::Kind,
    verify::{Options, Report, SubjectKind, verify},
};
use std::{fs, os::unix::fs::symlink, path::Path};
use tempfile::tempdir;

fn kinds(path: &Path) -> Vec<Kind> {
    problems(path).into_iter().map(|(kind, _)| kind).collect()
}

#[test]
fn a_sound_run_is_valid_and_its_root_is_that_of_its_last_package() {
    let folder = tempdir().unwrap();
    let sealed = run(folder.path());
    let whole = report(folder.path());
    assert!(whole.valid, "{whole}");
    let subject = &whole.subjects[0];
    assert_eq!(subject.kind, SubjectKind::Run);
    assert_eq!(subject.packages.iter().map(|package| package.name.as_str()).collect::<Vec<_>>(), STAGES);
    assert_eq!(subject.root, Some(chain::root(&sealed)));
    let last = report(&folder.path().join("packages/closing"));
    assert_eq!(last.subjects[0].root, subject.root);
    let json = serde_json::to_string(&whole).unwrap();
    assert_eq!(serde_json::from_str::<Report>(&json).unwrap(), whole);
}

#[test]
fn resealed_tampering_breaks_the_chain_or_at_the_end_of_it_the_expected_root() {
    let folder = tempdir().unwrap();
    let sealed = run(folder.path());
    let expecting = Options { expect_root: Some(chain::root(&sealed)), ..Options::default() };
    assert!(verify(&[folder.path()], &expecting).valid);
    let last = folder.path().join("packages/closing");
    overwrite(&last.join("stage.json"), b"forged");
    assert_eq!(kinds(&last), [Kind::SizeDiffers]);
    reseal(&last);
    assert!(report(folder.path()).valid, "nothing inside the run can tell that its end was sealed anew");
    let found: Vec<Kind> = verify(&[folder.path()], &expecting).problems().map(|problem| problem.kind).collect();
    assert_eq!(found, [Kind::RootDiffers]);
    let first = folder.path().join("packages/preflight");
    overwrite(&first.join("stage.json"), b"forged");
    reseal(&first);
    assert_eq!(kinds(folder.path()), [Kind::ChainBroken, Kind::ChainBroken]);
}

#[test]
fn a_dropped_last_package_needs_the_root_and_any_other_does_not() {
    let folder = tempdir().unwrap();
    let sealed = run(folder.path());
    fs::remove_dir_all(folder.path().join("packages/closing")).unwrap();
    assert!(report(folder.path()).valid);
    let expecting = Options { expect_root: Some(chain::root(&sealed)), ..Options::default() };
    assert!(!verify(&[folder.path()], &expecting).valid);
    fs::remove_dir_all(folder.path().join("packages/preflight")).unwrap();
    assert_eq!(kinds(folder.path()), [Kind::ChainBroken]);
}

#[test]
fn renamed_foreign_and_linked_packages_are_reported() {
    let folder = tempdir().unwrap();
    run(folder.path());
    let packages = folder.path().join("packages");
    fs::rename(packages.join("canonical"), packages.join("probe")).unwrap();
    fs::write(packages.join("note.txt"), b"x").unwrap();
    symlink("closing", packages.join("alias")).unwrap();
    let found = problems(folder.path());
    assert!(found.contains(&(Kind::Misplaced, "packages/probe".to_owned())), "{found:?}");
    assert!(found.contains(&(Kind::Unexpected, "packages/note.txt".to_owned())), "{found:?}");
    assert!(found.contains(&(Kind::Symlink, "packages/alias".to_owned())), "{found:?}");
}

#[test]
fn a_leftover_draft_is_noted_and_no_problem() {
    let folder = tempdir().unwrap();
    run(folder.path());
    fs::create_dir(folder.path().join("packages/.draft-late")).unwrap();
    let report = report(folder.path());
    assert!(report.valid);
    assert!(report.subjects[0].notes[0].contains(".draft-late"));
}

#[test]
fn a_run_without_packages_is_nothing_to_verify() {
    let folder = tempdir().unwrap();
    run(folder.path());
    fs::remove_dir_all(folder.path().join("packages")).unwrap();
    fs::create_dir(folder.path().join("packages")).unwrap();
    assert_eq!(kinds(folder.path()), [Kind::NothingToVerify]);
}

#[test]
fn problems_of_all_packages_and_the_journal_come_together() {
    let folder = tempdir().unwrap();
    run(folder.path());
    for stage in STAGES {
        overwrite(&folder.path().join(format!("packages/{stage}/empty")), b"x");
    }
    let journal = folder.path().join("journal.jsonl");
    let text = fs::read_to_string(&journal).unwrap();
    fs::write(&journal, text.replacen("seal preflight", "seal Preflight", 1)).unwrap();
    let found = kinds(folder.path());
    assert_eq!(found.iter().filter(|kind| **kind == Kind::SizeDiffers).count(), 3);
    assert_eq!(found.iter().filter(|kind| **kind == Kind::JournalBroken).count(), 1);
    fs::remove_file(&journal).unwrap();
    assert!(kinds(folder.path()).contains(&Kind::Missing));
}

#[test]
fn no_root_to_compare_is_a_difference() {
    let folder = tempdir().unwrap();
    let expecting = Options { expect_root: Some(Digest::ZERO), ..Options::default() };
    let kinds: Vec<Kind> = verify(&[folder.path()], &expecting).problems().map(|problem| problem.kind).collect();
    assert_eq!(kinds, [Kind::NothingToVerify, Kind::RootDiffers]);
}
