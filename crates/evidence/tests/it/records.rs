//! A whole small run with stages, journal, registration, verdict, results and closing: whoever edits one of them has to
//! edit what the others say of it, and those are sealed.

use crate::support::{overwrite, problems, report, reseal};
use evidence::{
    anchors::{Anchor, Anchors},
    canonical,
    digest::Digest,
    journal,
    package::{Draft, Sealed},
    problem::Kind,
    publish::{list_files, publish},
    redact::Sensitive,
    verdict::{Cite, OracleId, PackageVerdict, RuleResult, SCHEMA, TrialVerdict, Verdict},
};
use serde_json::{Value, json};
use std::{
    fs,
    path::{Path, PathBuf},
};
use tempfile::{TempDir, tempdir};

const PLAN: &[u8] = b"{\"plan\":1}\n";
const ACCOUNT: &str = "123412341234";

/// A run in a folder of its own.
pub(crate) struct Run {
    _folder: TempDir,
    pub(crate) path: PathBuf,
}

fn stage(name: &str, grade: &str) -> Value {
    json!({
        "schema": "assay.stage/1", "run": "r-1", "study": "s", "stage": name, "grade": grade,
        "plan_digest": Digest::of(PLAN.trim_ascii_end()), "started_at_ms": 1, "ended_at_ms": 2, "outcome": "completed",
        "trials": [],
        "origin": {"endpoint_kind": "foreign", "endpoint": null, "account": ACCOUNT, "region": "r", "partition": "aws"},
    })
}

fn sealed(run: &Path, name: &str, before: &[Digest], files: &[(&str, Vec<u8>)]) -> Sealed {
    let mut draft = Draft::create(&run.join("packages"), name, "r-1", before).unwrap();
    draft.write_json("stage.json", &stage(name, "rehearsal")).unwrap();
    files.iter().for_each(|(path, bytes)| draft.write(path, bytes).unwrap());
    draft.seal().unwrap()
}

fn verdict(package: &Sealed) -> PackageVerdict {
    let sha256 = package.index().find("trials/t-1.json").unwrap().sha256.to_string();
    let cite = Cite { artifact: "trials/t-1.json".into(), pointer: "/ledger/0".into(), sha256 };
    let rule = RuleResult { rule: "M1".into(), verdict: Verdict::Fail, reason: "two".into(), decisive: vec![cite] };
    let trial = TrialVerdict {
        trial: "t-1".into(),
        number: 1,
        variant: "v".into(),
        scenario: None,
        valid: true,
        invalid_reasons: Vec::new(),
        verdict: Verdict::Fail,
        rules: vec![rule],
        transactions: Vec::new(),
        processing: Some("SUCCEEDED".into()),
        correct_completion: false,
        missing: Vec::new(),
    };
    PackageVerdict {
        schema: SCHEMA.into(),
        package: package.identity().to_string(),
        oracle: OracleId { version: "0".into(), source_sha256: "0".repeat(64) },
        stage: "canonical".into(),
        verdict: Verdict::Fail,
        trials: vec![trial],
        missing: Vec::new(),
    }
}

fn teardown() -> Value {
    json!({"complete": true, "stacks": [{"id": format!("arn:aws:cloudformation:r:{ACCOUNT}:stack/s/1"), "result": "deleted"}]})
}

fn audit() -> Value {
    json!({"overall": "clean-with-residue", "findings": [{"verdict": "expected-until", "until_ms": 5}]})
}

fn results(verdict: &PackageVerdict) -> Value {
    let mut cell = serde_json::to_value(&verdict.trials[0]).unwrap();
    cell["id"] = json!("t-1");
    cell["cites"] = json!([]);
    json!({
        "schema": "assay.results/1", "run": "r-1", "study": "s", "grade": "rehearsal", "cells": [cell],
        "plan_digest": Digest::of(PLAN.trim_ascii_end()), "deviations": ["late patch"],
        "teardown": teardown(), "audit": audit(), "stopped": null,
    })
}

