//! Applying the SDK's updates to an execution.

use super::event::{self, Event};
use super::execution::{Execution, Status};
use super::operation::{Callback, Kind, Operation, OperationStatus, Target};
use crate::error::ApiError;
use crate::service::lambda::errors::invalid;
use crate::service::lambda::input::Input;
use serde_json::{Value, json};

/// Most bytes of a payload or an error ("Lambda quotas": 256 KiB).
const PAYLOAD_LIMIT: usize = 256 * 1024;
/// Most operations of an execution ("Lambda quotas").
const OPERATION_LIMIT: usize = 3000;
/// Longest wait or delay: a year ("OperationUpdate" in the service model).
const LONGEST_S: i64 = 31_622_400;

impl Execution {
    /// Applies all updates or none. New callbacks get ids from `fresh_id`.
    pub(super) fn apply_all(
        &mut self,
        updates: &[Value],
        now_ms: i64,
        mut fresh_id: impl FnMut() -> String,
    ) -> Result<(), ApiError> {
        let operations = self.operations.clone();
        let (events, untold, early_end) = (self.events.len(), self.untold.clone(), self.early_end.clone());
        for update in updates {
            if let Err(refused) = self.apply(Input(update), now_ms, &mut fresh_id) {
                self.operations = operations;
                self.events.truncate(events);
                self.untold = untold;
                self.early_end = early_end;
                return Err(refused);
            }
        }
        Ok(())
    }

    fn apply(&mut self, update: Input<'_>, now_ms: i64, fresh_id: &mut dyn FnMut() -> String) -> Result<(), ApiError> {
        let id = update.required("Id")?;
        let kind = update.required("Type")?;
        let action = update.required("Action")?;
        if kind == "EXECUTION" {
            return self.end_early(action, update);
        }
        let kind = Kind::parse(kind)?;
        let size = update.text("Payload").map_or(0, str::len);
        if size > PAYLOAD_LIMIT {
            let wire = kind.wire();
            return Err(invalid(format!(
                "{wire} output payload size must be less than or equal to {PAYLOAD_LIMIT} bytes."
            )));
        }
        let place = self.place(id, kind, now_ms)?;
        let known = self.operations.get(place).is_some_and(|operation| operation.status.is_terminal());
        if known {
            return Err(invalid(format!("Cannot update operation {id}: it has ended")));
        }
        self.describe(place, update);
        self.untold.insert(place);
        match action {
            "START" => self.begin(place, update, now_ms, fresh_id),
            "SUCCEED" => self.succeed(place, update, now_ms),
            "FAIL" => self.fail(place, update, now_ms),
            "RETRY" => self.retry(place, update, now_ms),
            "CANCEL" => self.cancel(place, update, now_ms),
            other => Err(invalid(format!("Invalid action: {other}"))),
        }
    }

    fn end_early(&mut self, action: &str, update: Input<'_>) -> Result<(), ApiError> {
        let end = match action {
            "SUCCEED" => (Status::Succeeded, update.text("Payload").map(str::to_owned), None),
            "FAIL" => (Status::Failed, None, update.get("Error").cloned()),
            other => return Err(invalid(format!("Invalid action on the execution: {other}"))),
        };
        self.early_end = Some(end);
        Ok(())
    }

    fn place(&mut self, id: &str, kind: Kind, now_ms: i64) -> Result<usize, ApiError> {
        if let Some(place) = self.operations.iter().position(|operation| operation.id == id) {
            let same = self.operations.get(place).is_some_and(|operation| operation.kind == kind);
            return if same { Ok(place) } else { Err(invalid(format!("Operation {id} is of another type"))) };
        }
        if self.operations.len() >= OPERATION_LIMIT {
            return Err(invalid(format!("An execution cannot have more than {OPERATION_LIMIT} operations")));
        }
        let mut operation = Operation::new(id, kind, now_ms);
        // Not started yet: the action that follows decides.
        operation.status = OperationStatus::Ready;
        self.operations.push(operation);
        Ok(self.operations.len() - 1)
    }

