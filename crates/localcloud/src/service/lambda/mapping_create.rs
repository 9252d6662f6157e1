//! CreateEventSourceMapping and its checks.

use super::errors::{conflict, invalid};
use super::function::Version;
use super::input::Input;
use super::mapping::{Mapping, MappingState, Rules, Source, mapping_arn};
use super::names::FunctionRef;
use crate::cloud::{Cloud, Context, Origin};
use crate::error::ApiError;
use crate::lambda::poller;
use crate::service::sqs::Queue;
use crate::service::{Service, tagging};
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::watch;

/// Longest execution behind an event source ("Invoking durable functions with event source mappings").
const DURABLE_LIMIT_S: u32 = 900;

/// Creates a mapping; it polls a moment later, by the cloud's clock.
pub(super) async fn create(cloud: &Cloud, ctx: &Context, input: Input<'_>) -> Result<Value, ApiError> {
    let source_arn = input.required("EventSourceArn")?;
    let function = FunctionRef::parse(input.required("FunctionName")?, None)?;
    let source = source(source_arn)?;
    let version = cloud.with(&ctx.region, |state| state.lambda.version(&ctx.region, &function).cloned())?;
    let position = position(source, input)?;
    let rules = rules(source, input, None)?;
    check(cloud, ctx, source, source_arn, &function, &version).await?;
    let enabled = input.boolean("Enabled").unwrap_or(true);
    let (uuid, now_ms) = (cloud.uuid(), cloud.clock().now_ms());
    let mapping = Mapping {
        uuid: uuid.clone(),
        source_arn: source_arn.to_owned(),
        source,
        function,
        rules,
        position,
        reached: None,
        state: MappingState::Creating,
        enabled,
        reason: "USER_INITIATED",
        last_result: "No records processed".to_owned(),
        modified_ms: now_ms,
        tags: input.texts("Tags"),
        changes: watch::Sender::new(0),
    };
    let output = cloud.with(&ctx.region, |state| {
        let same = state
            .lambda
            .mappings
            .values()
            .find(|known| known.source_arn == mapping.source_arn && known.function.name == mapping.function.name);
        if let Some(known) = same {
            return Err(conflict(format!(
                "The event source arn (\" {source_arn} \") and function (\" {} \") provided mapping already exists. \
                 Please update or delete the existing mapping with UUID {}",
                mapping.function.name, known.uuid
            )));
        }
        let mut output = mapping.render(&ctx.region);
        output["State"] = "Creating".into();
        tagging::put(state, &mapping_arn(&ctx.region, &uuid), &mapping.tags);
        state.lambda.mappings.insert(uuid.clone(), mapping);
        Ok(output)
    })?;
    cloud.spawn(poller::run(cloud.clone(), ctx.region.clone(), uuid));
    cloud.touch();
    Ok(output)
}

fn source(arn: &str) -> Result<Source, ApiError> {
    let parts: Vec<&str> = arn.split(':').collect();
    match parts.as_slice() {
        ["arn", _, "sqs", _, _, name] => {
            let fifo = std::path::Path::new(name).extension().is_some_and(|end| end == "fifo");
            Ok(Source::Queue { fifo })
        }
        ["arn", _, "dynamodb", ..] if arn.contains("/stream/") => Ok(Source::Stream),
        ["arn", _, service, ..] => Err(ApiError::not_emulated(format!("event source mappings of {service}"))),
        _ => Err(invalid(format!("Unrecognized event source: {arn}"))),
    }
}

fn position(source: Source, input: Input<'_>) -> Result<Option<String>, ApiError> {
    match (source, input.text("StartingPosition")) {
        (Source::Queue { .. }, None) => Ok(None),
        (Source::Queue { .. }, Some(_)) => Err(invalid("StartingPosition is not valid for SQS event sources.")),
        (Source::Stream, Some(text @ ("TRIM_HORIZON" | "LATEST"))) => Ok(Some(text.to_owned())),
        (Source::Stream, _) => {
            Err(invalid("1 validation error detected: StartingPosition must be TRIM_HORIZON or LATEST."))
        }
    }
}

