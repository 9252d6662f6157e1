//! A small ended run, made from bytes: one package, one verdict, results that cite it.

use assay::judge::{Cell, Comparison, Results, SCHEMA};
use assay::plan::{self, Options};
use assay::run::{Event, RunLog};
use evidence::digest::Digest;
use evidence::package::Draft;
use evidence::record::Scenario;
use evidence::stage::{Grade, Origin, StageRecord};
use evidence::verdict::{Cite, OracleId, PackageVerdict, RuleResult, TrialVerdict, Verdict};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Account of the sample.
pub(crate) const ACCOUNT: &str = "123412341234";
const RUN: &str = "20261130t200102-3fa9";
const POINTER: &str = "/ledger/transactions/0";

/// The run's folder and a place for more.
pub(crate) struct Sample {
    folder: tempfile::TempDir,
}

impl Sample {
    /// A run that has ended.
    pub(crate) fn new() -> Self {
        Self::ended(Self::going_on())
    }

    /// The same with the oracle's own verdict, and without results.
    pub(crate) fn judged(oracle: &Path) -> Self {
        Self::ended(Self::begun(Some(oracle)))
    }

    fn ended(sample: Self) -> Self {
        let log = RunLog::resume(&sample.run().join("journal.jsonl")).expect("journal");
        log.append(Event::RunEnded { exit: 0 }).expect("ended");
        sample
    }

    /// The same before its last line.
    pub(crate) fn going_on() -> Self {
        Self::begun(None)
    }

    fn begun(oracle: Option<&Path>) -> Self {
        let sample = Self { folder: tempfile::tempdir().expect("folder") };
        let run = sample.run();
        for inner in ["packages", "verdicts", "inputs", "working"] {
            std::fs::create_dir_all(run.join(inner)).expect("folder");
            std::fs::write(run.join("working/x.json"), "{}").ok();
        }
        std::fs::write(run.join("inputs/bootstrap.zip"), b"\xff\x00").expect("write");
        std::fs::write(run.join("lock"), "1\n").expect("write");
        let plan = protocol_plan();
        std::fs::write(run.join("plan.json"), serde_json::to_vec(&plan).expect("plan")).expect("write");
        let plan_digest = plan.digest().expect("digest");
        let log = RunLog::create(&run.join("journal.jsonl")).expect("journal");
        let started =
            Event::RunStarted { run: RUN.into(), plan_digest, grade: Grade::Rehearsal, origin: origin(), pid: 1 };
        log.append(started).expect("started");
        let (identity, trial) = seal(&run, &plan_digest);
        log.append(Event::Sealed { package: "canonical".into(), identity }).expect("sealed");
        let verdict = match oracle {
            Some(oracle) => judged(oracle, &run),
            None => made_up(&run, plan_digest, identity, trial),
        };
        log.append(Event::Judged { package: "canonical".into(), identity, verdict: verdict.verdict }).expect("judged");
        sample
    }

    /// The run's folder.
    pub(crate) fn run(&self) -> PathBuf {
        self.path(RUN)
    }