    fn describe(&mut self, place: usize, update: Input<'_>) {
        let Some(operation) = self.operations.get_mut(place) else { return };
        let fields =
            [("ParentId", &mut operation.parent), ("Name", &mut operation.name), ("SubType", &mut operation.sub_type)];
        for (key, field) in fields {
            if field.is_none() {
                *field = update.text(key).map(str::to_owned);
            }
        }
    }

    fn begin(
        &mut self,
        place: usize,
        update: Input<'_>,
        now_ms: i64,
        fresh_id: &mut dyn FnMut() -> String,
    ) -> Result<(), ApiError> {
        let Some(operation) = self.operations.get_mut(place) else { return Ok(()) };
        if operation.status == OperationStatus::Started {
            return Err(invalid(format!("Operation {} has started already", operation.id)));
        }
        let details = match operation.kind {
            Kind::Wait => start_wait(operation, update, now_ms)?,
            Kind::Callback => start_callback(operation, update, now_ms, fresh_id)?,
            Kind::ChainedInvoke => start_invoke(operation, update)?,
            Kind::Step | Kind::Context => {
                operation.due_ms = None;
                operation.result = None;
                operation.error = None;
                json!({})
            }
        };
        operation.status = OperationStatus::Started;
        let event = Event::of_operation(now_ms, operation, "Started", details);
        self.events.push(event);
        Ok(())
    }

    fn succeed(&mut self, place: usize, update: Input<'_>, now_ms: i64) -> Result<(), ApiError> {
        let Some(operation) = self.operations.get_mut(place) else { return Ok(()) };
        only(operation, &[Kind::Step, Kind::Context], "SUCCEED")?;
        operation.result = update.text("Payload").map(str::to_owned);
        operation.error = None;
        let replay = update.nested("ContextOptions").and_then(|options| options.boolean("ReplayChildren"));
        operation.replay_children = replay.unwrap_or(false);
        operation.end(OperationStatus::Succeeded, now_ms);
        let mut details = json!({"Result": event::data(operation.result.as_deref())});
        if operation.kind == Kind::Step {
            details["RetryDetails"] = json!({"CurrentAttempt": operation.attempt + 1});
        }
        let event = Event::of_operation(now_ms, operation, "Succeeded", details);
        self.events.push(event);
        Ok(())
    }

    fn fail(&mut self, place: usize, update: Input<'_>, now_ms: i64) -> Result<(), ApiError> {
        let Some(operation) = self.operations.get_mut(place) else { return Ok(()) };
        only(operation, &[Kind::Step, Kind::Context], "FAIL")?;
        let error = update.get("Error").cloned().unwrap_or_else(|| json!({}));
        operation.error = Some(error.clone());
        operation.end(OperationStatus::Failed, now_ms);
        let mut details = json!({"Error": event::error(&error)});
        if operation.kind == Kind::Step {
            details["RetryDetails"] = json!({"CurrentAttempt": operation.attempt + 1});
        }
        let event = Event::of_operation(now_ms, operation, "Failed", details);
        self.events.push(event);
        Ok(())
    }

    /// The attempt is over and another follows after a delay. A poll that is merely not done yet (wait for
    /// condition) comes with a payload in place of an error.
    fn retry(&mut self, place: usize, update: Input<'_>, now_ms: i64) -> Result<(), ApiError> {
        let Some(operation) = self.operations.get_mut(place) else { return Ok(()) };
        only(operation, &[Kind::Step], "RETRY")?;
        let options = update.nested("StepOptions");
        let delay = options.map_or(Ok(None), |o| o.bounded("NextAttemptDelaySeconds", 1, LONGEST_S))?.unwrap_or(1);
        let mut details = json!({
            "RetryDetails": {"CurrentAttempt": operation.attempt + 1, "NextAttemptDelaySeconds": delay}
        });
        let change = match update.get("Error") {
            Some(error) => {
                operation.error = Some(error.clone());
                details["Error"] = event::error(error);
                "Failed"
            }
            None => {
                details["Result"] = event::data(update.text("Payload"));
                "Succeeded"
            }
        };
        if let Some(payload) = update.text("Payload") {
            operation.result = Some(payload.to_owned());
        }
        operation.status = OperationStatus::Pending;
        operation.attempt += 1;
        operation.due_ms = Some(now_ms.saturating_add(delay.saturating_mul(1000)));
        let event = Event::of_operation(now_ms, operation, change, details);
        self.events.push(event);
        Ok(())
    }

