use crate::stand_in::{ProviderPlay, StandIn, output};
use evidence::record::{RefundRequest, Scenario};
use functions::event::SqsEvent;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

const CALLER: [(&str, &str); 6] = [
    ("CALLER_JOURNAL_TABLE", "journal"),
    ("PROVIDER_FUNCTION", "provider"),
    ("DEADLINE_MS", "300"),
    ("MAX_RECEIVE_COUNT", "2"),
    ("RETRY_ATTEMPTS", "2"),
    ("RETRY_DELAY_S", "60"),
];

fn vars(role: &'static str) -> Vec<(&'static str, &'static str)> {
    [("_HANDLER", role)].into_iter().chain(CALLER).collect()
}

fn event() -> Value {
    let request = RefundRequest {
        run: "run".to_owned(),
        trial: "canonical-3".to_owned(),
        scenario: Scenario::CommitThenTimeout,
        refund_request_id: "ref-poc-001".to_owned(),
        amount_minor: 10_000,
        currency: "BRL".to_owned(),
    };
    serde_json::to_value(SqsEvent::synthetic("m-1", &request).unwrap()).unwrap()
}

/// Kinds of the journal records put, in order.
fn journal(stand_in: &StandIn) -> Vec<String> {
    let puts = stand_in.calls("POST / DynamoDB_20120810.PutItem");
    puts.iter().map(|put| put["Item"]["kind"]["S"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn an_unknown_role_or_a_missing_setting_ends_the_process_with_its_name() {
    let stand_in = StandIn::start(event(), ProviderPlay::Answers).await;
    let (code, text) = output(stand_in.bootstrap(&vars("function.handler"))).await;
    assert_eq!(code, Some(1));
    assert!(text.contains("`function.handler` is no role of this binary"), "{text}");
    let (code, text) = output(stand_in.bootstrap(&[("_HANDLER", "provider")])).await;
    assert_eq!(code, Some(1));
    assert!(text.contains("environment variable LEDGER_TABLE is not set"), "{text}");
    assert!(!text.contains("very-secret"), "{text}");
}

#[tokio::test]
async fn the_conventional_caller_answers_and_journals() {
    let stand_in = StandIn::start(event(), ProviderPlay::Answers).await;
    let _process = stand_in.bootstrap(&vars("caller-conventional"));
    let ended = stand_in.ended().await;
    assert_eq!((ended.how.as_str(), ended.body), ("response", json!({"transaction_id": "txn-1"})));
    let expected = ["state_changed", "state_changed", "dispatch_started", "response_received", "state_changed"];
    assert_eq!(journal(&stand_in), expected);
    let call = &stand_in.calls("POST /2015-03-31/functions/provider/invocations")[0];
    assert_eq!((&call["delivery"], &call["request"]["amount_minor"]), (&json!(1), &json!(10_000)));
}

#[tokio::test]
async fn the_deadline_ends_the_call_and_nothing_repeats_it() {
    let stand_in = StandIn::start(event(), ProviderPlay::Hangs).await;
    let started = Instant::now();
    let _process = stand_in.bootstrap(&vars("caller-conventional"));
    let ended = stand_in.ended().await;
    assert!(started.elapsed() >= Duration::from_millis(300));
    assert_eq!((ended.how.as_str(), &ended.body["errorType"]), ("error", &json!("ProviderTimeout")));
    assert!(ended.body["errorMessage"].as_str().unwrap().contains("the outcome is unknown"), "{}", ended.body);
    assert_eq!(stand_in.calls("POST /2015-03-31/functions/provider").len(), 1, "SDK retries are off");
    let expected = [
        "state_changed",
        "state_changed",
        "dispatch_started",
        "caller_timeout_recorded",
        "effect_knowledge",
        "caller_failed",
    ];
    assert_eq!(journal(&stand_in), expected);
}

#[tokio::test]
async fn the_durable_caller_checkpoints_a_retry_after_the_delay_and_suspends() {
    let state = json!({"Operations": [{
        "Id": "execution", "Type": "EXECUTION", "Status": "STARTED",
        "ExecutionDetails": {"InputPayload": event().to_string()},
    }]});
    let arn = "arn:aws:lambda:us-east-1:000000000000:function:assay-caller:1/durable-execution/e/1";
    let envelope = json!({"DurableExecutionArn": arn, "CheckpointToken": "token-1", "InitialExecutionState": state});
    let stand_in = StandIn::start(envelope, ProviderPlay::Hangs).await;
    let _process = stand_in.bootstrap(&vars("caller-durable"));
    let ended = stand_in.ended().await;
    assert_eq!((ended.how.as_str(), &ended.body["Status"]), ("response", &json!("PENDING")));
    let checkpoints = stand_in.calls("POST /2025-12-01/durable-executions/");
    let updates: Vec<_> = checkpoints.iter().flat_map(|body| body["Updates"].as_array().unwrap()).collect();
    let actions: Vec<_> = updates.iter().map(|update| update["Action"].as_str().unwrap()).collect();
    assert_eq!(actions, ["START", "RETRY"]);
    assert_eq!(updates[0]["Name"], json!("refund-attempt"));
    assert_eq!(updates[1]["StepOptions"]["NextAttemptDelaySeconds"], json!(60));
    assert_eq!(updates[1]["Error"]["ErrorType"], json!("ProviderTimeout"));
    assert_eq!(journal(&stand_in).last().unwrap(), "caller_failed");
}
