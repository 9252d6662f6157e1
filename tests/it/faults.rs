//! A hostile cloud: every run ends completed, paused or stopped with a reason, and leaves nothing behind.

use crate::support::{FAST, FAST_DURABLE, Lab, Point, Programs, disturbed, rehearsed, rule, scripts};
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
    let script = "rules:\n  - {operation: CreateStack, when: {nth: 1}, effect: throttle}\n  - {operation: SendMessage, when: {nth: 1}, effect: throttle}\n  - {operation: UpdateEventSourceMapping, when: {nth: 1}, effect: throttle}\n";
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
fn credentials_that_expire_while_a_bucket_is_emptied_pause_the_teardown() {
    let script = rule("s3", "DeleteObjects", "{ nth: 1 }", "expired_token");
    let point = disturbed(&programs(), "expired while emptying", &script, 0);
    sound(&point, &[0]);
    assert!(point.ends.starts_with("75: error: paused"), "{point:?}");
}

/// The final look at a stack that is complete already: throttled for long, it fails nothing and flags the evidence.
#[test]
fn a_throttled_final_poll_does_not_fail_the_deploy_and_flags_the_evidence() {
    let lab = Lab::open(&programs(), Some(&rule("cloudformation", "DescribeStacks", "always", "throttle")));
    let mut running = lab.start_run();
    // A read gives up after eight attempts; the ninth call is the poll's next look.
    let gave_up = |lab: &Lab| lab.calls(localcloud::Service::CloudFormation, "DescribeStacks") > 8;
    assert!(lab.until(&mut running, gave_up), "{}", running.stderr());
    lab.faults("rules: []");
    let ended = running.wait();
    assert_eq!((ended.code, lab.problems(ended.code, 0)), (Some(0), Vec::new()), "{ended:?}");
    let path = lab.run_folder().expect("run").join("packages/deploy/disturbances.json");
    let flags: serde_json::Value =
        serde_json::from_slice(&std::fs::read(path).expect("disturbances.json")).expect("JSON");
    let said = flags["components"].as_object().expect("components").values().next().expect("a component");
    assert!(said[0].as_str().is_some_and(|text| text.contains("throttled or unanswered")), "{flags}");
}

/// Case 74: a queue's name rests for 60 s after its deletion; the names of the next run are fresh ones.
#[test]
fn a_run_right_after_another_does_not_meet_the_names_that_still_rest() {
    let lab = Lab::open(&programs(), None);
    for _ in 0..2 {
        let ended = lab.start_run().wait();
        assert_eq!(ended.code, Some(0), "{ended:?}");
        assert_eq!(lab.living_stacks(), Vec::<String>::new());
    }
    let runs = std::fs::read_dir(lab.runs()).expect("runs").filter_map(Result::ok);
    assert_eq!(runs.filter(|run| run.path().join("results.json").is_file()).count(), 2);
}

#[test]
fn a_denied_call_stops_with_its_reason_and_everything_is_cleaned_up() {
    let lab = Lab::open(&programs(), Some(&rule("sqs", "SendMessage", "always", "denied")));
    let ended = lab.start_run().wait();
    assert_eq!(ended.code, Some(20), "{ended:?}");
    assert!(lab.results()["stopped"].as_str().is_some_and(|why| why.contains("AccessDenied")), "{}", lab.results());
    assert_eq!(lab.problems(ended.code, 1), Vec::<String>::new());
}

/// All of them: `cargo run --example matrix -- scripts`.
#[test]
fn a_sample_of_the_committed_fault_scripts_ends_as_they_say() {
    let programs = programs();
    let sample = ["delete-fails-once.yaml", "throttled.yaml", "rollback-fails.yaml", "denied.yaml"];
    std::thread::scope(|scope| {
        for path in scripts().into_iter().filter(|path| sample.iter().any(|name| path.ends_with(name))) {
            let programs = &programs;
            scope.spawn(move || {
                let (point, _) = rehearsed(programs, FAST, &path);
                assert!(point.problems.is_empty(), "{point:?}");
            });
        }
    });
}

/// Case 90: without a key, an environment that ends between effect and record makes the refund twice, and the oracle
/// says so, for the queue's retry and for the replay of a durable step alike.
#[test]
fn an_environment_killed_between_effect_and_record_is_judged_as_a_second_refund() {
    let script = scripts().into_iter().find(|path| path.ends_with("environment-killed.yaml")).expect("script");
    // The fast protocols have one canonical trial, so the durable caller is to be killed in the first.
    let text = std::fs::read_to_string(&script).expect("script");
    let durable = tempfile::NamedTempFile::new().expect("file");
    let lines = text.lines().filter(|line| !line.contains("target: provider-provider"));
    let lines: Vec<String> = lines.map(|line| line.replace("canonical-2", "canonical-1")).collect();
    std::fs::write(durable.path(), lines.join("\n")).expect("write");
    for (protocol, script, invocations) in [(FAST, script.as_path(), None), (FAST_DURABLE, durable.path(), Some(2))] {
        let (point, lab) = rehearsed(&programs(), protocol, script);
        assert!(point.problems.is_empty(), "{point:?}");
        assert_eq!(point.code, Some(10), "{point:?}");
        let cell = &lab.results()["cells"][0];
        assert_eq!(
            (cell["scenario"].as_str(), cell["as_predicted"].as_bool()),
            (Some("CONTROL"), Some(false)),
            "{cell}"
        );
        assert_eq!((cell["valid"].as_bool(), cell["verdict"].as_str()), (Some(true), Some("fail")), "{cell}");
        assert_eq!(cell["transactions"].as_array().map(Vec::len), Some(2), "{cell}");
        if let Some(invocations) = invocations {
            assert_eq!(completed_invocations(&lab), invocations, "the replay is in the one execution's history");
        }
    }
}

/// Invocations in the histories of the canonical trial's executions.
fn completed_invocations(lab: &Lab) -> usize {
    let path = lab.run_folder().expect("run").join("packages/canonical/trials/canonical-1.json");
    std::fs::read_to_string(path).expect("trial").matches("\"InvocationCompleted\"").count()
}
