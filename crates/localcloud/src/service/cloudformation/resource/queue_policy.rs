//! `AWS::SQS::QueuePolicy`.

use super::super::naming::Case;
use super::work::document;
use super::{Failure, Work};
use serde_json::json;

pub(super) async fn create(work: &Work<'_>) -> Result<String, Failure> {
    put(work, &document(work.property("PolicyDocument"))).await?;
    Ok(work.made_up(128, Case::Mixed))
}

async fn put(work: &Work<'_>, policy: &str) -> Result<(), Failure> {
    for url in work.texts("Queues") {
        work.call("SetQueueAttributes", json!({ "QueueUrl": url, "Attributes": { "Policy": policy } })).await?;
    }
    Ok(())
}

pub(super) async fn update(work: &Work<'_>, old: &Work<'_>) -> Result<(), Failure> {
    if work.differs(old, "Queues") {
        put(old, "").await?;
    }
    put(work, &document(work.property("PolicyDocument"))).await
}

pub(super) async fn delete(work: &Work<'_>) -> Result<(), Failure> {
    put(work, "").await
}
