//! Reports, made from the evidence of a rehearsal.

use assay::judge::{self, Comparison, Results};
use assay::plan::Plan;
use assay::report::{self, Dossier, PackageLine, TrialFile};
use assert_cmd::Command;
use evidence::digest::Digest;
use evidence::record::Fact;
use evidence::stage::Grade;
use evidence::trial::TrialEvidence;
use evidence::verdict::{PackageVerdict, TrialVerdict, Verdict};
use serde_json::json;
use std::path::Path;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(Path::new(ROOT).join("tests/fixtures/report").join(name)).expect("fixture")
}

fn plan() -> Plan {
    let output = Command::new(env!("CARGO_BIN_EXE_assay"))
        .args(["plan", "--timing", "rehearsal", "--format", "json"])
        .current_dir(ROOT)
        .output()
        .expect("assay runs");
    let mut printed: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    serde_json::from_value(printed["plan"].take()).expect("plan")
}

fn trial(name: &str, verdicts: &PackageVerdict) -> TrialFile {
    let bytes = fixture(&format!("{name}.json"));
    let evidence: TrialEvidence = serde_json::from_slice(&bytes).expect("trial");
    TrialFile {
        id: name.to_owned(),
        stage: "canonical".to_owned(),
        artifact: format!("packages/canonical/trials/{name}.json"),
        sha256: Digest::of(&bytes).to_string(),
        verdict: verdicts.trials.iter().find(|t| t.trial == name).cloned(),
        evidence: Some(evidence),
    }
}

/// Study 1's canonical trials, two of them with their evidence.
fn dossier() -> Dossier {
    let plan = plan();
    let verdicts: PackageVerdict = serde_json::from_slice(&fixture("verdict.json")).expect("verdict");
    let results = Results {
        schema: judge::SCHEMA.to_owned(),
        run: "20261130t200102-3fa9".to_owned(),
        study: plan.study.clone(),
        grade: Grade::Rehearsal,
        plan_digest: plan.digest().expect("digest"),
        cells: judge::cells(&plan, Some(&verdicts)),
        excluded: Vec::new(),
        comparison: Comparison { eligible: true, reasons: Vec::new() },
        teardown: json!({"summary": "complete: 4 stacks deleted", "stacks": [{"name": "assay-x", "result": "deleted"}]}),
        audit: json!({"summary": "clean but for residue", "findings": [{"kind": "stream", "id": "s", "region": "us-east-1", "reason": "goes by itself", "next": "assay audit", "verdict": {"expected_until": {"at_ms": 1_796_161_430_478_i64}}}]}),
        cites: Vec::new(),
        deviations: vec!["the second look at the queue came late".to_owned()],
        stopped: None,
    };
    let identity = verdicts.package.clone();
    let line =
        PackageLine { name: "canonical".into(), identity, files: 5, bytes: 60_000, verdict: Some(Verdict::Fail) };
    Dossier {
        results,
        filling: None,
        origin: None,
        exit: Some(0),
        oracle: Some(verdicts.oracle.clone()),
        packages: vec![line],
        trials: ["canonical-3", "canonical-4"].map(|name| trial(name, &verdicts)).into(),
        tags: None,
        estimate: None,
        billed: None,
        extras: vec![("Cost".into(), "packages/canonical/cost.json".into(), json!({"estimate_usd": "0.28"}))],
        plan,
    }
}

#[test]
fn the_page_tells_the_contradiction_and_shows_where_it_comes_from() {
    let dossier = dossier();
    let page = report::html(&dossier, "");
    assert!(page.contains(
        "Trials 3 and 4: every status says success, the ledger holds the refund twice (100.00 BRL each time)."
    ));
    for text in
        ["answer held", ">deadline<", "retry: redelivery after", "retry: next attempt of the step after", "0.28"]
    {
        assert!(page.contains(text), "{text}");
    }
    let cite = format!(
        "<a href=\"packages/canonical/trials/canonical-4.json\" title=\"packages/canonical/trials/canonical-4.json#/ledger/transactions sha256 {}\">2 × 100.00</a>",
        dossier.trials[1].sha256
    );
    assert!(page.contains(&cite));
    assert!(page.contains("expected until 2026-12-01T21:43:50.478Z"), "the end of residue is told as a time");
}

#[test]
fn every_chart_has_a_title_and_a_text_alternative() {
    let page = report::html(&dossier(), "");
    let charts = page.matches("<svg class=\"timeline\" role=\"img\"").count();
    assert_eq!(charts, 2);
    assert_eq!(page.matches("-title\">Timeline of trial").count(), charts);
    assert_eq!(page.matches("The table below lists them.</desc>").count(), charts);
}

