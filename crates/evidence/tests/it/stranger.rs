//! `stranger.py`, a verifier written from FORMAT.md alone, must say what this crate says: of the same run, of its
//! published copy, and of every edit.

use crate::{
    records::{edit_json, made},
    support::{overwrite, report},
};
use evidence::{
    publish::{list_files, publish},
    redact::Sensitive,
};
use serde_json::json;
use std::{fs, path::Path, process::Command};

/// Exit code and words of the other verifier; `None` where there is no Python.
fn stranger(subject: &Path) -> Option<(i32, String)> {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/stranger.py");
    let output = Command::new("python3").arg(script).arg(subject).output().ok()?;
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    Some((output.status.code()?, said))
}

/// Both verifiers on one subject.
fn agree(subject: &Path, valid: bool, what: &str) {
    let ours = report(subject);
    assert_eq!(ours.valid, valid, "{what}: {ours}");
    let Some((code, said)) = stranger(subject) else { return eprintln!("python3 is not there; half of it tested") };
    assert_eq!(code, if valid { 0 } else { 30 }, "{what}: {said}");
    if let Some(root) = ours.subjects[0].root.filter(|_| valid) {
        assert_eq!(said, format!("root {root}\n"), "{what}");
    }
}

#[test]
fn a_verifier_from_the_description_alone_says_the_same() {
    let run = made();
    agree(&run.path, true, "as made");
    let out = run.path.with_file_name("out.tar.gz");
    publish(&run.path, &list_files(&run.path).unwrap(), &Sensitive::default(), &out).unwrap();
    agree(&out, true, "published");
    type Edit = fn(&Path);
    let edits: [(&str, Edit); 12] = [
        ("byte", |run| flip(&run.join("packages/canonical/trials/t-1.json"))),
        ("journal", |run| flip(&run.join("journal.jsonl"))),
        ("head", |run| fs::remove_file(run.join("journal.head")).unwrap()),
        ("extra", |run| fs::write(run.join("packages/canonical/extra"), b"").unwrap()),
        ("missing", |run| fs::remove_file(run.join("packages/canonical/stage.json")).unwrap()),
        ("index", |run| flip(&run.join("packages/preflight/index.json"))),
        ("cut", |run| fs::remove_dir_all(run.join("packages/closing")).unwrap()),
        ("cell", |run| edit_json(&run.join("results.json"), |results| results["cells"] = json!([]))),
        ("grade", |run| edit_json(&run.join("results.json"), |results| results["grade"] = json!("canonical"))),
        ("verdict", |run| edit_json(&run.join("verdicts/canonical.json"), |one| one["verdict"] = json!("pass"))),
        ("registration", |run| fs::remove_dir_all(run.join("registration")).unwrap()),
        ("plan", |run| fs::write(run.join("plan.json"), b"{}\n").unwrap()),
    ];
    for (what, edit) in edits {
        let run = made();
        edit(&run.path);
        agree(&run.path, false, what);
    }
}

/// Changes one letter or digit in the middle.
fn flip(path: &Path) {
    let mut bytes = fs::read(path).unwrap();
    let at = (bytes.len() / 2..bytes.len()).find(|at| bytes[*at].is_ascii_alphanumeric()).unwrap();
    bytes[at] = if bytes[at] == b'1' { b'2' } else { b'1' };
    overwrite(path, &bytes);
}
