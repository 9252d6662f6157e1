//! Sealed packages whose content is made to confuse: never a pass, never a crash, and the cause is said.

use crate::builder;
use crate::support::{seal, seal_trials};
use assert_cmd::Command;
use evidence::package::Sealed;
use evidence::record::Transaction;
use evidence::verdict::{PackageVerdict, Verdict};

fn judge(sealed: &Sealed) -> (i32, PackageVerdict) {
    let output =
        Command::cargo_bin("oracle").unwrap().env_clear().arg("judge").arg(sealed.path()).arg("--json").output();
    let output = output.unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code().unwrap(), serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {said}")))
}

/// The verdict on a good control whose text was edited before it was sealed.
fn edited(edit: impl FnOnce(String) -> Vec<u8>) -> (i32, PackageVerdict) {
    let folder = tempfile::tempdir().unwrap();
    let text = String::from_utf8(evidence::canonical::to_vec(&builder::conventional_control()).unwrap()).unwrap();
    let files = [("trials/canonical-1.json".to_owned(), edit(text))];
    judge(&seal(folder.path(), "canonical", vec!["canonical-1".to_owned()], &files))
}

#[test]
fn amounts_that_are_no_integers_of_minor_units_are_unreadable() {
    for amount in ["10000.0", "1e4", "\"10000\"", "NaN", "9223372036854775808", "null", "[10000]", "-"] {
        let (code, verdict) =
            edited(|text| text.replace("\"amount_minor\":10000", &format!("\"amount_minor\":{amount}")).into());
        assert_eq!((code, verdict.verdict), (20, Verdict::Indeterminate), "{amount}");
        assert!(
            verdict.trials[0].missing[0].contains("not readable as a trial"),
            "{amount}: {:?}",
            verdict.trials[0].missing
        );
    }
}

#[test]
fn amounts_that_are_negative_nought_or_beyond_exact_numbers_prove_nothing() {
    for (amount, cause) in
        [("-10000", "no positive amount"), ("0", "no positive amount"), ("9223372036854775807", "2^53")]
    {
        let (code, verdict) =
            edited(|text| text.replace("\"amount_minor\":10000", &format!("\"amount_minor\":{amount}")).into());
        assert_eq!((code, verdict.verdict), (20, Verdict::Indeterminate), "{amount}");
        let missing = verdict.trials[0].missing.join("; ");
        assert!(missing.contains(cause), "{amount}: {missing}");
    }
}

#[test]
fn other_texts_than_one_plain_trial_are_unreadable() {
    type Edit = fn(String) -> Vec<u8>;
    let cases: [(&str, Edit); 7] = [
        ("byte order mark", |text| format!("\u{feff}{text}").into()),
        ("twice", |text| format!("{text}{text}").into()),
        ("duplicate member", |text| text.replacen("\"gaps\":[]", "\"gaps\":[],\"gaps\":[]", 1).into()),
        ("unknown member", |text| text.replacen("\"gaps\":[]", "\"gaps\":[],\"note\":1", 1).into()),
        ("unknown member of a record", |text| text.replacen("\"kind\":", "\"verdict\":\"pass\",\"kind\":", 1).into()),
        ("not UTF-8", |text| [text.as_bytes(), b"\xff"].concat()),
        ("nothing", |_| Vec::new()),
    ];
    for (what, edit) in cases {
        let (code, verdict) = edited(edit);
        assert_eq!((code, verdict.verdict), (20, Verdict::Indeterminate), "{what}");
        assert!(
            verdict.trials[0].missing[0].contains("not readable as a trial"),
            "{what}: {:?}",
            verdict.trials[0].missing
        );
    }
}

#[test]
fn a_trial_planned_twice_was_run_once() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = evidence::canonical::to_vec(&builder::conventional_control()).unwrap();
    let planned = vec!["canonical-1".to_owned(), "canonical-1".to_owned()];
    let (code, verdict) =
        judge(&seal(folder.path(), "canonical", planned, &[("trials/canonical-1.json".to_owned(), bytes)]));
    assert_eq!((code, verdict.verdict), (20, Verdict::Indeterminate));
    assert_eq!(verdict.trials[1].missing, ["trial: number is not the stage's 2"]);
}

