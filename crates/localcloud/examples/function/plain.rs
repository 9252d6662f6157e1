//! Functions that are not durable.

use lambda_runtime::{Error, LambdaEvent, service_fn};
use serde_json::{Value, json};
use std::time::Duration;

/// Serves one role.
pub(crate) async fn run(role: String) -> Result<(), Error> {
    if role == "no-start" {
        std::process::exit(3);
    }
    lambda_runtime::run(service_fn(move |event: LambdaEvent<Value>| handle(role.clone(), event))).await
}

async fn handle(role: String, event: LambdaEvent<Value>) -> Result<Value, Error> {
    let (event, context) = event.into_parts();
    match role.as_str() {
        "fail" => Err("this handler always fails".into()),
        "silent" => Ok(event),
        "exit" => std::process::exit(1),
        "sleep" => {
            let ms = event.get("ms").and_then(Value::as_u64).unwrap_or(60_000);
            println!("sleeping {ms} ms");
            tokio::time::sleep(Duration::from_millis(ms)).await;
            Ok(json!({"pid": std::process::id()}))
        }
        // Fails for records whose body says so; reports them where it is asked to report items.
        "records" => records(&event),
        "context" => Ok(json!({
            "pid": std::process::id(),
            "request_id": context.request_id,
            "arn": context.invoked_function_arn,
            "deadline": context.deadline,
            "variables": std::env::vars().collect::<std::collections::BTreeMap<_, _>>(),
        })),
        _ => {
            println!("{event}");
            Ok(event)
        }
    }
}

fn records(event: &Value) -> Result<Value, Error> {
    println!("{event}");
    let records = event.get("Records").and_then(Value::as_array).cloned().unwrap_or_default();
    let count = |record: &Value| record["attributes"]["ApproximateReceiveCount"].as_str().unwrap_or("1").to_owned();
    for record in &records {
        match record["body"].as_str().unwrap_or_default() {
            "fail" => return Err("a record says fail".into()),
            "fail-once" if count(record) == "1" => return Err("a record says fail-once".into()),
            _ => {}
        }
    }
    let reported = records.iter().filter(|record| record["body"] == "report");
    let failures: Vec<Value> = reported.map(|record| json!({"itemIdentifier": record["messageId"]})).collect();
    Ok(json!({"batchItemFailures": failures}))
}
