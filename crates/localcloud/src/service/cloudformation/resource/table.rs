//! `AWS::DynamoDB::Table`.

use super::{Attributes, Failure, Work, attributes, tags};
use serde_json::{Value, json};

const MEMBERS: [&str; 9] = [
    "AttributeDefinitions",
    "BillingMode",
    "DeletionProtectionEnabled",
    "GlobalSecondaryIndexes",
    "KeySchema",
    "LocalSecondaryIndexes",
    "ProvisionedThroughput",
    "SSESpecification",
    "TableClass",
];

pub(super) async fn create(work: &Work<'_>) -> Result<String, Failure> {
    let name = work.physical_name();
    let mut input = work.pick(&MEMBERS);
    input.insert("TableName".to_owned(), json!(name));
    if let Some(stream) = stream(work) {
        input.insert("StreamSpecification".to_owned(), stream);
    }
    if let Some(sse) = input.get_mut("SSESpecification").and_then(Value::as_object_mut)
        && let Some(enabled) = sse.remove("SSEEnabled")
    {
        sse.insert("Enabled".to_owned(), enabled);
    }
    if !work.tags.is_empty() {
        input.insert("Tags".to_owned(), tags::list(&work.tags));
    }
    work.call("CreateTable", Value::Object(input)).await?;
    Ok(name)
}

fn stream(work: &Work<'_>) -> Option<Value> {
    let view = work.property("StreamSpecification")?.get("StreamViewType")?;
    Some(json!({ "StreamEnabled": true, "StreamViewType": view }))
}

pub(super) async fn settle(work: &Work<'_>, name: &str) -> Result<Attributes, Failure> {
    let table = active(work, name).await?;
    if let Some(ttl) = work.property("TimeToLiveSpecification") {
        work.call("UpdateTimeToLive", json!({ "TableName": name, "TimeToLiveSpecification": ttl })).await?;
    }
    if let Some(recovery) = work.property("PointInTimeRecoverySpecification") {
        let input = json!({ "TableName": name, "PointInTimeRecoverySpecification": recovery });
        work.call("UpdateContinuousBackups", input).await?;
    }
    let mut found = attributes([("Arn", table["TableArn"].clone())]);
    if let Some(arn) = table.get("LatestStreamArn").and_then(Value::as_str).filter(|_| stream(work).is_some()) {
        found.insert("StreamArn".to_owned(), arn.into());
        // A stream has tags of its own; the table's are not inherited.
        let own = tags::pairs(work.property("StreamSpecification").and_then(|stream| stream.get("Tags")));
        if !own.is_empty() {
            work.call("TagResource", json!({ "ResourceArn": arn, "Tags": tags::list(&own) })).await?;
        }
    }
    Ok(found)
}

async fn active(work: &Work<'_>, name: &str) -> Result<Value, Failure> {
    let mut poll = work.poll();
    loop {
        let table = work.call("DescribeTable", json!({ "TableName": name })).await?["Table"].take();
        if table["TableStatus"] == "ACTIVE" {
            return Ok(table);
        }
        poll.again(&format!("table {name} is {}", table["TableStatus"])).await?;
    }
}

pub(super) async fn update(work: &Work<'_>, name: &str, old: &Work<'_>) -> Result<(), Failure> {
    let changing = ["BillingMode", "DeletionProtectionEnabled", "ProvisionedThroughput", "TableClass"];
    let changed: Vec<&str> = changing.into_iter().filter(|member| work.differs(old, member)).collect();
    let mut input = work.pick(&changed);
    for unsupported in ["GlobalSecondaryIndexes", "SSESpecification"] {
        if work.differs(old, unsupported) {
            return Err(Failure::new(format!(
                "the local cloud does not emulate an update of {unsupported} of AWS::DynamoDB::Table"
            )));
        }
    }
    if work.differs(old, "StreamSpecification") {
        let change = stream(work).unwrap_or_else(|| json!({ "StreamEnabled": false }));
        input.insert("StreamSpecification".to_owned(), change);
    }
    if !input.is_empty() {
        input.insert("TableName".to_owned(), json!(name));
        work.call("UpdateTable", Value::Object(input)).await?;
    }
    retag(work, &work.arn("dynamodb", &format!("table/{name}")), old).await
}

async fn retag(work: &Work<'_>, arn: &str, old: &Work<'_>) -> Result<(), Failure> {
    let removed = tags::removed(&old.tags, &work.tags);
    if !removed.is_empty() {
        work.call("UntagResource", json!({ "ResourceArn": arn, "TagKeys": removed })).await?;
    }
    if work.tags != old.tags && !work.tags.is_empty() {
        work.call("TagResource", json!({ "ResourceArn": arn, "Tags": tags::list(&work.tags) })).await?;
    }
    Ok(())
}

pub(super) async fn delete(work: &Work<'_>, name: &str) -> Result<(), Failure> {
    let mut poll = work.poll();
    work.call("DeleteTable", json!({ "TableName": name })).await?;
    while find(work, name).await? {
        poll.again(&format!("table {name} is still there")).await?;
    }
    Ok(())
}

pub(super) async fn find(work: &Work<'_>, name: &str) -> Result<bool, Failure> {
    work.found("DescribeTable", json!({ "TableName": name })).await
}
