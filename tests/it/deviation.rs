//! A run that is not what was registered: stopped before its first deploy, or told everywhere with its reason.

use crate::sample::{assay, run};
use std::path::{Path, PathBuf};
use std::process::Command;

const PROTOCOL: &str = "tests/fixtures/fast.yaml";
const REASON: &str = "late patch <of> the \"deadline\" & more";
const STRANGER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/crates/evidence/tests/stranger.py");

/// `assay` with the programs that the tests' build made, if it made them; otherwise it builds them itself.
fn command() -> Command {
    let mut command = assay();
    let beside = Path::new(env!("CARGO_BIN_EXE_assay")).with_file_name("bootstrap");
    if beside.is_file() && beside.with_file_name("oracle").is_file() {
        command.env("ASSAY_BOOTSTRAP", &beside).env("ASSAY_ORACLE", beside.with_file_name("oracle"));
    }
    command
}

/// The protocol under test, as registered and with another question: different bytes, a different plan, same timing.
fn protocols(folder: &Path) -> [PathBuf; 2] {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(root.join(PROTOCOL)).expect("protocol");
    let text = text.replace("../../templates", &root.join("templates").display().to_string());
    let changed = text.replacen("stop_rule: ", "stop_rule: Otherwise. ", 1);
    assert_ne!(text, changed, "the protocol has a stop rule in one line");
    [("registered.yaml", text), ("changed.yaml", changed)].map(|(name, text)| {
        let path = folder.join(name);
        std::fs::write(&path, text).expect("write");
        path
    })
}

#[test]
fn a_changed_protocol_stops_before_the_first_deploy_or_is_a_deviation_told_in_every_report() {
    let folder = tempfile::tempdir().expect("folder");
    let [registered, changed] = protocols(folder.path());
    let (registration, runs) = (folder.path().join("registration"), folder.path().join("runs"));
    let register = ["preregister", "--timing", "rehearsal", "--local", "--out"];
    run(command().args(register).arg(&registration).arg(&registered), 0);

    let rehearse = |extra: &[&str], code| {
        let mut command = command();
        command.arg("rehearse").arg(&changed).arg("--registration").arg(&registration).arg("--runs").arg(&runs);
        run(command.args(extra), code)
    };
    let said = rehearse(&[], 64);
    assert!(said.contains("this is not what was registered") && said.contains("nothing was deployed"), "{said}");
    for part in ["plan_digest", "protocol_sha256", "stop_rule"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert!(!runs.exists(), "no run, no journal, no call");

    let said = rehearse(&["--deviation", REASON], 0);
    assert!(said.contains("late patch") && said.contains("stop_rule differs"), "told where the run ends: {said}");
    let path = std::fs::read_dir(&runs).expect("runs").next().expect("one run").expect("entry").path();
    let read = |name: &str| std::fs::read_to_string(path.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert!(read("journal.jsonl").contains(r#""type":"deviation""#), "journaled");
    assert!(read("packages/preflight/registration.json").contains("stop_rule differs"), "sealed before the deploy");
    assert!(read("close-out.md").contains("late patch"), "{}", read("close-out.md"));
    assert!(read("report.html").contains("late patch &lt;of&gt; the"), "escaped in HTML");
    for (format, words) in [
        ("md", "Deviation: late patch"),
        ("json", r#"late patch <of> the \"deadline\" & more"#),
        ("junit", r#"<property name="deviation" value="late patch &lt;of&gt; the &quot;deadline&quot; &amp; more"#),
        ("html", "report.html"),
    ] {
        let said = run(command().args(["report", "--format", format]).arg(&path), 0);
        assert!(said.contains(words), "{format}: {said}");
    }
    verified_by_a_stranger(&path, &folder.path().join("published.tar.gz"));
    the_registration_counts(&path);
}

/// The run's folder and its published copy, by the program and by a verifier written from FORMAT.md alone.
fn verified_by_a_stranger(path: &Path, archive: &Path) {
    let said = run(command().arg("publish").arg(path).arg("--out").arg(archive), 0);
    let root = said.lines().find_map(|line| line.strip_prefix("root")).expect("root").trim().to_owned();
    run(command().args(["verify", "--expect-root", &root]).arg(path).arg(archive), 0);
    for subject in [path, archive] {
        let said = run(Command::new("python3").arg(STRANGER).arg(subject), 0);
        assert_eq!(said, format!("root {root}\n"), "{}", subject.display());
    }
}

/// Without the deviation in the results, or with another registration, the run does not verify.
fn the_registration_counts(path: &Path) {
    let results = std::fs::read_to_string(path.join("results.json")).expect("results");
    std::fs::write(path.join("results.json"), results.replacen("late patch", "no patch", 1)).expect("write");
    let said = run(command().arg("verify").arg(path), 30);
    assert!(said.contains("/deviations are not those that the journal tells"), "{said}");
    std::fs::write(path.join("results.json"), results).expect("write");
    let adopted = path.join("registration/adopted.json");
    let text = std::fs::read_to_string(&adopted).expect("adopted");
    std::fs::write(&adopted, text.replacen("stop_rule differs", "", 1)).expect("write");
    let said = run(command().arg("verify").arg(path), 30);
    assert!(said.contains("registration/adopted.json") && said.contains("sealed in packages/preflight"), "{said}");
}
