//! The public conformance histories of the live service, for equivalent handlers. The files are not part of the
//! repository; `ASSAY_CONFORMANCE` names their folder.

use super::support::Lab;
use aws_sdk_lambda::types::{Event, EventType};
use regex_lite::Regex;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

#[tokio::test(flavor = "multi_thread")]
async fn the_live_services_histories_hold() {
    let Some(folder) = std::env::var_os("ASSAY_CONFORMANCE").map(PathBuf::from) else {
        println!("not run: ASSAY_CONFORMANCE does not name the folder of the conformance histories");
        return;
    };
    let lab = Lab::start().await;
    let mut problems = Vec::new();
    let cases = cases(&folder);
    for (number, case) in cases.iter().enumerate() {
        if let Err(problem) = check(&lab, &format!("case-{number}"), &folder, case).await {
            problems.push(format!("{case}: {problem}"));
        }
    }
    lab.close().await;
    println!("{} conformance histories compared", cases.len());
    assert!(!cases.is_empty() && problems.is_empty(), "{} cases:\n{}", cases.len(), problems.join("\n"));
}

/// `step/1-1` and so on.
fn cases(folder: &Path) -> Vec<String> {
    let mut cases = Vec::new();
    for group in ["step", "wait"] {
        for entry in std::fs::read_dir(folder.join(group)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|end| end == "yaml") {
                cases.push(format!("{group}/{}", path.file_stem().unwrap().to_str().unwrap()));
            }
        }
    }
    cases.sort();
    cases
}

async fn check(lab: &Lab, name: &str, folder: &Path, case: &str) -> Result<(), String> {
    let text = std::fs::read_to_string(folder.join(format!("{case}.yaml"))).unwrap();
    // The values of variables are arbitrary; they have to be told apart in logs.
    let text = text.replace("${INPUT_1}", "kqzvwxyj");
    let document = yaml::Document::parse(case, &text, yaml::Dialect::Plain, yaml::Limits::default());
    let expected = document.map_err(|error| error.to_string())?.value().clone();
    let version = lab.durable(name, case, 7200).await;
    let input = expected.get("Input").cloned().unwrap_or(Value::Null);
    let arn = lab.begin(&version, &input.to_string()).await;
    let is_async = expected.get("AsyncInvoke").is_some_and(|value| value == true);
    if is_async {
        suspended(lab, &arn).await;
    } else {
        lab.finish(&arn).await;
        compare_result(lab, &arn, &expected["ExpectedResult"]).await?;
    }
    let history: Vec<Value> = lab.history(&arn).await.iter().map(shown).collect();
    let wanted = expected["ExpectedExecutionHistory"].as_array().unwrap();
    compare_history(wanted, &history, is_async).map_err(|problem| format!("{problem}\nin {history:#?}"))?;
    compare_logs(lab, name, expected.get("ExpectedLogs")).await
}

async fn suspended(lab: &Lab, arn: &str) {
    let is_done =
        async || lab.history(arn).await.iter().any(|event| event.event_type() == Some(&EventType::InvocationCompleted));
    super::support::until("the first invocation ends", is_done).await;
}

async fn compare_result(lab: &Lab, arn: &str, expected: &Value) -> Result<(), String> {
    let shown = lab.lambda.get_durable_execution().durable_execution_arn(arn).send().await.unwrap();
    let status = shown.status.as_str();
    if expected["ExecutionStatus"] != status {
        return Err(format!("ended {status} ({:?})", shown.error));
    }
    let result: Value = serde_json::from_str(shown.result.as_deref().unwrap_or("null")).unwrap();
    match expected.get("Result") {
        Some(wanted) if *wanted != result => Err(format!("result is {result}, not {wanted}")),
        _ => Ok(()),
    }
}

/// `ExecutionStarted` is event 1 and not in the files; nor is the event that ends the execution.
fn compare_history(wanted: &[Value], history: &[Value], is_async: bool) -> Result<(), String> {
    let end = usize::from(!is_async);
    if history.first().is_none_or(|event| event["EventType"] != "ExecutionStarted") {
        return Err("the history does not start with ExecutionStarted".to_owned());
    }
    if history.len() != wanted.len() + 1 + end {
        return Err(format!("{} events, not {}", history.len(), wanted.len() + 1 + end));
    }
    let mut bound = BTreeMap::new();
    for (wanted, event) in wanted.iter().zip(&history[1..]) {
        matches(wanted, event, &mut bound).map_err(|problem| format!("event {}: {problem}", event["EventId"]))?;
    }
    Ok(())
}

