//! The operations on durable executions.

use super::errors::{invalid, missing};
use super::input::{Input, page};
use super::names::{FunctionRef, LATEST};
use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use crate::lambda::durable::{self, Execution, Status};
use crate::time::epoch_seconds;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

/// Answers one of the operations on durable executions.
pub(super) fn call(cloud: &Cloud, ctx: &Context, operation: &str, input: Input<'_>) -> Result<Value, ApiError> {
    match operation {
        "GetDurableExecution" => get(cloud, ctx, input),
        "GetDurableExecutionHistory" => history(cloud, ctx, input),
        "ListDurableExecutionsByFunction" => list(cloud, ctx, input),
        "StopDurableExecution" => stop(cloud, ctx, input),
        "CheckpointDurableExecution" => durable::checkpoint(cloud, &ctx.region, input),
        "GetDurableExecutionState" => durable::state_page(cloud, &ctx.region, input),
        "SendDurableExecutionCallbackSuccess" => {
            let result = STANDARD.decode(input.text("Result").unwrap_or_default());
            let result = result.ok().and_then(|bytes| String::from_utf8(bytes).ok());
            let result = result.ok_or_else(|| invalid("Result is not text"))?;
            durable::complete_callback(cloud, &ctx.region, input.required("CallbackId")?, Ok(result))?;
            Ok(json!({}))
        }
        "SendDurableExecutionCallbackFailure" => {
            let error = input.get("Error").cloned().unwrap_or_else(|| json!({}));
            durable::complete_callback(cloud, &ctx.region, input.required("CallbackId")?, Err(error))?;
            Ok(json!({}))
        }
        "SendDurableExecutionCallbackHeartbeat" => {
            durable::heartbeat(cloud, &ctx.region, input.required("CallbackId")?)?;
            Ok(json!({}))
        }
        other => Err(ApiError::not_emulated(format!("lambda {other}"))),
    }
}

fn with_execution<R>(
    cloud: &Cloud,
    ctx: &Context,
    arn: &str,
    act: impl FnOnce(&mut Execution, i64) -> Result<R, ApiError>,
) -> Result<R, ApiError> {
    let now_ms = cloud.clock().now_ms();
    cloud.with(&ctx.region, |state| {
        let execution = state.lambda.executions.get(arn, now_ms);
        act(execution.ok_or_else(|| missing(format!("Durable execution not found: {arn}")))?, now_ms)
    })
}

fn get(cloud: &Cloud, ctx: &Context, input: Input<'_>) -> Result<Value, ApiError> {
    let with_data = input.boolean("IncludeExecutionData").unwrap_or(true);
    with_execution(cloud, ctx, input.required("DurableExecutionArn")?, |execution, _| Ok(execution.render(with_data)))
}

fn history(cloud: &Cloud, ctx: &Context, input: Input<'_>) -> Result<Value, ApiError> {
    let with_data = input.boolean("IncludeExecutionData").unwrap_or(true);
    let mut events = with_execution(cloud, ctx, input.required("DurableExecutionArn")?, |execution, _| {
        let numbered = execution.events.iter().enumerate();
        Ok(numbered.map(|(place, event)| event.render(place + 1, with_data)).collect::<Vec<_>>())
    })?;
    if input.boolean("ReverseOrder").unwrap_or(false) {
        events.reverse();
    }
    let (events, next) = page(events, input, 100, 1000)?;
    let mut output = json!({"Events": events});
    if let Some(next) = next {
        output["NextMarker"] = next.into();
    }
    Ok(output)
}

/// Without a qualifier the executions of all versions are listed, as the model of aws-sdk-lambda 1.156 says it
/// (older models: of `$LATEST`). Newest first unless `ReverseOrder` is true.
fn list(cloud: &Cloud, ctx: &Context, input: Input<'_>) -> Result<Value, ApiError> {
    let reference = FunctionRef::parse(input.required("FunctionName")?, input.text("Qualifier"))?;
    let qualifier = reference.qualifier.as_deref();
    if qualifier.is_some_and(|q| q != LATEST && q.parse::<u64>().is_err()) {
        return Err(invalid("Cannot filter by alias"));
    }
    let now_ms = cloud.clock().now_ms();
    let statuses = input.list("Statuses");
    let time = |key: &str| input.get(key).and_then(Value::as_f64);
    let (after, before) = (time("StartedAfter"), time("StartedBefore"));
    let mut found = cloud.with(&ctx.region, |state| {
        state.lambda.version(&ctx.region, &reference)?;
        let all = state.lambda.executions.of_function(&reference.name, now_ms);
        let wanted = all.into_iter().filter(|execution| {
            let started = epoch_seconds(execution.started_ms).as_f64().unwrap_or_default();
            qualifier.is_none_or(|q| execution.version.label() == q)
                && (statuses.is_empty() || statuses.iter().any(|status| status == execution.status.wire()))
                && input.text("DurableExecutionName").is_none_or(|name| name == execution.name)
                && after.is_none_or(|after| started > after)
                && before.is_none_or(|before| started < before)
        });
        Ok::<_, ApiError>(wanted.map(Execution::summary).collect::<Vec<_>>())
    })?;
    if !input.boolean("ReverseOrder").unwrap_or(false) {
        found.reverse();
    }
    let (executions, next) = page(found, input, 100, 1000)?;
    let mut output = json!({"DurableExecutions": executions});
    if let Some(next) = next {
        output["NextMarker"] = next.into();
    }
    Ok(output)
}

/// The running invocation is not interrupted: its next checkpoint is refused.
fn stop(cloud: &Cloud, ctx: &Context, input: Input<'_>) -> Result<Value, ApiError> {
    let error = input.get("Error").filter(|error| error.as_object().is_some_and(|members| !members.is_empty()));
    with_execution(cloud, ctx, input.required("DurableExecutionArn")?, |execution, now_ms| {
        if execution.status != Status::Running {
            return Err(invalid(format!("The execution has ended: {}", execution.status.wire())));
        }
        execution.end(Status::Stopped, None, error.cloned(), now_ms);
        Ok(json!({"StopTimestamp": epoch_seconds(now_ms)}))
    })
}