/// The rules of the input, on top of those that a mapping has.
pub(super) fn rules(source: Source, input: Input<'_>, before: Option<&Rules>) -> Result<Rules, ApiError> {
    if input.nested("FilterCriteria").is_some_and(|criteria| criteria.get("Filters").is_some()) {
        return Err(ApiError::not_emulated("filters of event source mappings"));
    }
    let has_destination = input.nested("DestinationConfig").and_then(|config| config.nested("OnFailure"));
    if has_destination.is_some_and(|on_failure| on_failure.text("Destination").is_some()) {
        return Err(ApiError::not_emulated("destinations of event source mappings"));
    }
    for (member, plain) in [("ParallelizationFactor", 1), ("TumblingWindowInSeconds", 0)] {
        if input.integer(member)?.is_some_and(|value| value != plain) {
            return Err(ApiError::not_emulated(format!("event source mappings with {member}")));
        }
    }
    let (default, most) = match source {
        Source::Queue { fifo: true } => (10, 10),
        Source::Queue { fifo: false } => (10, 10_000),
        Source::Stream => (100, 10_000),
    };
    let unlimited = |n: i64| (n >= 0).then_some(n);
    let rules = Rules {
        batch_size: input.bounded("BatchSize", 1, most)?.or(before.map(|b| b.batch_size)).unwrap_or(default),
        window_s: input.bounded("MaximumBatchingWindowInSeconds", 0, 300)?.or(before.map(|b| b.window_s)).unwrap_or(0),
        retries: match input.bounded("MaximumRetryAttempts", -1, 10_000)? {
            Some(n) => unlimited(n),
            None => before.and_then(|b| b.retries),
        },
        record_age_s: match input.bounded("MaximumRecordAgeInSeconds", -1, 604_800)? {
            Some(n) => unlimited(n),
            None => before.and_then(|b| b.record_age_s),
        },
        bisect: input.boolean("BisectBatchOnFunctionError").unwrap_or(before.is_some_and(|b| b.bisect)),
        reports_items: match input.get("FunctionResponseTypes") {
            Some(_) => input.list("FunctionResponseTypes").iter().any(|kind| kind == "ReportBatchItemFailures"),
            None => before.is_some_and(|b| b.reports_items),
        },
        concurrency: match input.nested("ScalingConfig") {
            Some(scaling) => scaling.bounded("MaximumConcurrency", 2, 1000)?.and_then(|n| usize::try_from(n).ok()),
            None => before.and_then(|b| b.concurrency),
        },
    };
    if matches!(source, Source::Queue { fifo: true }) && rules.window_s > 0 {
        return Err(invalid("Batching window is not supported for FIFO queues."));
    }
    if rules.batch_size > 10 && matches!(source, Source::Queue { .. }) && rules.window_s == 0 {
        return Err(invalid(
            "Maximum batch window in seconds must be greater than 0 if maximum batch size is greater than 10",
        ));
    }
    Ok(rules)
}

/// What the service checks against the source and the function.
pub(super) async fn check(
    cloud: &Cloud,
    ctx: &Context,
    source: Source,
    source_arn: &str,
    function: &FunctionRef,
    version: &Arc<Version>,
) -> Result<(), ApiError> {
    if let Some(durable) = &version.settings.durable {
        if function.qualifier.is_none() {
            return Err(invalid(
                "You cannot create an event source mapping of a durable function using an unqualified ARN.",
            ));
        }
        if durable.execution_timeout_s > DURABLE_LIMIT_S {
            return Err(invalid(format!(
                "The durable execution timeout of {} seconds is more than the {DURABLE_LIMIT_S} seconds that event \
                 source mappings support",
                durable.execution_timeout_s
            )));
        }
    }
    match source {
        Source::Queue { .. } => check_queue(cloud, ctx, source_arn, version),
        Source::Stream => check_stream(cloud, ctx, source_arn).await,
    }
}

fn check_queue(cloud: &Cloud, ctx: &Context, arn: &str, version: &Version) -> Result<(), ApiError> {
    let name = arn.rsplit(':').next().unwrap_or_default();
    let visibility = cloud.with(&ctx.region, |state| state.sqs.queue(name).map(Queue::visibility_timeout_s));
    let visibility = visibility.map_err(|refused| {
        invalid(format!(
            "Error occurred while ReceiveMessage. SQS Error Code: {}. SQS Error Message: {}",
            refused.code, refused.message
        ))
    })?;
    let timeout = version.settings.timeout_s;
    if visibility < i64::from(timeout) {
        return Err(invalid(format!(
            "Queue visibility timeout: {visibility} seconds is less than Function timeout: {timeout} seconds"
        )));
    }
    Ok(())
}

async fn check_stream(cloud: &Cloud, ctx: &Context, arn: &str) -> Result<(), ApiError> {
    let own = Context { origin: Origin::Lambda, ..ctx.clone() };
    let described = cloud.call(&own, Service::DynamoDbStreams, "DescribeStream", json!({"StreamArn": arn})).await;
    described.map(drop).map_err(|refused| {
        invalid(format!(
            "Cannot access stream {arn}. Please ensure the role can perform the GetRecords, \
             GetShardIterator, DescribeStream, ListShards, and ListStreams Actions on your stream in IAM. ({})",
            refused.message
        ))
    })
}