/// A whole small run that has ended.
pub(crate) fn made() -> Run {
    let folder = tempdir().unwrap();
    let path = folder.path().join("r-1");
    for inner in ["packages", "verdicts", "registration"] {
        fs::create_dir_all(path.join(inner)).unwrap();
    }
    fs::write(path.join("plan.json"), PLAN).unwrap();
    let mut draft = Draft::create(&path.join("registration"), "registration", "s", &[]).unwrap();
    draft.write("plan.json", PLAN).unwrap();
    let registration = *draft.seal().unwrap().identity();
    let adopted = canonical::to_line(&json!({"identity": registration})).unwrap();
    fs::write(path.join("registration/adopted.json"), &adopted).unwrap();

    let mut journal = journal::Writer::<Value>::create(&path.join("journal.jsonl")).unwrap();
    let mut at = 0;
    let mut say = |event: Value| {
        at += 1;
        journal.append(at, &event).unwrap();
    };
    let plan_digest = Digest::of(PLAN.trim_ascii_end());
    say(
        json!({"type": "run_started", "run": "r-1", "plan_digest": plan_digest, "grade": "rehearsal", "account": ACCOUNT}),
    );
    say(json!({"type": "deviation", "reason": "late patch"}));
    let first = sealed(&path, "preflight", &[], &[("registration.json", adopted), ("plan.json", PLAN.to_vec())]);
    say(json!({"type": "sealed", "package": "preflight", "identity": first.identity()}));
    let trial = ("trials/t-1.json", b"{\"ledger\":[1,2]}\n".to_vec());
    let second = sealed(&path, "canonical", &[*first.identity()], &[trial]);
    say(json!({"type": "sealed", "package": "canonical", "identity": second.identity()}));
    let verdict = verdict(&second);
    let bytes = canonical::to_line(&verdict).unwrap();
    fs::write(path.join("verdicts/canonical.json"), &bytes).unwrap();
    say(json!({"type": "judged", "package": "canonical", "identity": second.identity(), "verdict": "fail"}));
    let head = serde_json::from_slice(&fs::read(path.join("journal.head")).unwrap()).unwrap();
    let anchor = Anchor { path: "verdicts/canonical.json".into(), sha256: Digest::of(&bytes) };
    let anchors = canonical::to_line(&Anchors::new(vec![anchor], head)).unwrap();
    let line = |value: &Value| canonical::to_line(value).unwrap();
    let ended = [
        ("anchors.json", anchors),
        ("audit.json", line(&audit())),
        ("outcome.json", line(&json!({"stopped": null}))),
        ("teardown.json", line(&teardown())),
    ];
    let third = sealed(&path, "closing", &[*first.identity(), *second.identity()], &ended);
    say(json!({"type": "sealed", "package": "closing", "identity": third.identity()}));
    let mut results = results(&verdict);
    let cite = |file: &str| {
        let sha256 = third.index().find(file).unwrap().sha256;
        json!({"artifact": format!("packages/closing/{file}"), "pointer": "", "sha256": sha256})
    };
    results["cites"] = json!([cite("teardown.json"), cite("audit.json"), cite("outcome.json")]);
    fs::write(path.join("results.json"), results.to_string()).unwrap();
    say(json!({"type": "run_ended", "exit": 0}));
    Run { _folder: folder, path }
}

/// What is said after an edit of the run's folder.
fn after(edit: impl FnOnce(&Path)) -> Vec<(Kind, String)> {
    let run = made();
    edit(&run.path);
    problems(&run.path)
}

/// Edits a JSON file in place.
pub(crate) fn edit_json(path: &Path, edit: impl FnOnce(&mut Value)) {
    let mut value: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    edit(&mut value);
    overwrite(path, &canonical::to_line(&value).unwrap());
}

fn has(found: &[(Kind, String)], kind: Kind, path: &str) -> bool {
    found.contains(&(kind, path.to_owned()))
}

#[test]
fn the_run_as_made_is_valid() {
    let run = made();
    let report = report(&run.path);
    assert!(report.valid, "{report}");
    assert_eq!(report.subjects[0].notes, [] as [String; 0]);
}

/// The verdict and the results edited alike, so that both say pass and follow from themselves.
#[test]
fn a_verdict_edited_together_with_the_results_is_not_the_sealed_one() {
    let found = after(|run| {
        let pass = |trial: &mut Value| {
            trial["verdict"] = json!("pass");
            trial["rules"][0]["verdict"] = json!("pass");
            trial["correct_completion"] = json!(true);
        };
        edit_json(&run.join("verdicts/canonical.json"), |verdict| {
            verdict["verdict"] = json!("pass");
            pass(&mut verdict["trials"][0]);
        });
        edit_json(&run.join("results.json"), |results| pass(&mut results["cells"][0]));
    });
    assert!(has(&found, Kind::DigestDiffers, "verdicts/canonical.json"), "{found:?}");
    assert!(has(&found, Kind::RecordsDisagree, "verdicts/canonical.json"), "the journal says fail: {found:?}");
}

