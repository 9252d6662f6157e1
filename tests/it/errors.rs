//! The whole text of expected errors outside protocols, as `messages.rs` has those of protocols: wrong commands, inputs
//! that are not there, runs that cannot do what is asked. `UPDATE_MESSAGES=1` writes them anew.

use crate::messages::expect;
use crate::sample::{Sample, oracle};
use assert_cmd::Command;
use std::path::Path;

/// Runs the program in a folder; what it says has to be the stored text, the folder being `DIR`.
fn refused(name: &str, folder: &Path, arguments: &[&str], code: i32) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
    // Nothing is built on the way to an error.
    if let Some(oracle) = oracle() {
        command.env("ASSAY_ORACLE", &oracle).env("ASSAY_BOOTSTRAP", &oracle);
    }
    command.args(arguments).current_dir(folder).env("AWS_EC2_METADATA_DISABLED", "true");
    command.env("AWS_ACCESS_KEY_ID", "local").env("AWS_SECRET_ACCESS_KEY", "local");
    command.env("SSL_CERT_FILE", "/dev/null").env("SSL_CERT_DIR", "/dev/null");
    let output = command.output().expect("assay runs");
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{name}: {said}");
    let here = std::fs::canonicalize(folder).expect("folder").display().to_string();
    let said = said.replace(&here, "DIR").replace(&folder.display().to_string(), "DIR");
    expect(name, &said);
}

/// One message per wrong command line.
macro_rules! wrong {
    ($($name:ident: $code:literal, $($argument:literal)+;)+) => {
        $(#[test]
        fn $name() {
            let folder = tempfile::tempdir().expect("folder");
            std::fs::create_dir(folder.path().join("taken")).expect("folder");
            std::fs::write(folder.path().join("taken/notes"), "mine").expect("write");
            std::fs::write(folder.path().join("latin.yaml"), b"study: caf\xe9\n").expect("write");
            std::fs::write(folder.path().join("faults.yaml"), "rules: [{service: sqs, effect: explode}]\n").expect("write");
            std::fs::write(folder.path().join("allow.yaml"), "- resource: x\n  ownr: me\n").expect("write");
            refused(stringify!($name), folder.path(), &[$($argument),+], $code);
        })+
    };
}

wrong! {
    unknown_command: 64, "rehears";
    unknown_option: 64, "plan" "--timming" "rehearsal";
    unknown_value: 64, "report" "x" "--format" "jnit";
    missing_argument: 64, "deploy" "queue.yaml" "--stack" "q";
    missing_path: 64, "verify";
    protocol_not_utf8: 64, "plan" "latin.yaml";
    study_name_not_a_name: 64, "init" "My Study";
    study_folder_taken: 64, "init" "taken";
    no_such_run: 64, "show" "20261130t200102-3fa9";
    no_run_to_resume: 64, "resume" "20261130t200102-3fa9";
    no_run_to_tear_down: 64, "teardown" "20261130t200102-3fa9";
    no_run_to_publish: 64, "publish" "20261130t200102-3fa9";
    root_not_hex: 64, "verify" "taken" "--expect-root" "zz";
    nothing_to_verify: 30, "verify" "nothing";
    tag_without_value: 64, "audit" "--tag" "assay" "--region" "us-east-1" "--endpoint-url" "http://127.0.0.1:9";
    fault_script_missing: 64, "local" "--faults" "no.yaml";
    fault_script_invalid: 64, "local" "--faults" "faults.yaml";
    allow_rules_missing: 64, "audit" "--tag" "a=b" "--allow" "no.yaml" "--region" "us-east-1";
    no_root_certificates: 64, "audit" "--tag" "a=b" "--region" "us-east-1";
    allow_rules_invalid: 64, "audit" "--tag" "a=b" "--allow" "allow.yaml" "--region" "us-east-1";
}

#[test]
fn run_has_not_ended() {
    let sample = Sample::going_on();
    let runs = sample.run().parent().expect("runs").to_owned();
    refused("run_has_not_ended", &runs, &["publish", "20261130t200102-3fa9", "--runs", "."], 64);
}

#[test]
fn run_has_ended() {
    let sample = Sample::new();
    let runs = sample.run().parent().expect("runs").to_owned();
    refused("run_has_ended", &runs, &["resume", "20261130t200102-3fa9", "--runs", ".", "--yes"], 64);
}

#[test]
fn run_without_results() {
    let sample = Sample::going_on();
    std::fs::remove_file(sample.run().join("results.json")).expect("remove");
    let runs = sample.run().parent().expect("runs").to_owned();
    refused("run_without_results", &runs, &["report", "20261130t200102-3fa9", "--runs", "."], 64);
}

#[test]
fn journal_that_was_cut() {
    let sample = Sample::new();
    let path = sample.run().join("journal.jsonl");
    let text = std::fs::read_to_string(&path).expect("journal");
    std::fs::write(&path, text.replacen("\"seq\":1", "\"seq\":7", 1)).expect("write");
    let runs = sample.run().parent().expect("runs").to_owned();
    let output = Command::new(env!("CARGO_BIN_EXE_assay"))
        .args(["report", "20261130t200102-3fa9", "--runs", "."])
        .current_dir(&runs)
        .output()
        .expect("assay runs");
    assert_eq!(output.status.code(), Some(30));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("journal.jsonl") && said.contains("line 1"), "{said}");
}
