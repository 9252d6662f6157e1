//! `AWS::Lambda::Function`.

use super::{Attributes, Failure, Work, attributes, tags};
use serde_json::{Map, Value, json};

const CONFIGURATION: [&str; 15] = [
    "DeadLetterConfig",
    "Description",
    "DurableConfig",
    "Environment",
    "EphemeralStorage",
    "Handler",
    "KMSKeyArn",
    "Layers",
    "LoggingConfig",
    "MemorySize",
    "Role",
    "Runtime",
    "Timeout",
    "TracingConfig",
    "PackageType",
];

pub(super) async fn create(work: &Work<'_>) -> Result<String, Failure> {
    if work.property("Code").is_some_and(|code| code.get("ZipFile").is_some()) {
        return Err(Failure::new(
            "the local cloud does not emulate inline code (Code.ZipFile) of AWS::Lambda::Function",
        ));
    }
    let name = work.physical_name();
    let mut input = configuration(work);
    input.insert("FunctionName".to_owned(), json!(name));
    input.extend(work.pick(&["Architectures", "Code"]));
    if !work.tags.is_empty() {
        input.insert("Tags".to_owned(), tags::map(&work.tags));
    }
    work.call("CreateFunction", Value::Object(input)).await?;
    Ok(name)
}

fn configuration(work: &Work<'_>) -> Map<String, Value> {
    let mut members = work.pick(&CONFIGURATION);
    // The property and the API's member differ in case.
    if let Some(key) = work.property("KmsKeyArn") {
        members.insert("KMSKeyArn".to_owned(), key.clone());
    }
    members
}

pub(super) async fn settle(work: &Work<'_>, name: &str) -> Result<Attributes, Failure> {
    if let Some(reserved) = work.property("ReservedConcurrentExecutions") {
        let input = json!({ "FunctionName": name, "ReservedConcurrentExecutions": reserved });
        work.call("PutFunctionConcurrency", input).await?;
    }
    if let Some(recursion) = work.property("RecursiveLoop") {
        let input = json!({ "FunctionName": name, "RecursiveLoop": recursion });
        work.call("PutFunctionRecursionConfig", input).await?;
    }
    let arn = ready(work, name).await?["FunctionArn"].take();
    Ok(attributes([("Arn", arn)]))
}

/// Waits until the function is active and its last update is done.
async fn ready(work: &Work<'_>, name: &str) -> Result<Value, Failure> {
    let mut poll = work.poll();
    loop {
        let found = work.call("GetFunction", json!({ "FunctionName": name })).await?["Configuration"].take();
        let (state, update) = (&found["State"], &found["LastUpdateStatus"]);
        if state == "Failed" || update == "Failed" {
            let reason = found["StateReason"].as_str().or_else(|| found["LastUpdateStatusReason"].as_str());
            return Err(Failure::new(format!("function {name} failed: {}", reason.unwrap_or("no reason given"))));
        }
        if state != "Pending" && update != "InProgress" {
            return Ok(found);
        }
        poll.again(&format!("function {name} is {state}")).await?;
    }
}

pub(super) async fn update(work: &Work<'_>, name: &str, old: &Work<'_>) -> Result<(), Failure> {
    if work.differs(old, "Code") || work.differs(old, "Architectures") {
        let mut input = work.property("Code").and_then(Value::as_object).cloned().unwrap_or_default();
        input.insert("FunctionName".to_owned(), json!(name));
        input.extend(work.pick(&["Architectures"]));
        work.call("UpdateFunctionCode", Value::Object(input)).await?;
        ready(work, name).await?;
    }
    let configured = configuration(work);
    if configured != configuration(old) {
        let mut input = configured;
        input.remove("PackageType");
        input.insert("FunctionName".to_owned(), json!(name));
        work.call("UpdateFunctionConfiguration", Value::Object(input)).await?;
    }
    tags::retag_lambda(work, &work.arn("lambda", &format!("function:{name}")), old).await
}

pub(super) async fn delete(work: &Work<'_>, name: &str) -> Result<(), Failure> {
    work.call("DeleteFunction", json!({ "FunctionName": name })).await.map(drop)
}

pub(super) async fn find(work: &Work<'_>, name: &str) -> Result<bool, Failure> {
    work.found("GetFunction", json!({ "FunctionName": name })).await
}
