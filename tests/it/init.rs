//! `assay init` makes a study that plans and rehearses, also after the changes that `docs/write-a-study.md` makes to it.

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

/// The example of `docs/write-a-study.md`: a queue that gives up after one delivery. The protocol is changed as the
/// page says, rehearsed away from the checkout, and ends as its own predictions say.
#[test]
fn the_books_own_study_ends_as_it_predicts() {
    let page =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/write-a-study.md")).expect("page");
    let folder = tempfile::tempdir().expect("folder");
    assert_eq!(assay(folder.path(), &["init", "give-up"]).0, Some(0));
    let study = folder.path().join("give-up");
    let path = study.join("protocols/give-up.yaml");
    let mut protocol = std::fs::read_to_string(&path).expect("protocol");
    let blocks: Vec<&str> =
        page.split("```yaml ").skip(1).map(|block| block.split("```").next().unwrap_or_default()).collect();
    for pair in blocks.chunks(2) {
        let [from, to] = pair else { panic!("a change is two blocks: from and to") };
        let (from, to) = (from.strip_prefix("from\n").expect("from"), to.strip_prefix("to\n").expect("to"));
        assert!(protocol.contains(from), "the protocol has no\n{from}");
        protocol = protocol.replacen(from, to, 1);
    }
    assert!(blocks.len() >= 4, "{blocks:?}");
    std::fs::write(&path, protocol).expect("write");
    let programs = crate::support::Programs::of(Path::new(env!("CARGO_BIN_EXE_assay")));
    let output = Command::new(&programs.assay)
        .args(["rehearse", "protocols/give-up.yaml", "--variant", "conventional"])
        .current_dir(&study)
        .env_remove("CARGO_MANIFEST_DIR")
        .output()
        .expect("assay runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("COMMIT_THEN_TIMEOUT  pass     1 × 100.00    FAILED      false"), "{said}");
    assert!(said.contains("not eligible"), "one variant alone is no comparison: {said}");
    assert_eq!(std::fs::read_dir(study.join("runs")).expect("runs").count(), 1, "the study keeps its own runs");
}
