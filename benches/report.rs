//! `assay report` of a run of 1,000 trials, as a process: duration and size of each format. The bound is 2 s and 5 MiB.
//!
//! `cargo bench --bench report`; the run is made of the two trials in `tests/fixtures/report`, sealed and judged.

#![allow(clippy::expect_used, clippy::print_stdout, reason = "a benchmark that cannot run has nothing to report")]

use assay::judge::{self, Comparison, Results};
use assay::plan::{self, Options, Plan};
use assay::run::{Event, RunLog};
use evidence::digest::Digest;
use evidence::package::Draft;
use evidence::stage::{Grade, Origin, StageRecord};
use evidence::trial::TrialEvidence;
use evidence::verdict::{PackageVerdict, TrialVerdict};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const TRIALS: usize = 1000;
const REPEATS: usize = 5;
const RUN: &str = "20261130t200102-3fa9";

fn main() {
    let runs = tempfile::tempdir().expect("folder");
    let folder = runs.path().join(RUN);
    make(&folder);
    println!("| `assay report` of {TRIALS} trials | median of {REPEATS} | size |\n|---|---|---|");
    for format in ["html", "md", "json", "junit"] {
        let out = runs.path().join(format);
        let mut took: Vec<Duration> = (0..REPEATS).map(|_| report(&folder, format, &out)).collect();
        took.sort();
        let bytes = std::fs::metadata(&out).expect("report").len();
        println!("| {format} | {:.2} s | {:.2} MiB |", took[REPEATS / 2].as_secs_f64(), mebibytes(bytes));
    }
}

fn mebibytes(bytes: u64) -> f64 {
    f64::from(u32::try_from(bytes).expect("small")) / f64::from(1 << 20)
}

fn report(folder: &Path, format: &str, out: &Path) -> Duration {
    let start = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
    let output = command.arg("report").arg(folder).args(["--format", format, "--out"]).arg(out).output();
    let took = start.elapsed();
    let output = output.expect("assay starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    took
}

/// A run that ended after one canonical stage of many trials.
fn make(folder: &Path) {
    for inner in ["packages", "verdicts"] {
        std::fs::create_dir_all(folder.join(inner)).expect("folder");
    }
    let plan = many();
    let digest = plan.digest().expect("digest");
    std::fs::write(folder.join("plan.json"), serde_json::to_vec(&plan).expect("plan")).expect("write");
    let log = RunLog::create(&folder.join("journal.jsonl")).expect("journal");
    let origin = origin();
    let started = Event::RunStarted {
        run: RUN.into(),
        plan_digest: digest,
        grade: Grade::Rehearsal,
        origin: origin.clone(),
        pid: 1,
    };
    log.append(started).expect("started");
    let (identity, trials) = seal(folder, &plan, digest, origin);
    log.append(Event::Sealed { package: "canonical".into(), identity }).expect("sealed");
    let mut verdict: PackageVerdict = read("verdict.json");
    verdict.package = identity.to_string();
    verdict.trials = trials;
    std::fs::write(folder.join("verdicts/canonical.json"), evidence::canonical::to_line(&verdict).expect("verdict"))
        .expect("write");
    log.append(Event::Judged { package: "canonical".into(), identity, verdict: verdict.verdict }).expect("judged");
    let results = Results {
        schema: judge::SCHEMA.to_owned(),
        run: RUN.to_owned(),
        study: plan.study.clone(),
        grade: Grade::Rehearsal,
        plan_digest: digest,
        cells: judge::cells(&plan, Some(&verdict)),
        excluded: Vec::new(),
        comparison: Comparison { eligible: true, reasons: Vec::new() },
        teardown: json!({"summary": "complete"}),
        audit: json!({"summary": "clean"}),
        cites: Vec::new(),
        deviations: Vec::new(),
        stopped: None,
    };
    std::fs::write(folder.join("results.json"), serde_json::to_vec(&results).expect("results")).expect("write");
    log.append(Event::RunEnded { exit: 0 }).expect("ended");
}

/// Study 1 with the two treated trials over and over.
fn many() -> Plan {
    let loaded = assay::protocol::load(&root().join("protocols/study-1.yaml")).expect("protocol");
    let options = Options { profile: "rehearsal".into(), only_variants: Vec::new(), artifact: None };
    let mut plan = plan::resolve(&loaded, &options).expect("plan");
    let pair: Vec<_> = ["canonical-3", "canonical-4"]
        .map(|id| plan.trials.iter().find(|t| t.id == id).cloned().expect("trial"))
        .into();
    plan.trials = (1..=TRIALS)
        .map(|number| {
            let mut trial = pair[(number + 1) % 2].clone();
            trial.id = format!("canonical-{number}");
            trial.number = u32::try_from(number).expect("small");
            trial
        })
        .collect();
    plan
}

fn seal(folder: &Path, plan: &Plan, plan_digest: Digest, origin: Origin) -> (Digest, Vec<TrialVerdict>) {
    let evidence: [TrialEvidence; 2] = ["canonical-3.json", "canonical-4.json"].map(read);
    let judged: PackageVerdict = read("verdict.json");
    let record = StageRecord {
        schema: evidence::stage::SCHEMA.to_owned(),
        run: RUN.into(),
        study: plan.study.clone(),
        stage: "canonical".into(),
        grade: Grade::Rehearsal,
        plan_digest: plan_digest.to_string(),
        origin,
        started_at_ms: 1,
        ended_at_ms: 2,
        outcome: "completed".into(),
        trials: plan.trials.iter().map(|t| t.id.clone()).collect(),
    };
    let mut draft = Draft::create(&folder.join("packages"), "canonical", RUN, &[]).expect("draft");
    draft.write_json("stage.json", &record).expect("stage");
    let mut trials = Vec::new();
    for (i, planned) in plan.trials.iter().enumerate() {
        let mut evidence = evidence[i % 2].clone();
        evidence.trial.id.clone_from(&planned.id);
        draft.write_json(&format!("trials/{}.json", planned.id), &evidence).expect("trial");
        let like = if i % 2 == 0 { "canonical-3" } else { "canonical-4" };
        let mut verdict = judged.trials.iter().find(|t| t.trial == like).cloned().expect("verdict");
        verdict.trial.clone_from(&planned.id);
        verdict.number = planned.number;
        trials.push(verdict);
    }
    (*draft.seal().expect("sealed").identity(), trials)
}

fn origin() -> Origin {
    Origin {
        endpoint_kind: "foreign".into(),
        endpoint: Some("http://127.0.0.1:1".into()),
        account: "000000000000".into(),
        region: "us-east-1".into(),
        partition: "aws".into(),
    }
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read<T: serde::de::DeserializeOwned>(name: &str) -> T {
    let bytes = std::fs::read(root().join("tests/fixtures/report").join(name)).expect("fixture");
    serde_json::from_slice(&bytes).expect("JSON")
}
