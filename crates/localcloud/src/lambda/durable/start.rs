//! Starting an execution, and waiting for its end.

use super::driver;
use super::execution::{Execution, Status};
use crate::cloud::Cloud;
use crate::error::ApiError;
use crate::service::lambda::errors::invalid;
use crate::service::lambda::function::Version;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tokio::sync::watch;

/// How an execution ended.
#[derive(Clone, Debug)]
pub(crate) struct Ended {
    pub(crate) status: Status,
    pub(crate) result: Option<String>,
    pub(crate) error: Option<Value>,
}

/// Starts an execution and gives its ARN. With a name that is in use, the same input gives the execution that has
/// it; another input is refused ("Durable execution idempotency").
pub(crate) fn start(
    cloud: &Cloud,
    version: &Arc<Version>,
    name: Option<&str>,
    input: &str,
) -> Result<String, ApiError> {
    let durable = version.settings.durable.as_ref().ok_or_else(|| invalid("The function is not a durable function"))?;
    if name.is_some_and(|name| !crate::service::lambda::names::is_name(name)) {
        return Err(ApiError::bad("ValidationException", "DurableExecutionName must match [a-zA-Z0-9-_]{1,64}"));
    }
    let (id, now_ms) = (cloud.uuid(), cloud.clock().now_ms());
    let name_used = name.map_or_else(|| cloud.uuid(), str::to_owned);
    let arn = format!("{}/durable-execution/{name_used}/{id}", version.qualified_arn());
    let existing = cloud.with(&version.region, |state| {
        let named = name.and_then(|name| state.lambda.executions.named(&version.name, name));
        if let Some(existing) = named {
            return Some(if existing.input == input { Ok(existing.arn.clone()) } else { Err(taken(&existing.arn)) });
        }
        let mut execution = Execution {
            arn: arn.clone(),
            id,
            name: name_used,
            version: Arc::clone(version),
            input: input.to_owned(),
            status: Status::Running,
            result: None,
            error: None,
            started_ms: now_ms,
            ended_ms: None,
            timeout_s: durable.execution_timeout_s,
            retention_days: durable.retention_days,
            events: Vec::new(),
            operations: Vec::new(),
            untold: BTreeSet::new(),
            token: None,
            tokens_made: 0,
            answers: BTreeMap::new(),
            early_end: None,
            wake: true,
            again_at_ms: None,
            failed_invocations: 0,
            invocation: None,
            changes: watch::Sender::new(0),
        };
        execution.open();
        state.lambda.executions.insert(execution);
        None
    });
    if let Some(existing) = existing {
        return existing;
    }
    cloud.spawn(driver::drive(cloud.clone(), version.region.clone(), arn.clone()));
    Ok(arn)
}

fn taken(arn: &str) -> ApiError {
    ApiError::new(
        409,
        "DurableExecutionAlreadyStartedException",
        format!("A durable execution with this name and another payload has been started: {arn}"),
    )
}

/// Returns when an execution has ended; `None` where it is gone.
pub(crate) async fn wait_ended(cloud: &Cloud, region: &str, arn: &str) -> Option<Ended> {
    let now_ms = || cloud.clock().now_ms();
    let mut changes = cloud.with(region, |state| state.lambda.executions.get(arn, now_ms()).map(|e| e.subscribe()))?;
    loop {
        let ended = cloud.with(region, |state| {
            let execution = state.lambda.executions.get(arn, now_ms())?;
            let (result, error) = (execution.result.clone(), execution.error.clone());
            Some((execution.status != Status::Running).then_some(Ended { status: execution.status, result, error }))
        })?;
        if let Some(ended) = ended {
            return Some(ended);
        }
        changes.changed().await.ok()?;
    }
}
