//! The binary on sealed packages: exit codes, files, and the same bytes every time.

use crate::builder;
use crate::support::{seal, seal_trials};
use assert_cmd::Command;
use evidence::package::Sealed;
use evidence::verdict::{PackageVerdict, Verdict};
use std::fs;
use std::path::Path;

/// The binary without any environment.
fn oracle() -> Command {
    let mut command = Command::cargo_bin("oracle").unwrap();
    command.env_clear();
    command
}

fn judge(sealed: &Sealed) -> (i32, PackageVerdict) {
    let output = oracle().arg("judge").arg(sealed.path()).arg("--json").output().unwrap();
    (output.status.code().unwrap(), serde_json::from_slice(&output.stdout).unwrap())
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn trial_bytes(trial: &evidence::trial::TrialEvidence) -> Vec<u8> {
    evidence::canonical::to_vec(trial).unwrap()
}

#[test]
fn exit_codes_follow_the_verdict() {
    let folder = tempfile::tempdir().unwrap();
    let (code, verdict) = judge(&seal_trials(folder.path(), "probe", &[builder::probe()]));
    assert_eq!((code, verdict.verdict), (0, Verdict::Pass));
    let sealed = seal_trials(folder.path(), "canonical", &builder::canonical());
    let (code, verdict) = judge(&sealed);
    assert_eq!((code, verdict.verdict), (10, Verdict::Fail));
    let each: Vec<_> = verdict.trials.iter().map(|trial| trial.verdict).collect();
    assert_eq!(each, [Verdict::Pass, Verdict::Pass, Verdict::Fail, Verdict::Fail]);
    assert_eq!(verdict.package, sealed.identity().to_string());
    assert_eq!(verdict.oracle, oracle::oracle_id());
}

#[test]
fn one_fail_and_one_indeterminate_are_a_fail() {
    let folder = tempfile::tempdir().unwrap();
    let mut trials = builder::canonical();
    trials[0].ledger = None;
    let (code, verdict) = judge(&seal_trials(folder.path(), "canonical", &trials));
    assert_eq!((code, verdict.verdict), (10, Verdict::Fail));
    assert_eq!(verdict.trials[0].verdict, Verdict::Indeterminate);
}

#[test]
fn nothing_checked_is_indeterminate() {
    let folder = tempfile::tempdir().unwrap();
    let (code, verdict) = judge(&seal(folder.path(), "closing", Vec::new(), &[]));
    assert_eq!((code, verdict.verdict), (20, Verdict::Indeterminate));
    assert_eq!(verdict.missing, ["stage.json: no trial is planned, so nothing was checked"]);
    let output = oracle().arg("judge").arg(folder.path().join("closing")).arg("--json").output().unwrap();
    assert_eq!(text(&output.stdout), text(&evidence::canonical::to_vec(&verdict).unwrap()) + "\n");
}

#[test]
fn a_planned_trial_without_file_is_missing_and_an_unplanned_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let trials = builder::canonical();
    let planned = vec!["canonical-1".to_owned(), "canonical-2".to_owned()];
    let files = [
        ("trials/canonical-1.json".to_owned(), trial_bytes(&trials[0])),
        ("trials/canonical-3.json".to_owned(), trial_bytes(&trials[2])),
    ];
    let (code, verdict) = judge(&seal(folder.path(), "canonical", planned, &files));
    assert_eq!((code, verdict.verdict), (20, Verdict::Indeterminate));
    assert_eq!(verdict.trials[1].missing, ["trials/canonical-2.json: not in the package"]);
    assert_eq!(verdict.trials[1].scenario, None);
    assert_eq!(verdict.missing, ["trials/canonical-3.json: not a trial that the stage planned"]);
}

#[test]
fn a_trial_under_another_name_is_not_that_trial() {
    let folder = tempfile::tempdir().unwrap();
    let files = [("trials/canonical-2.json".to_owned(), trial_bytes(&builder::conventional_control()))];
    let (code, verdict) = judge(&seal(folder.path(), "canonical", vec!["canonical-2".to_owned()], &files));
    assert_eq!(code, 20);
    let missing = ["trial: id is not the stage's canonical-2", "trial: number is not the stage's 1"];
    assert_eq!(verdict.trials[0].missing, missing[..1]);
}