#[test]
fn planned_ids_do_not_lead_out_of_the_package() {
    let folder = tempfile::tempdir().unwrap();
    let planned = vec!["../stage".to_owned(), "/etc/passwd".to_owned(), String::new(), "a\u{0}b".to_owned()];
    let (code, verdict) = judge(&seal(folder.path(), "canonical", planned, &[]));
    assert_eq!((code, verdict.verdict), (20, Verdict::Indeterminate));
    for trial in &verdict.trials {
        assert!(trial.missing[0].ends_with("not in the package"), "{:?}", trial.missing);
    }
}

/// Case 101: over budget is indeterminate with its cause, and so are twenty trials of which each crashed.
#[test]
fn a_trial_stuffed_with_records_is_over_budget() {
    let mut trial = builder::conventional_control();
    let ledger = trial.ledger.as_mut().unwrap();
    let one: Transaction = ledger.transactions[0].clone();
    ledger.transactions = vec![one; 10_001];
    let folder = tempfile::tempdir().unwrap();
    let (code, verdict) = judge(&seal_trials(folder.path(), "canonical", &[trial]));
    assert_eq!((code, verdict.verdict), (20, Verdict::Indeterminate));
    assert!(verdict.trials[0].missing[0].contains("over budget: 1"), "{:?}", verdict.trials[0].missing);
    assert_eq!(verdict.trials[0].transactions, []);
}

/// Case 101, second half.
#[test]
fn twenty_crashed_of_twenty_are_not_green() {
    let folder = tempfile::tempdir().unwrap();
    let planned = (1..=20).map(|n| format!("canonical-{n}")).collect();
    let (code, verdict) = judge(&seal(folder.path(), "canonical", planned, &[]));
    assert_eq!((code, verdict.verdict, verdict.trials.len()), (20, Verdict::Indeterminate, 20));
    assert!(verdict.trials.iter().all(|trial| trial.verdict == Verdict::Indeterminate && !trial.valid));
}

/// Case 85: a redelivery is no failure; a second effect is, and both ids are said.
#[test]
fn a_redelivery_with_one_effect_passes_and_with_two_fails_with_both_ids() {
    let folder = tempfile::tempdir().unwrap();
    let mut trial = builder::conventional_timeout();
    trial.trial.number = 1;
    let ids: Vec<String> =
        trial.ledger.as_ref().unwrap().transactions.iter().map(|one| one.transaction_id.clone()).collect();
    let (code, verdict) = judge(&seal_trials(folder.path(), "canonical", &[trial]));
    assert_eq!((code, ids.len()), (10, 2));
    let reason = &verdict.trials[0].rules[0].reason;
    assert!(ids.iter().all(|id| reason.contains(id)), "{reason}");
    let fixture = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/redelivered-with-one-effect/verdict.json");
    let one: serde_json::Value = serde_json::from_slice(&std::fs::read(fixture).unwrap()).unwrap();
    assert_eq!((&one["verdict"], one["transactions"].as_array().map(Vec::len)), (&"pass".into(), Some(1)));
}

/// Case 89: versions and the unqualified list are all empty, and the message was sent: that is no failure.
#[test]
fn no_execution_under_any_name_is_indeterminate() {
    for fixture in ["no-execution-anywhere", "version-unlisted", "alias-listed"] {
        let path = format!("{}/tests/fixtures/{fixture}/verdict.json", env!("CARGO_MANIFEST_DIR"));
        let verdict: serde_json::Value = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        assert_eq!(verdict["verdict"], "indeterminate", "{fixture}");
        assert_ne!(verdict["missing"], serde_json::json!([]), "{fixture}: the cause is named");
    }
}

/// Judging while verifying: a file that nobody judges is verified all the same, and every problem is told.
#[test]
fn files_that_are_not_judged_are_verified_too() {
    let folder = tempfile::tempdir().unwrap();
    let files = [("notes.txt".to_owned(), b"as sealed".to_vec()), ("more/b.txt".to_owned(), b"as sealed".to_vec())];
    let sealed = seal(folder.path(), "closing", Vec::new(), &files);
    for (path, _) in &files {
        let path = sealed.path().join(path);
        std::fs::remove_file(&path).unwrap();
        std::fs::write(&path, b"changed!!").unwrap();
    }
    let output = Command::cargo_bin("oracle").unwrap().env_clear().arg("judge").arg(sealed.path()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(30), "{said}");
    assert!(said.contains("notes.txt") && said.contains("more/b.txt") && output.stdout.is_empty(), "{said}");
}
