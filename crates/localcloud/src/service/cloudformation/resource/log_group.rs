//! `AWS::Logs::LogGroup`.

use super::{Attributes, Failure, Work, attributes, tags};
use serde_json::{Value, json};

pub(super) async fn create(work: &Work<'_>) -> Result<String, Failure> {
    let name = work.physical_name();
    let mut input = json!({ "logGroupName": name });
    for (property, member) in [("KmsKeyId", "kmsKeyId"), ("LogGroupClass", "logGroupClass")] {
        if let Some(value) = work.property(property) {
            input[member] = value.clone();
        }
    }
    if let Some(value) = work.property("DeletionProtectionEnabled") {
        input["deletionProtectionEnabled"] = value.clone();
    }
    if !work.tags.is_empty() {
        input["tags"] = tags::map(&work.tags);
    }
    work.call("CreateLogGroup", input).await?;
    Ok(name)
}

pub(super) async fn settle(work: &Work<'_>, name: &str) -> Result<Attributes, Failure> {
    if let Some(days) = work.property("RetentionInDays") {
        work.call("PutRetentionPolicy", json!({ "logGroupName": name, "retentionInDays": days })).await?;
    }
    Ok(attributes([("Arn", work.arn("logs", &format!("log-group:{name}:*")).into())]))
}

pub(super) async fn update(work: &Work<'_>, name: &str, old: &Work<'_>) -> Result<(), Failure> {
    for unsupported in ["KmsKeyId", "DeletionProtectionEnabled"] {
        if work.differs(old, unsupported) {
            let what = format!("the local cloud does not emulate an update of {unsupported} of AWS::Logs::LogGroup");
            return Err(Failure::new(what));
        }
    }
    if work.property("RetentionInDays").is_none() && old.property("RetentionInDays").is_some() {
        work.call("DeleteRetentionPolicy", json!({ "logGroupName": name })).await?;
    }
    let arn = work.arn("logs", &format!("log-group:{name}"));
    let removed = tags::removed(&old.tags, &work.tags);
    if !removed.is_empty() {
        work.call("UntagResource", json!({ "resourceArn": arn, "tagKeys": removed })).await?;
    }
    if work.tags != old.tags && !work.tags.is_empty() {
        work.call("TagResource", json!({ "resourceArn": arn, "tags": tags::map(&work.tags) })).await?;
    }
    Ok(())
}

pub(super) async fn delete(work: &Work<'_>, name: &str) -> Result<(), Failure> {
    work.call("DeleteLogGroup", json!({ "logGroupName": name })).await.map(drop)
}

pub(super) async fn find(work: &Work<'_>, name: &str) -> Result<bool, Failure> {
    let answer = work.call("DescribeLogGroups", json!({ "logGroupNamePrefix": name })).await?;
    let groups = answer.get("logGroups").and_then(Value::as_array).into_iter().flatten();
    Ok(groups.into_iter().any(|group| group["logGroupName"] == name))
}