#[test]
fn nonsense_in_a_sealed_file_is_indeterminate_with_its_cause() {
    let folder = tempfile::tempdir().unwrap();
    let deep = "[".repeat(100_000).into_bytes();
    let files = [("trials/canonical-1.json".to_owned(), deep), ("trials/canonical-2.json".to_owned(), vec![0xFF; 64])];
    let planned = vec!["canonical-1".to_owned(), "canonical-2".to_owned()];
    let (code, verdict) = judge(&seal(folder.path(), "canonical", planned, &files));
    assert_eq!(code, 20);
    for trial in verdict.trials {
        assert!(trial.missing[0].contains("not readable as a trial"), "{:?}", trial.missing);
    }
}

#[test]
fn over_budget_is_indeterminate_with_its_cause() {
    let folder = tempfile::tempdir().unwrap();
    let sealed = seal_trials(folder.path(), "canonical", &builder::canonical());
    let limits = oracle::Limits { trial_bytes: 100, trials: 3, ..oracle::Limits::default() };
    let verdict = oracle::package::judge(&sealed, &limits).unwrap();
    assert_eq!(verdict.verdict, Verdict::Indeterminate);
    assert_eq!(verdict.trials.len(), 3);
    assert!(verdict.trials[0].missing[0].contains("over budget"), "{:?}", verdict.trials[0].missing);
    assert_eq!(verdict.missing, ["over budget: 4 trials, 3 are judged at most"]);
}

#[test]
fn a_changed_byte_does_not_verify() {
    let folder = tempfile::tempdir().unwrap();
    let sealed = seal_trials(folder.path(), "probe", &[builder::probe()]);
    let file = sealed.path().join("trials/probe-1.json");
    let bytes = fs::read_to_string(&file).unwrap().replacen("10000", "10001", 1);
    make_writable(&file);
    fs::write(&file, bytes).unwrap();
    let output = oracle().arg("judge").arg(sealed.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(30), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("trials/probe-1.json"), "{}", text(&output.stderr));
    assert!(output.stdout.is_empty());
}

