//! Small runs to work on.

use evidence::{
    digest::Digest,
    journal,
    package::{Draft, Sealed},
    problem::Kind,
    verify::{Options, Report, verify},
};
use serde_json::json;
use std::{fs, path::Path};

/// Stages of the small run, in order of sealing.
pub(crate) const STAGES: [&str; 3] = ["preflight", "canonical", "closing"];
/// Account that the small run's evidence mentions.
pub(crate) const ACCOUNT: &str = "123456789012";

/// Seals one package with a few files.
pub(crate) fn seal(parent: &Path, name: &str, predecessors: &[Digest]) -> Sealed {
    let mut draft = Draft::create(parent, name, "run-1", predecessors).unwrap();
    let queue = format!("arn:aws:sqs:us-east-1:{ACCOUNT}:{name}.fifo");
    draft.write_json("stage.json", &json!({"stage": name, "account": ACCOUNT, "queue": queue})).unwrap();
    draft.write_json("trials/t-1.json", &json!({"trial": "t-1", "amount_minor": 10_000})).unwrap();
    draft.write("templates/provider.yaml", b"Resources: {}\n").unwrap();
    draft.write("empty", b"").unwrap();
    draft.seal().unwrap()
}

/// A run folder with three packages and a journal of four lines.
pub(crate) fn run(folder: &Path) -> Vec<Digest> {
    let mut writer = journal::Writer::<String>::create(&folder.join("journal.jsonl")).unwrap();
    let mut sealed = Vec::new();
    for (at, stage) in (0..).zip(STAGES) {
        writer.append(1_700_000_000_000 + at, &format!("seal {stage}")).unwrap();
        let package = seal(&folder.join("packages"), stage, &sealed);
        sealed.push(*package.identity());
    }
    writer.append(1_700_000_000_009, &format!("end, by alice in {ACCOUNT}")).unwrap();
    sealed
}

/// Verifies without expectations.
pub(crate) fn report(path: &Path) -> Report {
    verify(&[path], &Options::default())
}

/// Kind and path of every problem, as reported.
pub(crate) fn problems(path: &Path) -> Vec<(Kind, String)> {
    let report = report(path);
    assert_eq!(report.valid, report.problems().next().is_none(), "{report}");
    report.problems().map(|problem| (problem.kind, problem.path.clone())).collect()
}

/// Replaces a sealed file, which is read-only, by other bytes.
pub(crate) fn overwrite(path: &Path, bytes: &[u8]) {
    fs::remove_file(path).unwrap();
    fs::write(path, bytes).unwrap();
}

/// Seals the package anew after its files were changed, as a forger would.
pub(crate) fn reseal(package: &Path) {
    let index = fs::read(package.join("index.json")).unwrap();
    let mut index: evidence::package::Index = serde_json::from_slice(&index).unwrap();
    for file in &mut index.files {
        let bytes = fs::read(package.join(&file.path)).unwrap();
        file.sha256 = Digest::of(&bytes);
        file.size = bytes.len() as u64;
    }
    overwrite(&package.join("index.json"), &index.to_bytes());
}
