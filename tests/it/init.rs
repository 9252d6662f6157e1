//! `assay init` makes a study that plans.

use assert_cmd::Command;
use std::path::Path;

fn assay(folder: &Path, arguments: &[&str]) -> (Option<i32>, String, String) {
    let output =
        Command::new(env!("CARGO_BIN_EXE_assay")).args(arguments).current_dir(folder).output().expect("assay runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

#[test]
fn a_new_study_passes_plan_in_both_timings() {
    let folder = tempfile::tempdir().expect("folder");
    let (code, said, _) = assay(folder.path(), &["init", "refund-keys"]);
    assert_eq!(code, Some(0));
    assert!(said.contains("assay rehearse protocols/refund-keys.yaml"), "{said}");
    let study = folder.path().join("refund-keys");
    for timing in ["canonical", "rehearsal"] {
        let (code, plan, said) = assay(&study, &["plan", "protocols/refund-keys.yaml", "--timing", timing]);
        assert_eq!(code, Some(0), "{said}");
        assert!(plan.starts_with("refund-keys: "), "{plan}");
    }
}

#[test]
fn nothing_that_exists_is_touched() {
    let folder = tempfile::tempdir().expect("folder");
    std::fs::create_dir(folder.path().join("mine")).expect("folder");
    std::fs::write(folder.path().join("mine/notes"), "keep").expect("file");
    let (code, _, said) = assay(folder.path(), &["init", "mine"]);
    assert_eq!(code, Some(64));
    assert!(said.contains("mine exists and is not empty"), "{said}");
    assert_eq!(std::fs::read_dir(folder.path().join("mine")).expect("folder").count(), 1);
}

#[test]
fn a_name_that_aws_would_refuse_is_refused_with_an_example() {
    let folder = tempfile::tempdir().expect("folder");
    for name in ["My Study", "1st", "a_b", "."] {
        let (code, _, said) = assay(folder.path(), &["init", name]);
        assert_eq!(code, Some(64), "{name}");
        assert!(said.contains("`my-study`"), "{said}");
    }
    assert_eq!(std::fs::read_dir(folder.path()).expect("folder").count(), 0);
}