    /// A path beside it.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// The oracle's verdict file.
fn judged(oracle: &Path, run: &Path) -> PackageVerdict {
    let path = run.join("verdicts/canonical.json");
    let mut judge = Command::new(oracle);
    judge.arg("judge").arg(run.join("packages/canonical")).arg("--out").arg(&path);
    assert!(matches!(judge.output().expect("oracle").status.code(), Some(0 | 10 | 20)));
    serde_json::from_slice(&std::fs::read(path).expect("verdict")).expect("verdict")
}

/// A verdict file that no oracle has written, and results that cite it.
fn made_up(run: &Path, plan_digest: Digest, identity: Digest, trial: String) -> PackageVerdict {
    let verdict = verdict(identity, trial);
    let line = evidence::canonical::to_line(&verdict).expect("verdict");
    std::fs::write(run.join("verdicts/canonical.json"), line).expect("write");
    let results = results(plan_digest, &verdict);
    std::fs::write(run.join("results.json"), serde_json::to_vec_pretty(&results).expect("results")).expect("write");
    verdict
}

fn protocol_plan() -> plan::Plan {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocols/study-1.yaml");
    let loaded = assay::protocol::load(&path).expect("protocol");
    let options = Options { profile: "rehearsal".into(), only_variants: Vec::new(), artifact: None };
    plan::resolve(&loaded, &options).expect("plan")
}

fn origin() -> Origin {
    Origin {
        endpoint_kind: "foreign".into(),
        endpoint: Some("http://127.0.0.1:1".into()),
        account: ACCOUNT.into(),
        region: "us-east-1".into(),
        partition: "aws".into(),
    }
}

fn seal(run: &Path, plan_digest: &Digest) -> (Digest, String) {
    let fixture =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/oracle/tests/fixtures/conventional-control/trial.json");
    let mut trial: serde_json::Value =
        serde_json::from_slice(&std::fs::read(fixture).expect("fixture")).expect("trial");
    trial["trial"]["id"] = json!("canonical-1");
    trial["configuration"]["deployed"]["function_arn"] =
        json!(format!("arn:aws:lambda:us-east-1:{ACCOUNT}:function:f"));
    let record = StageRecord {
        schema: evidence::stage::SCHEMA.to_owned(),
        run: RUN.into(),
        study: "study-1".into(),
        stage: "canonical".into(),
        grade: Grade::Rehearsal,
        plan_digest: plan_digest.to_string(),
        origin: origin(),
        started_at_ms: 1,
        ended_at_ms: 2,
        outcome: "completed".into(),
        trials: vec!["canonical-1".into()],
    };
    let mut draft = Draft::create(&run.join("packages"), "canonical", RUN, &[]).expect("draft");
    draft.write_json("stage.json", &record).expect("stage");
    draft.write_json("trials/canonical-1.json", &trial).expect("trial");
    let sealed = draft.seal().expect("sealed");
    let digest = sealed.index().find("trials/canonical-1.json").expect("listed").sha256.to_string();
    (*sealed.identity(), digest)
}

fn verdict(identity: Digest, sha256: String) -> PackageVerdict {
    let cite = Cite { artifact: "trials/canonical-1.json".into(), pointer: POINTER.into(), sha256 };
    let rule = RuleResult { rule: "M1".into(), verdict: Verdict::Pass, reason: "one".into(), decisive: vec![cite] };
    let trial = TrialVerdict {
        trial: "canonical-1".into(),
        number: 1,
        variant: "conventional".into(),
        scenario: Some(Scenario::Control),
        valid: true,
        invalid_reasons: Vec::new(),
        verdict: Verdict::Pass,
        rules: vec![rule],
        transactions: Vec::new(),
        processing: None,
        correct_completion: false,
        missing: Vec::new(),
    };
    PackageVerdict {
        schema: evidence::verdict::SCHEMA.to_owned(),
        package: identity.to_string(),
        oracle: OracleId { version: "0".into(), source_sha256: "0".repeat(64) },
        stage: "canonical".into(),
        verdict: Verdict::Pass,
        trials: vec![trial],
        missing: Vec::new(),
    }
}

fn results(plan_digest: Digest, verdict: &PackageVerdict) -> Results {
    let mut cells: Vec<Cell> = assay::judge::cells(&protocol_plan(), Some(verdict));
    cells.retain(|cell| cell.id == "canonical-1");
    assert_eq!(cells[0].cites.len(), 1, "the cell cites the transaction");
    Results {
        schema: SCHEMA.to_owned(),
        run: RUN.into(),
        study: "study-1".into(),
        grade: Grade::Rehearsal,
        plan_digest,
        cells,
        excluded: Vec::new(),
        comparison: Comparison { eligible: true, reasons: Vec::new() },
        teardown: json!({}),
        audit: json!({}),
        cites: Vec::new(),
        deviations: Vec::new(),
        stopped: None,
    }
}

/// The program.
pub(crate) fn assay() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command
}

/// An oracle binary that was built before: named by the environment, or beside the program under test.
pub(crate) fn oracle() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_BIN_EXE_assay")).with_file_name("oracle");
    std::env::var_os("ASSAY_ORACLE").map(PathBuf::from).or(Some(beside)).filter(|path| path.is_file())
}

/// Runs a command, checks its exit code and gives what it said.
pub(crate) fn run(command: &mut Command, code: i32) -> String {
    let output = command.output().expect("starts");
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{said}");
    said
}
