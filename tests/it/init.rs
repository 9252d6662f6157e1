//! `assay init` makes a study that plans and rehearses, also after the changes that `docs/write-a-study.md` makes to it.

use assert_cmd::Command;
use std::path::{Path, PathBuf};

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

/// A study of `docs/write-a-study.md`, made and changed as the page says, away from the checkout.
fn books_own(folder: &Path, name: &str) -> PathBuf {
    let page =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/write-a-study.md")).expect("page");
    assert_eq!(assay(folder, &["init", name]).0, Some(0));
    let study = folder.join(name);
    let path = study.join(format!("protocols/{name}.yaml"));
    let mut protocol = std::fs::read_to_string(&path).expect("protocol");
    let opening = format!("```yaml {name} ");
    let blocks: Vec<&str> =
        page.split(opening.as_str()).skip(1).map(|block| block.split("```").next().unwrap_or_default()).collect();
    for pair in blocks.chunks(2) {
        let [from, to] = pair else { panic!("a change is two blocks: from and to") };
        let (from, to) = (from.strip_prefix("from\n").expect("from"), to.strip_prefix("to\n").expect("to"));
        assert!(protocol.contains(from), "the protocol has no\n{from}");
        protocol = protocol.replacen(from, to, 1);
    }
    assert!(blocks.len() >= 4, "{blocks:?}");
    std::fs::write(&path, protocol).expect("write");
    study
}

/// Rehearses with the programs that lie beside the one under test, and returns what was said.
fn rehearses(study: &Path, arguments: &[&str]) -> String {
    let programs = crate::support::Programs::of(Path::new(env!("CARGO_BIN_EXE_assay")));
    let output = Command::new(&programs.assay)
        .arg("rehearse")
        .args(arguments)
        .current_dir(study)
        .env_remove("CARGO_MANIFEST_DIR")
        .output()
        .expect("assay runs");
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(!said.contains('\u{1b}'), "escape codes without a terminal: {said}");
    assert_eq!(std::fs::read_dir(study.join("runs")).expect("runs").count(), 1, "the study keeps its own runs");
    said
}

/// The first example: an idempotent provider keeps the rule in both variants.
#[test]
fn the_books_provider_with_a_key_passes_in_both_variants() {
    let folder = tempfile::tempdir().expect("folder");
    let study = books_own(folder.path(), "refund-keys");
    let (code, plan, said) = assay(&study, &["plan", "protocols/refund-keys.yaml", "--timing", "rehearsal"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(plan.contains("  provider  idempotent\n") && plan.contains("ProviderPromise = idempotent"), "{plan}");
    let said = rehearses(&study, &["protocols/refund-keys.yaml"]);
    for cell in ["conventional", "durable"] {
        let row = said.lines().find(|line| line.contains(cell) && line.contains("COMMIT_THEN_TIMEOUT  pass"));
        assert!(row.is_some_and(|row| row.contains("1 × 100.00    SUCCEEDED   true")), "{said}");
    }
    assert!(said.contains("comparison  eligible"), "{said}");
    audited_clean(&study);
}

fn audited_clean(study: &Path) {
    let run = std::fs::read_dir(study.join("runs")).expect("runs").next().expect("a run").expect("entry").path();
    let read = |file: &str| std::fs::read_to_string(run.join("packages").join(file)).expect(file);
    let audit: serde_json::Value = serde_json::from_str(&read("closing/audit.json")).expect("JSON");
    // The caller journal's stream stays for a day, which is no leak.
    assert_eq!(audit["overall"], "clean-with-residue", "{audit}");
    assert_eq!(audit["complete"], true, "{audit}");
    let trial = read("canonical/trials/canonical-3.json");
    assert_eq!(trial.matches("\"answered_from_commit\"").count(), 1, "{trial}");
    assert_eq!(trial.matches("\"provider_promise\":\"idempotent\"").count(), 2, "planned and deployed: {trial}");
}

/// The second example: a queue that gives up after one delivery.
#[test]
fn the_books_own_question_ends_as_it_predicts() {
    let folder = tempfile::tempdir().expect("folder");
    let study = books_own(folder.path(), "give-up");
    let said = rehearses(&study, &["protocols/give-up.yaml", "--variant", "conventional"]);
    assert!(said.contains("COMMIT_THEN_TIMEOUT  pass     1 × 100.00    FAILED      false"), "{said}");
    assert!(said.contains("not eligible"), "one variant alone is no comparison: {said}");
}
