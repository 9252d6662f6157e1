//! The core without functions: updates, timers and invariants of any sequence of updates.

use super::execution::{Execution, Status};
use crate::cloud::{Cloud, Options};
use crate::lambda::code;
use crate::service::lambda::function::{Logging, Settings, Version};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Write};
use std::sync::Arc;
use tokio::sync::watch;

fn version() -> Arc<Version> {
    let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("bootstrap", zip::write::SimpleFileOptions::default()).unwrap();
    zip.write_all(b"none").unwrap();
    let code = code::unzip(&zip.finish().unwrap().into_inner()).unwrap();
    let logging = Logging { format: "Text".into(), group: None, application_level: None, system_level: None };
    let settings = Settings {
        runtime: "provided.al2023".into(),
        handler: "h".into(),
        role: "r".into(),
        description: String::new(),
        timeout_s: 3,
        memory_mb: 128,
        storage_mb: 512,
        architecture: "x86_64".into(),
        tracing: "PassThrough".into(),
        environment: BTreeMap::new(),
        logging,
        durable: None,
    };
    Arc::new(Version {
        region: "us-east-1".into(),
        name: "f".into(),
        number: Some(1),
        settings,
        code: Arc::new(code),
        modified_ms: 0,
        active_at_ms: 0,
        revision: "r".into(),
    })
}

fn execution() -> Execution {
    let mut execution = Execution {
        arn: "arn".into(),
        id: "id".into(),
        name: "name".into(),
        version: version(),
        input: "{}".into(),
        status: Status::Running,
        result: None,
        error: None,
        started_ms: 0,
        ended_ms: None,
        timeout_s: 100,
        retention_days: 1,
        events: Vec::new(),
        operations: Vec::new(),
        untold: BTreeSet::new(),
        token: None,
        tokens_made: 0,
        answers: BTreeMap::new(),
        early_end: None,
        wake: false,
        again_at_ms: None,
        failed_invocations: 0,
        invocation: None,
        changes: watch::Sender::new(0),
    };
    execution.open();
    execution
}

fn apply(execution: &mut Execution, updates: &[Value], now_ms: i64) -> bool {
    execution.apply_all(updates, now_ms, || "callback".to_owned()).is_ok()
}

fn kinds(execution: &Execution) -> Vec<&str> {
    execution.events.iter().map(|event| event.kind.as_str()).collect()
}

#[test]
fn updates_are_all_or_nothing() {
    let mut execution = execution();
    let start = json!({"Id": "a", "Type": "STEP", "Action": "START"});
    assert!(!apply(&mut execution, &[start.clone(), start.clone()], 1), "a step cannot start twice");
    assert_eq!((kinds(&execution), execution.operations.len()), (vec!["ExecutionStarted"], 0));
    assert!(apply(&mut execution, &[start, json!({"Id": "a", "Type": "STEP", "Action": "SUCCEED"})], 1));
    assert!(!apply(&mut execution, &[json!({"Id": "a", "Type": "STEP", "Action": "FAIL"})], 2), "it has ended");
    assert!(!apply(&mut execution, &[json!({"Id": "a", "Type": "WAIT", "Action": "START"})], 2), "it is a step");
    assert_eq!(kinds(&execution), ["ExecutionStarted", "StepStarted", "StepSucceeded"]);
}

#[test]
fn large_payloads_are_refused() {
    let payload = "x".repeat(256 * 1024 + 1);
    let update = json!({"Id": "a", "Type": "STEP", "Action": "SUCCEED", "Payload": payload});
    assert!(!apply(&mut execution(), &[update], 1));
}

#[test]
fn timers_fire_when_they_are_due_and_not_after_the_end() {
    let mut execution = execution();
    let retry = json!({"Id": "a", "Type": "STEP", "Action": "RETRY", "Error": {"ErrorType": "E"},
        "StepOptions": {"NextAttemptDelaySeconds": 60}});
    let wait = json!({"Id": "b", "Type": "WAIT", "Action": "START", "WaitOptions": {"WaitSeconds": 200}});
    assert!(apply(&mut execution, &[json!({"Id": "a", "Type": "STEP", "Action": "START"}), retry, wait], 1000));
    assert_eq!(execution.next_due_ms(), 61_000);
    execution.fire(60_999);
    assert!(!execution.wake);
    execution.fire(61_000);
    assert!(execution.wake);
    assert_eq!(execution.rendered_operations()[1]["Status"], "READY");
    assert_eq!(execution.rendered_operations()[1]["StepDetails"]["Attempt"], 1);
    // The execution's own timeout is earlier than the wait's end.
    assert_eq!(execution.next_due_ms(), 100_000);
    execution.fire(500_000);
    assert_eq!((execution.status, *kinds(&execution).last().unwrap()), (Status::TimedOut, "ExecutionTimedOut"));
    assert!(!kinds(&execution).contains(&"WaitSucceeded"));
}