#[test]
fn the_page_loads_nothing_and_runs_nothing() {
    let page = report::html(&dossier(), "");
    assert!(page.contains("default-src 'none'"));
    for forbidden in ["<script", "<img", "url(", "@import", "src=", "<iframe", "javascript:"] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    let remote = page.match_indices("http").filter(|(i, _)| !page[*i..].starts_with("http://www.w3.org/2000/svg"));
    assert_eq!(remote.filter(|(i, _)| !page[*i..].starts_with("http-equiv")).count(), 0);
}

#[test]
fn hostile_text_in_evidence_stays_text() {
    let mut dossier = dossier();
    let records = dossier.trials[0].evidence.as_mut().and_then(|e| e.caller_journal.as_mut()).expect("journal");
    for record in &mut records.records {
        if let Fact::CallerFailed { error } = &mut record.fact {
            *error = "</title><script>alert(1)</script>\" onload=\"x".to_owned();
        }
    }
    dossier.results.deviations.push("<img src=x>".to_owned());
    let page = report::html(&dossier, "");
    assert!(page.contains("&lt;script&gt;alert(1)"));
    assert!(!page.contains("<script") && !page.contains("<img"));
}

#[test]
fn a_thousand_trials_stay_under_five_mebibytes_and_those_that_differ_are_drawn() {
    let mut dossier = dossier();
    let (file, cell) = (dossier.trials[1].clone(), dossier.results.cells[3].clone());
    dossier.trials.clear();
    dossier.results.cells.clear();
    for number in 1..=1000 {
        let id = format!("canonical-{number}");
        let (mut file, mut cell) = (file.clone(), cell.clone());
        (cell.id, cell.trial, cell.as_predicted) = (id.clone(), number, number != 997);
        (file.id, file.artifact) = (id.clone(), format!("packages/canonical/trials/{id}.json"));
        dossier.trials.push(file);
        dossier.results.cells.push(cell);
    }
    let page = report::html(&dossier, "");
    assert!(page.len() < 5 << 20, "{} bytes", page.len());
    assert!(page.contains("id=\"trial-canonical-997\""));
    assert!(page.contains("of 1000 trials are not drawn here"));
    assert!(report::markdown(&dossier).len() < 1 << 20, "fits a job summary");
}

#[test]
fn junit_passes_what_was_predicted_and_never_skips() {
    let mut dossier = dossier();
    let text = report::junit(&dossier);
    assert!(text.contains("name=\"canonical-4 durable COMMIT_THEN_TIMEOUT: fail\""), "{text}");
    assert!(text.contains("canonical-1 conventional CONTROL: never ran"), "no evidence is an error: {text}");
    assert!(text.contains("tests=\"5\" failures=\"0\" errors=\"2\" skipped=\"0\""), "{text}");

    let judged =
        |d: &mut Dossier, change: fn(&mut TrialVerdict)| change(d.trials[0].verdict.as_mut().expect("verdict"));
    judged(&mut dossier, |v| {
        v.verdict = Verdict::Indeterminate;
        v.missing = vec!["ledger".to_owned()];
    });
    dossier.results.cells[3].as_predicted = false;
    dossier.results.cells[3].differences = vec!["transactions: predicted 2, found \"3\"".to_owned()];
    let text = report::junit(&dossier);
    assert!(text.contains("<error message=\"indeterminate: ledger\"/>"), "{text}");
    assert!(text.contains("<failure message=\"transactions: predicted 2, found &quot;3&quot;\"/>"), "{text}");
    assert!(!text.contains("<skipped"));
}

#[test]
fn markdown_has_the_reference_table() {
    let text = report::markdown(&dossier());
    assert!(
        text.contains("| 4 | durable | COMMIT_THEN_TIMEOUT | fail (M1 M2 M3) | 2 × 100.00 | SUCCEEDED | false |"),
        "{text}"
    );
    assert!(text.contains("**Trials 3 and 4: every status says success"), "{text}");
}

#[test]
fn a_run_that_does_not_exist_is_wrong_usage() {
    let runs = tempfile::tempdir().expect("folder");
    let output = Command::new(env!("CARGO_BIN_EXE_assay"))
        .args(["report", "20261130t200102-3fa9", "--runs"])
        .arg(runs.path())
        .output()
        .expect("assay runs");
    assert_eq!(output.status.code(), Some(64));
    assert!(String::from_utf8_lossy(&output.stderr).contains("no run `20261130t200102-3fa9`"));
}
