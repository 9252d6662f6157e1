//! The whole rehearsal as an ordinary test, and the order of journal lines when a stage fails.

use assert_cmd::cargo::CommandCargoExt as _;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// One rehearsal in a runs folder of its own.
struct Rehearsal {
    runs: tempfile::TempDir,
    output: Output,
}

impl Rehearsal {
    fn command(runs: &Path) -> Command {
        let mut command = Command::cargo_bin("assay").expect("assay is built");
        command.current_dir(ROOT).arg("rehearse").arg("--runs").arg(runs);
        let beside = Path::new(env!("CARGO_BIN_EXE_assay")).with_file_name("bootstrap");
        // `cargo test --workspace` builds both; alone, assay builds them itself.
        if beside.is_file() && beside.with_file_name("oracle").is_file() {
            command.env("ASSAY_BOOTSTRAP", &beside).env("ASSAY_ORACLE", beside.with_file_name("oracle"));
        }
        command
    }

    fn run(arguments: &[&str]) -> Self {
        let runs = tempfile::tempdir().expect("folder");
        let output = Self::command(runs.path()).args(arguments).output().expect("assay runs");
        Self { runs, output }
    }

    fn folder(&self) -> PathBuf {
        let mut entries = std::fs::read_dir(self.runs.path()).expect("runs").map(|e| e.expect("entry").path());
        entries.next().expect("one run")
    }

    fn said(&self) -> String {
        format!("{}\n{}", String::from_utf8_lossy(&self.output.stderr), String::from_utf8_lossy(&self.output.stdout))
    }

    fn json(&self, path: &str) -> Value {
        let bytes = std::fs::read(self.folder().join(path)).unwrap_or_else(|e| panic!("{path}: {e}\n{}", self.said()));
        serde_json::from_slice(&bytes).expect("JSON")
    }

    fn journal(&self) -> Vec<Value> {
        let text = std::fs::read_to_string(self.folder().join("journal.jsonl")).expect("journal");
        text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")["event"].clone()).collect()
    }
}

#[test]
fn two_rehearsals_at_once_each_give_the_reference_table() {
    let both = std::thread::scope(|scope| {
        let other = scope.spawn(|| Rehearsal::run(&[]));
        [Rehearsal::run(&["--json"]), other.join().expect("thread")]
    });
    for rehearsal in &both {
        assert_eq!(rehearsal.output.status.code(), Some(0), "{}", rehearsal.said());
        reference_table(&rehearsal.json("results.json"));
        third_trial_was_redelivered(&rehearsal.json("packages/canonical/trials/canonical-3.json"));
        fourth_trial_retried_inside_one_execution(&rehearsal.json("packages/canonical/trials/canonical-4.json"));
        journal_is_in_order(&rehearsal.journal());
        nothing_remains(rehearsal);
        verifies(&rehearsal.folder());
    }
    events_are_the_whole_of_stdout(&both[0]);
    the_documentations_commands_work(&both[1]);
    let text = String::from_utf8_lossy(&both[1].output.stdout);
    assert!(text.contains("fail (M1 M2 M3)  2 × 100.00    SUCCEEDED   false"), "{text}");
    assert!(!both[1].said().contains('\u{1b}'), "no escape codes without a terminal");
}

/// With `--json`, every line is an event of the documented version, and the results are the last; people's text is
/// nowhere, and errors would be on stderr.
fn events_are_the_whole_of_stdout(rehearsal: &Rehearsal) {
    let text = String::from_utf8_lossy(&rehearsal.output.stdout);
    let lines: Vec<Value> =
        text.lines().map(|l| serde_json::from_str(l).unwrap_or_else(|e| panic!("not a JSON line: {l}: {e}"))).collect();
    let (results, events) = lines.split_last().expect("lines");
    assert_eq!(results["schema"], "assay.results/1");
    assert_eq!(*results, rehearsal.json("results.json"));
    assert!(events.iter().all(|e| e["schema"] == "assay.events/1" && e["at_ms"].is_i64()));
    let documented = std::fs::read_to_string(Path::new(ROOT).join("docs/events.md")).expect("docs");
    for kind in ["run", "stage_started", "stage_ended", "stack", "trial", "waiting", "sealed", "judged"] {
        assert!(documented.contains(&format!("`{kind}`")));
        assert!(events.iter().any(|e| e["event"] == kind), "no `{kind}`");
    }
    let run = events.iter().find(|e| e["event"] == "run").expect("run");
    let started: Vec<_> = events.iter().filter(|e| e["event"] == "stage_started").map(|e| e["stage"].clone()).collect();
    assert_eq!(run["stages"].as_array().expect("stages"), &started, "the announced plot is the one that happens");
    let stderr = String::from_utf8_lossy(&rehearsal.output.stderr);
    assert!(!stderr.contains("canonical"), "progress is told once, on stdout: {stderr}");
}

