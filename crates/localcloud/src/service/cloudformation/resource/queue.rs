//! `AWS::SQS::Queue`.

use super::work::document;
use super::{Attributes, Failure, Work, attributes as members, tags};
use serde_json::{Map, Value, json};

/// Attributes of the SQS API, which are properties of the same names, with the values they have when absent.
const ATTRIBUTES: [(&str, &str); 14] = [
    ("ContentBasedDeduplication", "false"),
    ("DeduplicationScope", "queue"),
    ("DelaySeconds", "0"),
    ("FifoQueue", ""),
    ("FifoThroughputLimit", "perQueue"),
    ("KmsDataKeyReusePeriodSeconds", "300"),
    ("KmsMasterKeyId", ""),
    ("MaximumMessageSize", "1048576"),
    ("MessageRetentionPeriod", "345600"),
    ("ReceiveMessageWaitTimeSeconds", "0"),
    ("RedriveAllowPolicy", ""),
    ("RedrivePolicy", ""),
    ("SqsManagedSseEnabled", "true"),
    ("VisibilityTimeout", "30"),
];

pub(super) async fn create(work: &Work<'_>) -> Result<String, Failure> {
    let given = ATTRIBUTES.iter().filter_map(|(name, _)| Some((name, work.property(name)?)));
    let wanted: Map<String, Value> = given
        .filter(|(_, value)| **value != json!(""))
        .map(|(name, value)| ((*name).to_owned(), text(value)))
        .collect();
    let input = json!({ "QueueName": name(work), "Attributes": wanted, "tags": tags::map(&work.tags) });
    let answer = work.call("CreateQueue", input).await?;
    let url = answer["QueueUrl"].as_str().map(str::to_owned);
    url.ok_or_else(|| Failure::new("CreateQueue answered without a queue URL"))
}

/// A made-up name of a FIFO queue ends as SQS wants it.
fn name(work: &Work<'_>) -> String {
    let fifo = work.property("FifoQueue") == Some(&Value::Bool(true));
    if !fifo || work.text("QueueName").is_some() {
        return work.physical_name();
    }
    format!("{}.fifo", work.made_up(75, super::super::naming::Case::Mixed))
}

fn text(value: &Value) -> Value {
    Value::String(document(Some(value)))
}

pub(super) async fn attributes(work: &Work<'_>, url: &str) -> Result<Attributes, Failure> {
    let input = json!({ "QueueUrl": url, "AttributeNames": ["QueueArn"] });
    let arn = work.call("GetQueueAttributes", input).await?["Attributes"]["QueueArn"].take();
    let name = url.rsplit('/').next().unwrap_or_default();
    Ok(members([("Arn", arn), ("QueueName", name.into()), ("QueueUrl", url.into())]))
}

pub(super) async fn update(work: &Work<'_>, url: &str, old: &Work<'_>) -> Result<(), Failure> {
    let differ = ATTRIBUTES.iter().filter(|(name, _)| work.differs(old, name));
    let changed: Map<String, Value> = differ
        .map(|(name, absent)| ((*name).to_owned(), work.property(name).map_or_else(|| json!(absent), text)))
        .collect();
    if !changed.is_empty() {
        work.call("SetQueueAttributes", json!({ "QueueUrl": url, "Attributes": changed })).await?;
    }
    let removed = tags::removed(&old.tags, &work.tags);
    if !removed.is_empty() {
        work.call("UntagQueue", json!({ "QueueUrl": url, "TagKeys": removed })).await?;
    }
    if work.tags != old.tags && !work.tags.is_empty() {
        work.call("TagQueue", json!({ "QueueUrl": url, "Tags": tags::map(&work.tags) })).await?;
    }
    Ok(())
}

pub(super) async fn delete(work: &Work<'_>, url: &str) -> Result<(), Failure> {
    work.call("DeleteQueue", json!({ "QueueUrl": url })).await.map(drop)
}

pub(super) async fn find(work: &Work<'_>, name: &str) -> Result<bool, Failure> {
    work.found("GetQueueUrl", json!({ "QueueName": name })).await
}
