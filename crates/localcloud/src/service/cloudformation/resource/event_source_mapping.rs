//! `AWS::Lambda::EventSourceMapping`.

use super::{Attributes, Failure, Work, attributes, tags};
use serde_json::{Map, Value, json};

const CHANGEABLE: [&str; 13] = [
    "BatchSize",
    "BisectBatchOnFunctionError",
    "DestinationConfig",
    "Enabled",
    "FilterCriteria",
    "FunctionName",
    "FunctionResponseTypes",
    "MaximumBatchingWindowInSeconds",
    "MaximumRecordAgeInSeconds",
    "MaximumRetryAttempts",
    "ParallelizationFactor",
    "ScalingConfig",
    "TumblingWindowInSeconds",
];

pub(super) async fn create(work: &Work<'_>) -> Result<String, Failure> {
    let mut input: Map<String, Value> = work.pick(&CHANGEABLE);
    input.extend(work.pick(&["EventSourceArn", "StartingPosition"]));
    if !work.tags.is_empty() {
        input.insert("Tags".to_owned(), tags::map(&work.tags));
    }
    let answer = work.call("CreateEventSourceMapping", Value::Object(input)).await?;
    let id = answer["UUID"].as_str().map(str::to_owned);
    id.ok_or_else(|| Failure::new("CreateEventSourceMapping answered without a UUID"))
}

pub(super) async fn settle(work: &Work<'_>, id: &str) -> Result<Attributes, Failure> {
    let mut poll = work.poll();
    loop {
        let mut found = work.call("GetEventSourceMapping", json!({ "UUID": id })).await?;
        if matches!(found["State"].as_str(), Some("Enabled" | "Disabled")) {
            return Ok(attributes([
                ("Id", id.into()),
                ("EventSourceMappingArn", found["EventSourceMappingArn"].take()),
            ]));
        }
        poll.again(&format!("event source mapping {id} is {}", found["State"])).await?;
    }
}

pub(super) async fn update(work: &Work<'_>, id: &str, old: &Work<'_>) -> Result<(), Failure> {
    let changed = work.pick(&CHANGEABLE);
    if changed != old.pick(&CHANGEABLE) {
        let mut input = changed;
        input.insert("UUID".to_owned(), json!(id));
        work.call("UpdateEventSourceMapping", Value::Object(input)).await?;
    }
    tags::retag_lambda(work, &work.arn("lambda", &format!("event-source-mapping:{id}")), old).await
}

/// A mapping goes through `Deleting`; until it is gone it may still invoke the function, so what it needs must not
/// be deleted before.
pub(super) async fn delete(work: &Work<'_>, id: &str) -> Result<(), Failure> {
    let mut poll = work.poll();
    loop {
        match work.call("DeleteEventSourceMapping", json!({ "UUID": id })).await {
            Err(failure) if failure.is_in_use() => poll.again(&format!("event source mapping {id} is in use")).await?,
            other => break other.map(drop)?,
        }
    }
    while work.found("GetEventSourceMapping", json!({ "UUID": id })).await? {
        poll.again(&format!("event source mapping {id} is still there")).await?;
    }
    Ok(())
}