/// Blocks `sh rehearsed` of README and book, on this run.
fn the_documentations_commands_work(rehearsal: &Rehearsal) {
    let place = tempfile::tempdir().expect("folder");
    std::os::unix::fs::symlink(rehearsal.runs.path(), place.path().join("runs")).expect("link");
    let run = rehearsal.folder().file_name().expect("name").to_string_lossy().into_owned();
    let lines = crate::docs::lines("rehearsed");
    assert!(lines.len() >= 8, "{lines:?}");
    lines.iter().for_each(|line| crate::docs::run(&line.replace("RUN", &run), place.path()));
}

fn reference_table(results: &Value) {
    let cells = results["cells"].as_array().expect("cells");
    let line = |cell: &Value| {
        let failed = cell["rules"].as_array().expect("rules").iter().filter(|r| r["verdict"] == "fail");
        let failed: Vec<_> = failed.map(|r| r["rule"].as_str().expect("rule").to_owned()).collect();
        let amounts: Vec<_> =
            cell["transactions"].as_array().expect("list").iter().map(|t| t["amount_minor"].as_i64()).collect();
        assert!(!cell["cites"].as_array().expect("cites").is_empty());
        (
            cell["variant"].as_str().expect("variant").to_owned(),
            cell["scenario"].as_str().expect("scenario").to_owned(),
            cell["verdict"].as_str().expect("verdict").to_owned(),
            failed.join(" "),
            amounts,
            cell["processing"].as_str().expect("processing").to_owned(),
            cell["correct_completion"].as_bool().expect("bool"),
        )
    };
    let expected = |variant: &str, scenario: &str, verdict: &str, failed: &str, count: usize, correct: bool| {
        let texts = (variant.to_owned(), scenario.to_owned(), verdict.to_owned(), failed.to_owned());
        (texts.0, texts.1, texts.2, texts.3, vec![Some(10_000); count], "SUCCEEDED".to_owned(), correct)
    };
    let lines: Vec<_> = cells.iter().map(line).collect();
    assert_eq!(
        lines,
        [
            expected("conventional", "CONTROL", "pass", "", 1, true),
            expected("durable", "CONTROL", "pass", "", 1, true),
            expected("conventional", "COMMIT_THEN_TIMEOUT", "fail", "M1 M2 M3", 2, false),
            expected("durable", "COMMIT_THEN_TIMEOUT", "fail", "M1 M2 M3", 2, false),
        ]
    );
    assert_eq!(results["grade"], "rehearsal");
    assert_eq!(results["comparison"]["eligible"], true, "{}", results["comparison"]);
    assert_eq!(results["audit"]["overall"], "clean-with-residue", "the caller journal's stream stays for a day");
}

fn records<'a>(trial: &'a Value, journal: &str, kind: &str) -> Vec<&'a Value> {
    let all = trial[journal]["records"].as_array().expect("records");
    all.iter().filter(|r| r["kind"] == kind).collect()
}

/// One message, two deliveries, two invocations.
fn third_trial_was_redelivered(trial: &Value) {
    let dispatched = records(trial, "caller_journal", "dispatch_started");
    let deliveries: Vec<_> = dispatched.iter().map(|r| r["delivery"].as_u64()).collect();
    assert_eq!(deliveries, [Some(1), Some(2)]);
    assert_ne!(dispatched[0]["request_id"], dispatched[1]["request_id"]);
    assert_eq!(records(trial, "controller_journal", "release_signalled").len(), 1);
}

/// One execution whose step failed once and then succeeded.
fn fourth_trial_retried_inside_one_execution(trial: &Value) {
    let executions = trial["executions"]["executions"].as_array().expect("executions");
    assert_eq!(executions.len(), 1);
    let kinds: Vec<_> =
        executions[0]["history"].as_array().expect("history").iter().map(|e| e["event_type"].as_str()).collect();
    let count = |kind: &str| kinds.iter().filter(|k| **k == Some(kind)).count();
    assert_eq!((count("StepFailed"), count("StepSucceeded")), (1, 1), "{kinds:?}");
    let dispatched = records(trial, "caller_journal", "dispatch_started");
    let places: Vec<_> = dispatched.iter().map(|r| (r["delivery"].as_u64(), r["attempt"].as_u64())).collect();
    assert_eq!(places, [(Some(1), Some(1)), (Some(1), Some(2))]);
}

/// Intents before outcomes, seals before verdicts, the start first and the end last.
fn journal_is_in_order(events: &[Value]) {
    assert_eq!(events.first().expect("first")["type"], "run_started");
    assert_eq!(events.last().expect("last")["type"], "run_ended");
    let place =
        |kind: &str, field: &str, value: &Value| events.iter().position(|e| e["type"] == kind && &e[field] == value);
    for (i, event) in events.iter().enumerate() {
        let before = match event["type"].as_str().expect("type") {
            "outcome" => place("intent", "key", &event["key"]),
            "judged" => place("sealed", "package", &event["package"]),
            "stage_ended" => place("stage_started", "stage", &event["stage"]),
            _ => continue,
        };
        assert!(before.is_some_and(|b| b < i), "{event} at line {}", i + 1);
    }
}