fn make_writable(file: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    for path in [file.parent().unwrap(), file] {
        let mode = if path.is_dir() { 0o755 } else { 0o644 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
}

#[test]
fn usage_errors_are_64_and_help_is_0() {
    let folder = tempfile::tempdir().unwrap();
    let sealed = seal_trials(folder.path(), "probe", &[builder::probe()]);
    let package = sealed.path().to_str().unwrap();
    for arguments in [vec![], vec!["judge"], vec!["judge", package, "--fast"], vec!["explain", package, "--trial", "7"]]
    {
        let output = oracle().args(&arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(64), "{arguments:?}: {}", text(&output.stderr));
    }
    let output = oracle().args(["explain", package, "--trial", "7"]).output().unwrap();
    assert_eq!(text(&output.stderr), "oracle: no trial \"7\" in this package; it has: 1 (probe-1)\n");
    oracle().arg("--help").assert().code(0);
    oracle().args(["judge", "/nonexistent"]).assert().code(30);
}

#[test]
fn the_same_bytes_give_the_same_verdict_file() {
    let folder = tempfile::tempdir().unwrap();
    let sealed = seal_trials(folder.path(), "canonical", &builder::canonical());
    let (one, two) = (folder.path().join("one.json"), folder.path().join("two.json"));
    oracle().arg("judge").arg(sealed.path()).arg("--out").arg(&one).assert().code(10);
    let mut other = oracle();
    other.env("TZ", "Asia/Tokyo").env("LANG", "pt_BR.UTF-8").current_dir(folder.path());
    other.arg("judge").arg(sealed.path()).arg("--out").arg(&two).assert().code(10);
    let bytes = fs::read(&one).unwrap();
    assert_eq!(bytes, fs::read(&two).unwrap());
    let verdict: PackageVerdict = serde_json::from_slice(&bytes).unwrap();
    let mut canonical = evidence::canonical::to_vec(&verdict).unwrap();
    canonical.push(b'\n');
    assert_eq!(bytes, canonical, "the verdict file is canonical JSON and a newline");
    for rule in verdict.trials.iter().flat_map(|trial| &trial.rules) {
        for cite in &rule.decisive {
            let read = sealed.read(&cite.artifact).unwrap();
            assert_eq!(evidence::digest::Digest::of(&read).to_string(), cite.sha256);
        }
    }
    // Judging again into the same file is fine; another verdict there is kept.
    oracle().arg("judge").arg(sealed.path()).arg("--out").arg(&one).assert().code(10);
    fs::write(&two, "{}").unwrap();
    oracle().arg("judge").arg(sealed.path()).arg("--out").arg(&two).assert().code(64);
    assert_eq!(fs::read_to_string(&two).unwrap(), "{}");
}

#[test]
fn explain_prints_what_decided_and_the_timeline() {
    let folder = tempfile::tempdir().unwrap();
    let sealed = seal_trials(folder.path(), "canonical", &builder::canonical());
    for wanted in ["4", "canonical-4"] {
        let output = oracle().arg("explain").arg(sealed.path()).args(["--trial", wanted]).output().unwrap();
        assert_eq!(output.status.code(), Some(10));
        let printed = text(&output.stdout);
        for line in [
            "trial 4 · canonical-4 · durable · COMMIT_THEN_TIMEOUT",
            "verdict fail · processing SUCCEEDED · correct_completion false",
            "     trials/canonical-4.json#/ledger/transactions/1",
            "06:16:53.277  caller      caller_timeout_recorded delivery 1 attempt 1 after 3002 ms",
            "06:17:54.593  durable     ExecutionSucceeded",
        ] {
            assert!(printed.contains(line), "{line}\nnot in\n{printed}");
        }
    }
}

#[test]
fn rejudging_keeps_the_old_verdict_and_says_what_changed() {
    let folder = tempfile::tempdir().unwrap();
    let sealed = seal_trials(folder.path(), "canonical", &builder::canonical());
    let (_, mut old) = judge(&sealed);
    old.oracle.version = "0.0.1".to_owned();
    old.verdict = Verdict::Pass;
    old.trials[2].verdict = Verdict::Pass;
    old.trials[2].rules[0].verdict = Verdict::Pass;
    let file = folder.path().join("old.json");
    let bytes = evidence::canonical::to_vec(&old).unwrap();
    fs::write(&file, &bytes).unwrap();
    let new = folder.path().join("new.json");
    let output = oracle().arg("rejudge").arg(&file).arg(sealed.path()).arg("--out").arg(&new).output().unwrap();
    assert_eq!(output.status.code(), Some(10), "{}", text(&output.stderr));
    let printed = text(&output.stdout);
    for line in
        ["old: pass by oracle 0.0.1", "package · verdict\n  old: pass\n  new: fail", "canonical-3 · M1\n  old: pass: "]
    {
        assert!(printed.contains(line), "{line}\nnot in\n{printed}");
    }
    assert_eq!(fs::read(&file).unwrap(), bytes, "the old verdict stays as it is");
    let verdict: PackageVerdict = serde_json::from_slice(&fs::read(&new).unwrap()).unwrap();
    assert_eq!(verdict.verdict, Verdict::Fail);
    // Over the old file itself it refuses.
    oracle().arg("rejudge").arg(&file).arg(sealed.path()).arg("--out").arg(&file).assert().code(64);
    let other = seal_trials(folder.path(), "probe", &[builder::probe()]);
    let output = oracle().arg("rejudge").arg(&file).arg(other.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(64));
    assert!(text(&output.stderr).contains("can only be compared over the same bytes"));
}

#[test]
fn a_sealed_mutant_is_caught_by_the_binary_too() {
    let folder = tempfile::tempdir().unwrap();
    let mut trial = builder::conventional_timeout();
    let ledger = trial.ledger.as_mut().unwrap();
    ledger.transactions.pop();
    ledger.pages[0].items = 1;
    trial.trial.number = 1;
    let (code, verdict) = judge(&seal_trials(folder.path(), "canonical", &[trial]));
    assert_eq!((code, verdict.verdict), (20, Verdict::Indeterminate));
    let reason = &verdict.trials[0].rules[0].reason;
    assert!(reason.contains("observed: exactly one success transaction"), "{reason}");
}