    fn cancel(&mut self, place: usize, update: Input<'_>, now_ms: i64) -> Result<(), ApiError> {
        let Some(operation) = self.operations.get_mut(place) else { return Ok(()) };
        only(operation, &[Kind::Wait], "CANCEL")?;
        operation.end(OperationStatus::Cancelled, now_ms);
        let details = update.get("Error").map_or_else(|| json!({}), |error| json!({"Error": event::error(error)}));
        let event = Event::of_operation(now_ms, operation, "Cancelled", details);
        self.events.push(event);
        Ok(())
    }
}

fn only(operation: &Operation, kinds: &[Kind], action: &str) -> Result<(), ApiError> {
    if kinds.contains(&operation.kind) {
        return Ok(());
    }
    Err(invalid(format!("Invalid {} action: {action}", operation.kind.wire())))
}

fn start_wait(operation: &mut Operation, update: Input<'_>, now_ms: i64) -> Result<Value, ApiError> {
    let options = update.nested("WaitOptions");
    let seconds = options.map_or(Ok(None), |o| o.bounded("WaitSeconds", 1, LONGEST_S))?;
    let seconds = seconds.ok_or_else(|| invalid("WaitOptions.WaitSeconds is required"))?;
    let end_ms = now_ms.saturating_add(seconds.saturating_mul(1000));
    operation.duration_s = seconds;
    operation.due_ms = Some(end_ms);
    Ok(json!({"Duration": seconds, "ScheduledEndTimestamp": crate::time::epoch_seconds(end_ms)}))
}

fn start_callback(
    operation: &mut Operation,
    update: Input<'_>,
    now_ms: i64,
    fresh_id: &mut dyn FnMut() -> String,
) -> Result<Value, ApiError> {
    let options = update.nested("CallbackOptions");
    let seconds = |key: &str| options.map_or(Ok(None), |o| o.integer(key)).map(|s| s.unwrap_or(0));
    let (timeout, heartbeat) = (seconds("TimeoutSeconds")?, seconds("HeartbeatTimeoutSeconds")?);
    let after = |s: i64| (s > 0).then(|| now_ms.saturating_add(s.saturating_mul(1000)));
    let id = fresh_id();
    operation.due_ms = after(timeout);
    operation.callback = Some(Callback { id: id.clone(), heartbeat_s: heartbeat, heartbeat_due_ms: after(heartbeat) });
    let mut details = json!({"CallbackId": id});
    if timeout > 0 {
        details["Timeout"] = timeout.into();
    }
    if heartbeat > 0 {
        details["HeartbeatTimeout"] = heartbeat.into();
    }
    Ok(details)
}

fn start_invoke(operation: &mut Operation, update: Input<'_>) -> Result<Value, ApiError> {
    let options = update.nested("ChainedInvokeOptions");
    let function = options.and_then(|o| o.text("FunctionName"));
    let function = function.ok_or_else(|| invalid("ChainedInvokeOptions.FunctionName is required"))?;
    let payload = update.text("Payload").unwrap_or("null");
    operation.target = Some(Target { function: function.to_owned(), payload: payload.to_owned(), launched: false });
    Ok(json!({"FunctionName": function, "Input": event::data(Some(payload))}))
}