fn nothing_remains(rehearsal: &Rehearsal) {
    let folder = rehearsal.folder();
    let left: Vec<_> =
        std::fs::read_dir(folder.join("packages")).expect("packages").map(|e| e.expect("entry").file_name()).collect();
    assert!(left.iter().all(|name| !name.to_string_lossy().starts_with('.')), "{left:?}");
    let run = folder.file_name().expect("name").to_string_lossy().into_owned();
    for process in std::fs::read_dir("/proc").expect("proc").filter_map(Result::ok) {
        let environment = std::fs::read(process.path().join("environ")).unwrap_or_default();
        assert!(
            !String::from_utf8_lossy(&environment).contains(&run),
            "process {:?} of the run is left",
            process.file_name()
        );
    }
}

fn verifies(folder: &Path) {
    let output = Command::cargo_bin("assay").expect("assay").arg("verify").arg(folder).output().expect("runs");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
}

/// A protocol whose trials give up soon, so that failing stages are quick to see.
fn impatient() -> tempfile::NamedTempFile {
    let text = std::fs::read_to_string(Path::new(ROOT).join("protocols/study-1.yaml")).expect("protocol");
    let text = text
        .replace("trial_timeout_s: 60", "trial_timeout_s: 8")
        .replace("audit_settle_ms: 1000", "audit_settle_ms: 50");
    let file = tempfile::Builder::new().suffix(".yaml").tempfile_in(Path::new(ROOT).join("protocols")).expect("file");
    std::fs::write(file.path(), text).expect("write");
    file
}

struct Failing {
    stage: &'static str,
    fault: &'static str,
    exit: i32,
}

/// One way to fail for each stage that can be made to.
const FAILING: [Failing; 6] = [
    Failing {
        stage: "preflight",
        fault: "{service: cloudformation, operation: ListStacks, when: {nth: 1}, effect: denied}",
        exit: 64,
    },
    Failing {
        stage: "deploy",
        fault: "{service: cloudformation, operation: CreateStack, target: conventional, effect: {create_failed: {logical_id: RequestQueue}}}",
        exit: 20,
    },
    Failing {
        stage: "probe",
        fault: "{service: lambda, operation: Invoke, target: probe, effect: function_crash}",
        exit: 20,
    },
    Failing {
        stage: "validate-conventional",
        fault: "{service: lambda, operation: Invoke, target: conventional-caller, effect: function_crash}",
        exit: 20,
    },
    Failing {
        stage: "teardown",
        fault: "{service: cloudformation, operation: DeleteStack, target: provider, effect: {delete_failed: {logical_id: LedgerTable}}}",
        exit: 40,
    },
    Failing { stage: "audit", fault: "{service: sqs, operation: ListQueues, effect: denied}", exit: 40 },
];

#[test]
fn a_failure_in_any_stage_still_cleans_up_and_says_why() {
    for failing in &FAILING {
        let protocol = impatient();
        let faults = tempfile::NamedTempFile::new().expect("file");
        std::fs::write(faults.path(), format!("rules: [{}]\n", failing.fault)).expect("write");
        let (protocol, faults) = (protocol.path().display().to_string(), faults.path().display().to_string());
        let rehearsal = Rehearsal::run(&[&protocol, "--variant", "conventional", "--faults", &faults]);
        assert_eq!(rehearsal.output.status.code(), Some(failing.exit), "{}: {}", failing.stage, rehearsal.said());
        let events = rehearsal.journal();
        journal_is_in_order(&events);
        stages_jump_to_cleanup(failing.stage, &events);
        verifies(&rehearsal.folder());
    }
}

fn stages_jump_to_cleanup(failing: &str, events: &[Value]) {
    const PLOT: [&str; 5] = ["preflight", "deploy", "probe", "validate-conventional", "canonical"];
    let ended: Vec<_> = events
        .iter()
        .filter(|e| e["type"] == "stage_ended")
        .map(|e| (e["stage"].as_str().expect("stage"), &e["outcome"]))
        .collect();
    let reached = PLOT.iter().position(|stage| *stage == failing).map_or(PLOT.len(), |at| at + 1);
    let expected: Vec<_> = PLOT.iter().take(reached).chain(&["teardown", "audit"]).copied().collect();
    assert_eq!(ended.iter().map(|(stage, _)| *stage).collect::<Vec<_>>(), expected);
    for (stage, outcome) in ended {
        let may_follow = failing == "teardown" && stage == "audit";
        assert!(
            may_follow || (*outcome == "completed") == (stage != failing),
            "{stage} {outcome} while {failing} fails"
        );
    }
    let failed =
        events.iter().position(|e| e["type"] == "stage_ended" && e["outcome"] == "failed").expect("a failed stage");
    let later = events.iter().skip(failed).filter(|e| e["type"] == "intent");
    assert!(
        later.clone().all(|e| e["key"].as_str().is_some_and(|k| k.starts_with("delete-stack/"))),
        "only cleanup follows"
    );
}