#[test]
fn verdicts_cannot_be_dropped_added_or_moved() {
    let gone = after(|run| fs::remove_file(run.join("verdicts/canonical.json")).unwrap());
    assert!(has(&gone, Kind::Missing, "verdicts/canonical.json"), "{gone:?}");
    assert!(has(&gone, Kind::CitationBroken, "results.json"), "{gone:?}");
    let moved = after(|run| {
        fs::copy(run.join("verdicts/canonical.json"), run.join("verdicts/probe.json")).unwrap();
    });
    assert!(has(&moved, Kind::CitationBroken, "verdicts/probe.json"), "{moved:?}");
    assert!(has(&moved, Kind::Unexpected, "verdicts/probe.json"), "{moved:?}");
}

#[test]
fn results_cannot_leave_out_a_trial_or_be_of_another_run_or_grade() {
    let left_out = after(|run| edit_json(&run.join("results.json"), |results| results["cells"] = json!([])));
    assert_eq!(left_out, [(Kind::CitationBroken, "results.json".to_owned())]);
    for (member, value) in [
        ("grade", json!("canonical")),
        ("run", json!("r-2")),
        ("study", json!("t")),
        ("plan_digest", json!("0".repeat(64))),
        ("deviations", json!([])),
    ] {
        let found = after(|run| edit_json(&run.join("results.json"), |results| results[member] = value));
        assert_eq!(found, [(Kind::RecordsDisagree, "results.json".to_owned())], "{member}");
    }
}

/// The end that the results tell is the one that was sealed.
#[test]
fn results_cannot_tell_another_teardown_or_audit() {
    type Edit = fn(&mut Value);
    let edits: [(Edit, &str); 5] = [
        (|results| results["audit"]["overall"] = json!("clean"), "/audit/overall is not what was sealed"),
        (|results| results["audit"]["findings"] = json!([]), "/audit/findings/0 is not what was sealed"),
        (|results| drop(results.as_object_mut().unwrap().remove("audit")), "/audit is not what was sealed"),
        (|results| results["teardown"]["stacks"][0]["result"] = json!("retained"), "/teardown/stacks/0/result is not"),
        (
            |results| results["stopped"] = json!("by hand"),
            "/stopped is not what was sealed in packages/closing/outcome",
        ),
    ];
    for (edit, says) in edits {
        let run = made();
        edit_json(&run.path.join("results.json"), edit);
        let report = report(&run.path);
        let found: Vec<_> = report.problems().map(|problem| (problem.kind, problem.path.as_str())).collect();
        assert_eq!(found, [(Kind::RecordsDisagree, "results.json")], "{says}: {report}");
        assert!(report.to_string().contains(says), "{says}: {report}");
    }
    let cited = after(|run| {
        edit_json(&run.join("results.json"), |results| results["cites"][1]["sha256"] = json!("0".repeat(64)));
    });
    assert_eq!(cited, [(Kind::CitationBroken, "results.json".to_owned())]);
}

/// One changed file is one problem for a person, with what follows from it below; programs are told everything.
#[test]
fn the_changed_file_comes_first_and_what_follows_is_counted() {
    let run = made();
    overwrite(&run.path.join("packages/canonical/trials/t-1.json"), b"{\"ledger\":[1,3]}\n");
    let report = report(&run.path);
    assert!(report.problems().count() > 2, "{report}");
    let text = report.to_string();
    let lines: Vec<_> = text.lines().filter(|line| line.contains("problem: ")).collect();
    assert_eq!(lines.len(), 1, "{text}");
    assert!(lines[0].starts_with("  problem: packages/canonical/trials/t-1.json: "), "{text}");
    assert!(text.contains("so do not hold: 1 in results.json, 1 in verdicts/canonical.json"), "{text}");

    let run = made();
    fs::remove_file(run.path.join("verdicts/canonical.json")).unwrap();
    let text = crate::support::report(&run.path).to_string();
    let first = text.lines().find(|line| line.contains("problem: ")).unwrap();
    assert!(first.contains("verdicts/canonical.json: was sealed in closing and is not there"), "{text}");
}

#[test]
fn results_cannot_cite_another_package() {
    let found = after(|run| {
        edit_json(&run.join("results.json"), |results| {
            let sha256 = "0".repeat(64);
            results["cells"][0]["cites"] =
                json!([{"artifact": "packages/closing/trials/t-1.json", "pointer": "/ledger/0", "sha256": sha256}]);
        });
    });
    assert_eq!(found, [(Kind::CitationBroken, "results.json".to_owned())]);
    let found = after(|run| {
        edit_json(&run.join("results.json"), |results| {
            results["cells"][0]["cites"] = json!([{"artifact": "../../etc/passwd", "pointer": "", "sha256": "x"}]);
        });
    });
    assert_eq!(found, [(Kind::CitationBroken, "results.json".to_owned())]);
}

