//! A hostile cloud: every run ends completed, paused or stopped with a reason, and leaves nothing behind.

use crate::support::{Lab, Point, Programs, disturbed, rule};
use std::path::Path;

fn programs() -> Programs {
    Programs::of(Path::new(env!("CARGO_BIN_EXE_assay")))
}

fn sound(point: &Point, codes: &[i32]) {
    assert!(point.problems.is_empty(), "{point:?}");
    assert!(point.code.is_some_and(|code| codes.contains(&code)), "{point:?}");
}

#[test]
fn lost_replies_of_writes_are_reconciled() {
    let programs = programs();
    for (service, operation) in [("cloudformation", "CreateStack"), ("sqs", "SendMessage")] {
        let point = disturbed(&programs, operation, &rule(service, operation, "{ nth: 1 }", "drop_after"), 0);
        sound(&point, &[0]);
    }
}

#[test]
fn a_throttled_write_that_took_no_effect_is_tried_again() {
    let script = "rules:\n  - {operation: CreateStack, when: {nth: 1}, effect: throttle}\n  - {operation: SendMessage, when: {nth: 1}, effect: throttle}\n";
    sound(&disturbed(&programs(), "throttled writes", script, 1), &[0]);
}

#[test]
fn expired_credentials_pause_and_the_run_goes_on() {
    let lab = Lab::open(&programs(), Some(&rule("sqs", "SendMessage", "{ nth: 1 }", "expired_token")));
    let paused = lab.start_run().wait();
    assert_eq!(paused.code, Some(75), "{paused:?}");
    assert!(paused.stderr.contains("assay resume") && paused.stderr.contains("renew"), "{paused:?}");
    let shown = lab.assay(&["list", "--runs", &lab.runs().display().to_string()]);
    assert!(shown.stdout.contains("paused"), "{shown:?}");
    lab.faults(&rule("sts", "GetCallerIdentity", "always", "expired_token"));
    let again = lab.resume();
    assert_eq!(again.code, Some(75), "still expired: {again:?}");
    lab.faults("rules: []");
    let again = lab.resume();
    assert_eq!((again.code, lab.problems(again.code, 1)), (Some(0), Vec::new()), "{again:?}");
}

#[test]
fn a_denied_call_stops_with_its_reason_and_everything_is_cleaned_up() {
    let lab = Lab::open(&programs(), Some(&rule("sqs", "SendMessage", "always", "denied")));
    let ended = lab.start_run().wait();
    assert_eq!(ended.code, Some(20), "{ended:?}");
    assert!(lab.results()["stopped"].as_str().is_some_and(|why| why.contains("AccessDenied")), "{}", lab.results());
    assert_eq!(lab.problems(ended.code, 1), Vec::<String>::new());
}

#[test]
fn the_committed_fault_scripts_leave_nothing_behind() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("protocols/faults");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("script");
    for entry in std::fs::read_dir(&folder).expect("folder") {
        let path = entry.expect("entry").path();
        let text = std::fs::read_to_string(&path).expect("script");
        localcloud::fault::Script::from_yaml(&path.display().to_string(), &text).expect("a script");
    }
    let programs = programs();
    sound(&disturbed(&programs, "delete fails", &read("delete-fails-once.yaml"), 0), &[0]);
}
