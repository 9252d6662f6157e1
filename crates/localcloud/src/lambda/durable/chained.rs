//! Chained invokes: an execution calls another function and is told how that ended.

use super::event::{self, Event};
use super::execution::Status;
use super::operation::{Kind, OperationStatus};
use super::start::Ended;
use crate::cloud::{Cloud, Context, Origin};
use crate::service::Service;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// Starts the invokes of an execution that have not been started.
pub(super) fn launch(cloud: &Cloud, region: &str, arn: &str) {
    let now_ms = cloud.clock().now_ms();
    let targets = cloud.with(region, |state| {
        let Some(execution) = state.lambda.executions.get(arn, now_ms) else { return Vec::new() };
        let open = execution.operations.iter_mut().filter(|operation| operation.kind == Kind::ChainedInvoke);
        let mut found = Vec::new();
        for operation in open {
            if let Some(target) = operation.target.as_mut().filter(|target| !target.launched) {
                target.launched = true;
                found.push((operation.id.clone(), target.function.clone(), target.payload.clone()));
            }
        }
        found
    });
    for (id, function, payload) in targets {
        let (own, region, arn) = (cloud.clone(), region.to_owned(), arn.to_owned());
        cloud.spawn(async move {
            let ended = call(&own, &region, &function, &payload).await;
            settle(&own, &region, &arn, &id, ended);
        });
    }
}

/// Invokes as any client would; a durable function is awaited to its end.
async fn call(cloud: &Cloud, region: &str, function: &str, payload: &str) -> Ended {
    let context = Context { region: region.to_owned(), request_id: cloud.uuid(), origin: Origin::Lambda };
    let input = json!({"FunctionName": function, "Payload": STANDARD.encode(payload)});
    let failed = |error: Value| Ended { status: Status::Failed, result: None, error: Some(error) };
    match cloud.call(&context, Service::Lambda, "Invoke", input).await {
        Err(refused) => failed(json!({"ErrorType": refused.code, "ErrorMessage": refused.message})),
        Ok(output) => {
            let body = output.get("Payload").and_then(Value::as_str).unwrap_or_default();
            let body = STANDARD.decode(body).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
            let body = body.unwrap_or_default();
            if output.get("FunctionError").is_none() {
                return Ended { status: Status::Succeeded, result: Some(body), error: None };
            }
            let error: Value = serde_json::from_str(&body).unwrap_or_default();
            let text = |key: &str| error.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            failed(json!({"ErrorType": text("errorType"), "ErrorMessage": text("errorMessage")}))
        }
    }
}

fn settle(cloud: &Cloud, region: &str, arn: &str, id: &str, ended: Ended) {
    let now_ms = cloud.clock().now_ms();
    cloud.with(region, |state| {
        let Some(execution) = state.lambda.executions.get(arn, now_ms) else { return };
        let Some(place) = execution.operations.iter().position(|operation| operation.id == id) else { return };
        let Some(operation) = execution.operations.get_mut(place) else { return };
        operation.result = ended.result;
        operation.error = ended.error;
        let (status, change, details) = match &operation.error {
            None => {
                let details = json!({"Result": event::data(operation.result.as_deref())});
                (OperationStatus::Succeeded, "Succeeded", details)
            }
            Some(error) => (OperationStatus::Failed, "Failed", json!({"Error": event::error(error)})),
        };
        operation.end(status, now_ms);
        let event = Event::of_operation(now_ms, operation, change, details);
        execution.events.push(event);
        execution.untold.insert(place);
        execution.wake = true;
        execution.touch();
    });
}
