//! `assay publish`, `assay verify` and `assay rejudge` on the bytes of a run.

use crate::sample::{Sample, assay, oracle, run};
use assay::run::RunFolder;
use assay::stages::amend_folder;
use evidence::package::Draft;
use std::process::Command;

#[test]
fn the_archive_has_the_same_bytes_wherever_it_is_made_and_shell_tools_can_check_it() {
    let sample = Sample::new();
    let (first, second) = (sample.path("a.tar.gz"), sample.path("b.tar.gz"));
    let publish = |out: &std::path::Path, home: &str| {
        let mut command = assay();
        command.env("HOME", home).env("USER", "somebody").arg("publish").arg(sample.run()).arg("--out").arg(out);
        run(&mut command, 0)
    };
    let said = publish(&first, "/home/one");
    publish(&second, "/home/two");
    assert!(said.contains("check it with nothing but tar, jq and shasum"), "{said}");
    assert_eq!(std::fs::read(&first).expect("first"), std::fs::read(&second).expect("second"));

    let script = "tar -xzf \"$1\" && jq -r '.files[] | \"\\(.redacted_sha256)  \\(.path)\"' redaction-manifest.json | shasum -a 256 -c --quiet -";
    let folder = sample.path("unpacked");
    std::fs::create_dir(&folder).expect("folder");
    let status = Command::new("sh").args(["-c", script, "sh"]).arg(&first).current_dir(&folder).status().expect("sh");
    assert!(status.success());
    assert!(folder.join("results.json").is_file() && folder.join("journal.jsonl").is_file());
    for absent in ["inputs", "working", "lock"] {
        assert!(!folder.join(absent).exists(), "{absent}");
    }
    let results = std::fs::read_to_string(folder.join("packages/canonical/trials/canonical-1.json")).expect("trial");
    assert!(!results.contains(crate::sample::ACCOUNT), "{results}");
    run(assay().arg("verify").arg(&first).arg(&folder), 0);
}

#[test]
fn the_oracle_judges_the_redacted_copy_like_the_original() {
    let Some(oracle) = oracle() else { return eprintln!("no oracle binary was built; nothing tested") };
    let sample = Sample::judged(&oracle);
    let archive = sample.path("a.tar.gz");
    run(assay().arg("publish").arg(sample.run()).arg("--out").arg(&archive), 0);
    let said =
        run(assay().env("ASSAY_ORACLE", &oracle).env("ASSAY_BOOTSTRAP", &oracle).arg("rejudge").arg(&archive), 0);
    assert!(said.contains("1 packages of the copy judged, 0 differ"), "{said}");
    let said =
        run(assay().env("ASSAY_ORACLE", &oracle).env("ASSAY_BOOTSTRAP", &oracle).arg("rejudge").arg(sample.run()), 0);
    assert!(said.starts_with("canonical: "), "{said}");
}

#[test]
fn a_credential_in_a_file_stops_the_publication() {
    let sample = Sample::new();
    std::fs::write(sample.run().join("close-out.md"), "key AKIAIOSFODNN7ABCDEFG\n").expect("write");
    let out = sample.path("a.tar.gz");
    let said = run(assay().arg("publish").arg(sample.run()).arg("--out").arg(&out), 64);
    assert!(said.contains("AccessKeyId in close-out.md line 1"), "{said}");
    assert!(!out.exists());
}

#[test]
fn a_run_that_goes_on_is_not_published() {
    let sample = Sample::going_on();
    let said = run(assay().arg("publish").arg(sample.run()).arg("--out").arg(sample.path("a.tar.gz")), 64);
    assert!(said.contains("has not ended"), "{said}");
}

/// A crash between the seal and its journal line leaves an amendment that counts: the next one takes the next name, and
/// what was sealed is in the chain.
#[test]
fn an_amendment_that_a_crash_left_is_taken_in_before_the_next() {
    let sample = Sample::new();
    let folder = RunFolder::open(&sample.run(), &sample.run().display().to_string()).expect("a run");
    let value = serde_json::json!({ "standing": "billed", "total_usd": "1.000000" });
    assert_eq!(amend_folder(&folder, "cost.json", &value).expect("sealed"), "amendment-1");
    let before = folder.state().expect("a state").identities();
    let mut left = Draft::create(&folder.packages(), "amendment-2", folder.id(), &before).expect("draft");
    let stage = std::fs::read_to_string(folder.packages().join("amendment-1/stage.json")).expect("stage");
    left.write("stage.json", stage.replace("amendment-1", "amendment-2").as_bytes()).expect("written");
    let left = *left.seal().expect("sealed").identity();
    assert_eq!(amend_folder(&folder, "cost.json", &value).expect("sealed"), "amendment-3");
    let sealed = folder.state().expect("a state").packages;
    let last: Vec<_> = sealed.iter().rev().take(3).map(|(name, _)| name.as_str()).collect();
    assert_eq!(last, ["amendment-3", "amendment-2", "amendment-1"]);
    assert!(sealed.contains(&("amendment-2".to_owned(), left)));
    let report = evidence::verify::verify(&[&folder.path()], &evidence::verify::Options::default());
    assert!(report.valid, "{report:?}");
}