/// Everything named in `wanted` must be in `found`. `'*'` is anything, `${NAME}` the same wherever it stands,
/// `${/pattern/}` a text or number that matches.
fn matches(wanted: &Value, found: &Value, bound: &mut BTreeMap<String, Value>) -> Result<(), String> {
    match wanted {
        Value::Object(members) => members.iter().try_for_each(|(key, wanted)| {
            let found = found.get(key).ok_or_else(|| format!("{key} is missing"))?;
            matches(wanted, found, bound).map_err(|problem| format!("{key}: {problem}"))
        }),
        Value::String(text) if text == "*" => Ok(()),
        Value::String(text) => match text.strip_prefix("${").and_then(|text| text.strip_suffix('}')) {
            Some(pattern) if pattern.starts_with('/') => {
                let found = found.as_str().map_or_else(|| found.to_string(), str::to_owned);
                let regex = Regex::new(pattern.trim_matches('/')).unwrap();
                if regex.is_match(&found) { Ok(()) } else { Err(format!("{found} does not match {pattern}")) }
            }
            Some(name) => {
                let first = bound.entry(name.to_owned()).or_insert_with(|| found.clone());
                if first == found { Ok(()) } else { Err(format!("{found} is not the {name} seen before, {first}")) }
            }
            None => equal(wanted, found),
        },
        other => equal(other, found),
    }
}

fn equal(wanted: &Value, found: &Value) -> Result<(), String> {
    if wanted == found { Ok(()) } else { Err(format!("{found}, not {wanted}")) }
}

#[test]
fn the_comparison_sees_differences() {
    let found = json!({"Id": "a", "Details": {"Delay": 3}});
    let holds = |wanted: Value, bound: &mut BTreeMap<String, Value>| matches(&wanted, &found, bound).is_ok();
    let mut bound = BTreeMap::new();
    assert!(holds(json!({"Id": "${ID1}", "Details": {"Delay": "${/^[0-5]$/}"}}), &mut bound));
    assert!(holds(json!({"Id": "${ID1}", "Details": {"Delay": "*"}}), &mut bound));
    assert!(!holds(json!({"Details": {"Delay": 4}}), &mut bound));
    assert!(!holds(json!({"Details": {"Delay": "${/^[4-5]$/}"}}), &mut bound));
    assert!(!holds(json!({"Details": {"Result": {}}}), &mut bound));
    bound.insert("ID1".into(), "b".into());
    assert!(!holds(json!({"Id": "${ID1}"}), &mut bound));
}

async fn compare_logs(lab: &Lab, name: &str, expected: Option<&Value>) -> Result<(), String> {
    let logs = aws_sdk_cloudwatchlogs::Client::new(&lab.local.config);
    for wanted in expected.and_then(Value::as_array).into_iter().flatten() {
        let pattern = wanted["match"]["message"].as_str().unwrap().trim_matches('/');
        let regex = Regex::new(pattern).unwrap();
        let request = logs.filter_log_events().log_group_name(format!("/aws/lambda/{name}"));
        let events = request.send().await.unwrap().events.unwrap_or_default();
        let found = events.iter().filter(|event| event.message().is_some_and(|m| regex.is_match(m))).count();
        if wanted["count"] != found {
            return Err(format!("{found} log lines match {pattern}, not {}", wanted["count"]));
        }
    }
    Ok(())
}

/// An event in the service model's member names.
fn shown(event: &Event) -> Value {
    let mut out = Map::new();
    out.insert("EventType".into(), event.event_type().unwrap().as_str().into());
    out.insert("EventId".into(), event.event_id().into());
    out.insert("EventTimestamp".into(), event.event_timestamp().unwrap().to_millis().unwrap().into());
    for (key, value) in [("Id", event.id()), ("Name", event.name()), ("SubType", event.sub_type())] {
        if let Some(value) = value {
            out.insert(key.into(), value.into());
        }
    }
    let error = |error: Option<&aws_sdk_lambda::types::EventError>| {
        let payload = error?.payload()?;
        Some(json!({"Payload": {"ErrorMessage": payload.error_message(), "ErrorType": payload.error_type()}}))
    };
    let retry = |retry: Option<&aws_sdk_lambda::types::RetryDetails>| {
        retry.map(|retry| {
            let mut out = json!({"CurrentAttempt": retry.current_attempt()});
            if let Some(delay) = retry.next_attempt_delay_seconds() {
                out["NextAttemptDelaySeconds"] = delay.into();
            }
            out
        })
    };
    let details = [
        ("StepStartedDetails", event.step_started_details().map(|_| json!({}))),
        (
            "StepSucceededDetails",
            event.step_succeeded_details().map(|details| {
                let result = details.result().map(|r| json!({"Payload": r.payload(), "Truncated": r.truncated()}));
                without_null(&json!({"Result": result, "RetryDetails": retry(details.retry_details())}))
            }),
        ),
        (
            "StepFailedDetails",
            event.step_failed_details().map(|details| {
                without_null(&json!({"Error": error(details.error()), "RetryDetails": retry(details.retry_details())}))
            }),
        ),
        ("WaitStartedDetails", event.wait_started_details().map(|details| json!({"Duration": details.duration()}))),
        ("WaitSucceededDetails", event.wait_succeeded_details().map(|d| json!({"Duration": d.duration()}))),
        (
            "InvocationCompletedDetails",
            event.invocation_completed_details().map(|d| without_null(&json!({"Error": error(d.error())}))),
        ),
    ];
    out.extend(details.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?))));
    Value::Object(out)
}

fn without_null(value: &Value) -> Value {
    let members = value.as_object().unwrap();
    Value::Object(members.iter().filter(|(_, v)| !v.is_null()).map(|(k, v)| (k.clone(), v.clone())).collect())
}
