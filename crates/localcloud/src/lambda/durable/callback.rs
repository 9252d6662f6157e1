//! Callbacks: the outside world answers an operation.

use super::event::{self, Event};
use super::execution::{Execution, Status};
use super::operation::OperationStatus;
use crate::cloud::Cloud;
use crate::error::ApiError;
use serde_json::{Value, json};

fn timed_out(id: &str) -> ApiError {
    ApiError::bad("CallbackTimeoutException", format!("Callback {id} has timed out or is not known"))
}

/// Completes a callback with a result (`Ok`) or an error object (`Err`).
pub(crate) fn complete(cloud: &Cloud, region: &str, id: &str, outcome: Result<String, Value>) -> Result<(), ApiError> {
    let now_ms = cloud.clock().now_ms();
    with_callback(cloud, region, id, |execution, place| {
        let Some(operation) = execution.operations.get_mut(place) else { return };
        let (status, change, details) = match outcome {
            Ok(result) => {
                operation.result = Some(result);
                let details = json!({"Result": event::data(operation.result.as_deref())});
                (OperationStatus::Succeeded, "Succeeded", details)
            }
            Err(error) => {
                operation.error = Some(error.clone());
                (OperationStatus::Failed, "Failed", json!({"Error": event::error(&error)}))
            }
        };
        operation.end(status, now_ms);
        let event = Event::of_operation(now_ms, operation, change, details);
        execution.events.push(event);
        execution.untold.insert(place);
        execution.wake = true;
    })
}

/// Starts a callback's heartbeat time anew.
pub(crate) fn heartbeat(cloud: &Cloud, region: &str, id: &str) -> Result<(), ApiError> {
    let now_ms = cloud.clock().now_ms();
    with_callback(cloud, region, id, |execution, place| {
        let callback = execution.operations.get_mut(place).and_then(|operation| operation.callback.as_mut());
        if let Some(callback) = callback.filter(|callback| callback.heartbeat_s > 0) {
            callback.heartbeat_due_ms = Some(now_ms.saturating_add(callback.heartbeat_s.saturating_mul(1000)));
        }
    })
}

fn with_callback(
    cloud: &Cloud,
    region: &str,
    id: &str,
    act: impl FnOnce(&mut Execution, usize),
) -> Result<(), ApiError> {
    let now_ms = cloud.clock().now_ms();
    cloud.with(region, |state| {
        let executions = &mut state.lambda.executions;
        let (arn, operation) = executions.callbacks.get(id).cloned().ok_or_else(|| timed_out(id))?;
        let execution = executions.get(&arn, now_ms).ok_or_else(|| timed_out(id))?;
        execution.fire(now_ms);
        let open = |o: &super::operation::Operation| o.id == operation && o.status == OperationStatus::Started;
        let place = execution.operations.iter().position(open).ok_or_else(|| timed_out(id))?;
        if execution.status != Status::Running {
            return Err(timed_out(id));
        }
        act(execution, place);
        execution.touch();
        Ok(())
    })
}