#[test]
fn the_last_package_cannot_be_cut_off_and_no_other_put_behind_it() {
    let cut = after(|run| fs::remove_dir_all(run.join("packages/closing")).unwrap());
    assert!(has(&cut, Kind::RecordsDisagree, "journal.jsonl"), "{cut:?}");
    let added = after(|run| {
        let identities: Vec<Digest> = report(run).subjects[0].packages.iter().map(|package| package.identity).collect();
        sealed(run, "amendment-1", &identities, &[]);
    });
    assert_eq!(added, [(Kind::RecordsDisagree, "packages/amendment-1".to_owned())]);
}

#[test]
fn a_stage_of_better_grade_is_found_even_when_everything_is_sealed_again() {
    let found = after(|run| {
        let package = run.join("packages/closing");
        edit_json(&package.join("stage.json"), |stage| stage["grade"] = json!("canonical"));
        reseal(&package);
    });
    assert!(
        found.iter().any(|(kind, path)| *kind == Kind::RecordsDisagree && path.ends_with("stage.json")),
        "{found:?}"
    );
    assert!(has(&found, Kind::RecordsDisagree, "journal.jsonl"), "{found:?}");
}

/// The whole journal written anew, hash by hash.
#[test]
fn a_journal_written_anew_is_not_the_one_that_closing_sealed() {
    let found = after(|run| {
        let path = run.join("journal.jsonl");
        let old: Vec<Value> =
            fs::read_to_string(&path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        fs::remove_file(&path).unwrap();
        fs::remove_file(run.join("journal.head")).unwrap();
        let mut journal = journal::Writer::<Value>::create(&path).unwrap();
        for entry in old {
            journal.append(entry["at_ms"].as_i64().unwrap() + 1, &entry["event"]).unwrap();
        }
    });
    assert_eq!(found, [(Kind::JournalBroken, "journal.jsonl".to_owned())]);
}

#[test]
fn the_registration_is_the_one_that_was_sealed_first() {
    let edited = after(|run| {
        let package = run.join("registration/registration");
        overwrite(&package.join("plan.json"), b"{}\n");
    });
    assert_eq!(edited, [(Kind::SizeDiffers, "registration/registration/plan.json".to_owned())]);
    let resealed = after(|run| {
        let package = run.join("registration/registration");
        overwrite(&package.join("plan.json"), b"{}\n");
        reseal(&package);
    });
    assert_eq!(resealed, [(Kind::RecordsDisagree, "registration/registration".to_owned())]);
    let adopted = after(|run| {
        edit_json(&run.join("registration/adopted.json"), |adopted| adopted["third_party_ms"] = json!(1));
    });
    assert_eq!(adopted, [(Kind::RecordsDisagree, "registration/adopted.json".to_owned())]);
    let gone = after(|run| fs::remove_dir_all(run.join("registration")).unwrap());
    assert_eq!(gone, [(Kind::RecordsDisagree, "registration/adopted.json".to_owned())]);
}

#[test]
fn the_plan_beside_the_packages_is_the_sealed_one() {
    let found = after(|run| fs::write(run.join("plan.json"), b"{\"plan\":2}\n").unwrap());
    assert_eq!(found, [(Kind::RecordsDisagree, "plan.json".to_owned())]);
}

/// A published copy is held to the same: redacted lines of the journal are counted, all others compared.
#[test]
fn a_published_copy_is_held_to_the_same() {
    let run = made();
    let out = run.path.with_file_name("out.tar.gz");
    publish(&run.path, &list_files(&run.path).unwrap(), &Sensitive::default(), &out).unwrap();
    let said = report(&out);
    assert!(said.valid, "{said}");
    let note = &said.subjects[0].notes[0];
    assert!(note.contains("6 of 7 lines are as they were written, 1 hold something redacted"), "{note}");

    let fresh = made();
    let unpacked = fresh.path.with_file_name("unpacked");
    fs::create_dir(&unpacked).unwrap();
    let tar = std::process::Command::new("tar").arg("-xzf").arg(&out).current_dir(&unpacked).status().unwrap();
    assert!(tar.success() && report(&unpacked).valid, "{}", report(&unpacked));
    let journal = unpacked.join("journal.jsonl");
    let text = fs::read_to_string(&journal).unwrap().replace("late patch", "no patch");
    fs::write(&journal, &text).unwrap();
    edit_json(&unpacked.join("redaction-manifest.json"), |manifest| {
        let files = manifest["files"].as_array_mut().unwrap();
        let entry = files.iter_mut().find(|file| file["path"] == "journal.jsonl").unwrap();
        entry["redacted_sha256"] = json!(Digest::of(text.as_bytes()));
    });
    let found = problems(&unpacked);
    assert_eq!(found, [(Kind::JournalBroken, "journal.jsonl".to_owned())], "the manifest was edited as well");
}