#[test]
fn a_long_log_travels_in_part() {
    let mut execution = execution();
    for number in 0..40 {
        let id = number.to_string();
        let payload = "x".repeat(200 * 1024);
        assert!(apply(
            &mut execution,
            &[json!({"Id": id, "Type": "STEP", "Action": "SUCCEED", "Payload": payload})],
            1
        ));
    }
    let envelope = execution.envelope("t");
    let inline = envelope["InitialExecutionState"]["Operations"].as_array().unwrap().len();
    assert!((2..41).contains(&inline), "{inline}");
    assert_eq!(envelope["InitialExecutionState"]["NextMarker"], inline.to_string());
    assert_eq!(envelope["InitialExecutionState"]["Operations"][0]["ExecutionDetails"]["InputPayload"], "{}");
}

#[tokio::test]
async fn a_cloud_without_the_execution_refuses_its_tokens() {
    let cloud = Cloud::start(Options::default()).await.unwrap();
    let input = json!({"DurableExecutionArn": "arn", "CheckpointToken": "t"});
    let input = crate::service::lambda::input::Input(&input);
    let refused = super::checkpoint(&cloud, "us-east-1", input).unwrap_err();
    assert!(refused.message.starts_with("Invalid Checkpoint Token"));
    assert!(super::state_page(&cloud, "us-east-1", input).is_err());
    cloud.shutdown().await;
}

fn update() -> impl Strategy<Value = Value> {
    let id = prop_oneof![Just("a"), Just("b"), Just("c")];
    let kind = prop_oneof![Just("STEP"), Just("WAIT"), Just("CONTEXT"), Just("CALLBACK"), Just("EXECUTION"), Just("?")];
    let action = prop_oneof![Just("START"), Just("SUCCEED"), Just("FAIL"), Just("RETRY"), Just("CANCEL"), Just("?")];
    (id, kind, action, 0i64..5).prop_map(|(id, kind, action, n)| {
        json!({"Id": id, "Type": kind, "Action": action, "WaitOptions": {"WaitSeconds": n},
            "StepOptions": {"NextAttemptDelaySeconds": n}, "CallbackOptions": {"TimeoutSeconds": n}})
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever is sent: ended operations stay as they are, the history only grows, and every operation that has
    /// ended has exactly one event that says so.
    #[test]
    fn any_updates_leave_a_consistent_log(batches in prop::collection::vec(prop::collection::vec(update(), 1..4), 1..30)) {
        let mut execution = execution();
        for (number, batch) in batches.iter().enumerate() {
            let now_ms = i64::try_from(number).unwrap() * 1000;
            let before = (execution.rendered_operations(), execution.events.len());
            let accepted = apply(&mut execution, batch, now_ms);
            let after = execution.rendered_operations();
            if !accepted {
                prop_assert_eq!((&after, execution.events.len()), (&before.0, before.1));
            }
            prop_assert!(execution.events.len() >= before.1);
            let ended = ["SUCCEEDED", "FAILED", "CANCELLED", "TIMED_OUT"];
            for (old, new) in before.0.iter().zip(&after) {
                if ended.iter().any(|status| old["Status"] == *status) {
                    prop_assert_eq!(old, new);
                }
            }
            execution.fire(now_ms);
        }
        for operation in execution.rendered_operations().iter().skip(1) {
            let starts = execution.events.iter().filter(|event| {
                let shown = event.render(1, true);
                shown["Id"] == operation["Id"] && event.kind.ends_with("Cancelled") | event.kind.ends_with("TimedOut")
            });
            let wanted = usize::from(operation["Status"] == "CANCELLED" || operation["Status"] == "TIMED_OUT");
            prop_assert_eq!(starts.count(), wanted);
        }
    }
}
