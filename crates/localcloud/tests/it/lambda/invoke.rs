use super::support::{Lab, is_gone, until};
use crate::support::start_with;
use aws_sdk_lambda::error::ProvideErrorMetadata;
use aws_sdk_lambda::primitives::Blob;
use aws_sdk_lambda::types::InvocationType;
use localcloud::Options;
use localcloud::fault::Script;
use std::path::Path;
use std::time::{Duration, Instant};

#[tokio::test(flavor = "multi_thread")]
async fn an_environment_is_used_again_and_knows_where_it_is() {
    let lab = Lab::start().await;
    lab.plain("f", "context", 3).await;
    let (first, error, tail) = lab.call("f", "{}").await;
    assert_eq!(error, None);
    let lines: Vec<&str> = tail.lines().collect();
    let request_id = first["request_id"].as_str().unwrap();
    assert_eq!(lines[0], format!("START RequestId: {request_id} Version: $LATEST"));
    assert!(lines.iter().any(|line| line.starts_with(&format!("END RequestId: {request_id}"))));
    assert!(lines.iter().any(|line| line.starts_with("REPORT ") && line.contains("Init Duration: ")));
    let variables = &first["variables"];
    assert_eq!(variables["AWS_ENDPOINT_URL"], lab.local.cloud.endpoint());
    assert_eq!(variables["AWS_LAMBDA_FUNCTION_NAME"], "f");
    assert_eq!(variables["AWS_REGION"], "us-east-1");
    assert!(variables["HOME"].is_null(), "nothing of this process's environment is passed on");
    let (second, _, tail) = lab.call("f", "{}").await;
    assert_eq!(first["pid"], second["pid"]);
    assert!(!tail.contains("Init Duration"));
    lab.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn invocations_at_the_same_time_have_environments_of_their_own() {
    let lab = Lab::start().await;
    lab.plain("f", "sleep", 10).await;
    let slow = r#"{"ms": 300}"#;
    let (a, b) = tokio::join!(lab.call("f", slow), lab.call("f", slow));
    assert_ne!(a.0["pid"], b.0["pid"]);
    lab.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_timeout_kills_the_environment() {
    let lab = Lab::start().await;
    lab.plain("f", "sleep", 1).await;
    let (body, error, tail) = lab.call("f", "{}").await;
    assert_eq!(error.as_deref(), Some("Unhandled"));
    assert_eq!(body["errorType"], "Sandbox.Timedout");
    assert!(body["errorMessage"].as_str().unwrap().ends_with("Task timed out after 1.00 seconds"), "{body}");
    assert!(tail.contains("sleeping 60000 ms") && tail.contains("Status: timeout"), "{tail}");
    lab.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn failures_have_lambdas_words() {
    let lab = Lab::start().await;
    lab.plain("fails", "fail", 3).await;
    let (body, error, _) = lab.call("fails", "{}").await;
    assert_eq!((error.as_deref(), &body["errorMessage"]), (Some("Unhandled"), &"this handler always fails".into()));
    lab.plain("exits", "exit", 3).await;
    let (body, ..) = lab.call("exits", "{}").await;
    assert_eq!(body["errorType"], "Runtime.ExitError");
    assert!(body["errorMessage"].as_str().unwrap().ends_with("Runtime exited with error: exit status 1"), "{body}");
    lab.plain("no-start", "no-start", 3).await;
    let (body, ..) = lab.call("no-start", "{}").await;
    assert_eq!(body["errorType"], "Runtime.ExitError");
    // A crash is not the end: the next invocation gets a new environment.
    let (body, ..) = lab.call("exits", "{}").await;
    assert_eq!(body["errorType"], "Runtime.ExitError");
    lab.close().await;
}

#[tokio::test]
async fn requests_are_checked() {
    let lab = Lab::start().await;
    lab.plain("f", "echo", 3).await;
    let invoke = || lab.lambda.invoke().function_name("f");
    let bad = invoke().payload(Blob::new("{")).send().await.unwrap_err();
    assert_eq!(bad.code(), Some("InvalidRequestContentException"));
    let large = format!("\"{}\"", "x".repeat(6 * 1024 * 1024));
    assert_eq!(invoke().payload(Blob::new(large)).send().await.unwrap_err().code(), Some("RequestTooLargeException"));
    let missing = lab.lambda.invoke().function_name("f:9").send().await.unwrap_err();
    assert_eq!(missing.code(), Some("ResourceNotFoundException"));
    let dry = invoke().invocation_type(InvocationType::DryRun).send().await.unwrap();
    assert_eq!(dry.status_code(), 204);
    lab.lambda.put_function_concurrency().function_name("f").reserved_concurrent_executions(0).send().await.unwrap();
    assert_eq!(invoke().send().await.unwrap_err().code(), Some("TooManyRequestsException"));
    lab.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failed_event_is_tried_three_times() {
    let lab = Lab::start().await;
    lab.plain("f", "fail", 3).await;
    let invoked = lab.lambda.invoke().function_name("f").invocation_type(InvocationType::Event).send().await.unwrap();
    assert_eq!(invoked.status_code(), 202);
    let logs = aws_sdk_cloudwatchlogs::Client::new(&lab.local.config);
    let starts = async || {
        let found = logs.filter_log_events().log_group_name("/aws/lambda/f").send().await;
        let events = found.ok().and_then(|page| page.events).unwrap_or_default();
        events.iter().filter(|event| event.message().is_some_and(|m| m.starts_with("START"))).count()
    };
    for tries in 1..=3 {
        until("the function is tried", async || starts().await == tries).await;
        let began = Instant::now();
        // The log is written before the next delay begins.
        while tries < 3 && starts().await == tries && began.elapsed() < Duration::from_secs(30) {
            lab.local.cloud.clock().advance(Duration::from_secs(30));
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    lab.local.cloud.clock().advance(Duration::from_secs(600));
    tokio::time::sleep(Duration::from_millis(100)).await;
    assert_eq!(starts().await, 3);
    lab.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn faults_crash_and_time_out() {
    let script = "rules:\n  - {service: lambda, operation: Invoke, target: f, when: {nth: 1}, effect: function_crash}\n  - {service: lambda, operation: Invoke, target: f, when: {nth: 2}, effect: function_timeout}\n  - {service: lambda, operation: Invoke, target: f, when: {nth: 3}, effect: kill_environment_after_effect}\n";
    let faults = Script::from_yaml("faults.yaml", script).unwrap();
    let lab = Lab::of(start_with(Options { faults: Some(faults), ..Options::default() }).await);
    lab.plain("f", "echo", 1).await;
    assert_eq!(lab.call("f", "1").await.0["errorType"], "Runtime.ExitError");
    assert_eq!(lab.call("f", "2").await.0["errorType"], "Sandbox.Timedout");
    assert_eq!(lab.call("f", "3").await.0["errorType"], "Runtime.ExitError");
    assert_eq!(lab.call("f", "4").await.0, 4);
    lab.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_left_after_shutdown() {
    let lab = Lab::start().await;
    lab.plain("f", "context", 3).await;
    let (shown, ..) = lab.call("f", "{}").await;
    let process = format!("/proc/{}", shown["pid"]);
    let folder = shown["variables"]["LAMBDA_TASK_ROOT"].as_str().unwrap().to_owned();
    assert!(Path::new(&process).exists() && Path::new(&folder).exists());
    lab.close().await;
    assert!(!Path::new(&folder).exists());
    until("the child is gone", async || is_gone(&process)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_warm_invocation_adds_little() {
    let lab = Lab::start().await;
    lab.plain("f", "echo", 3).await;
    let mut times: Vec<Duration> = Vec::new();
    for _ in 0..40 {
        let began = Instant::now();
        lab.call("f", "1").await;
        times.push(began.elapsed());
    }
    times.sort();
    println!("warm invocation over HTTP: median {:?}, fastest {:?}", times[20], times[0]);
    // Generous, for unoptimised builds on a machine that does other things; the benchmark measures.
    assert!(times[0] < Duration::from_millis(50), "{times:?}");
    lab.close().await;
}
