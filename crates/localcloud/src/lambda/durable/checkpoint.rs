//! Checkpoints and state, as the SDK asks for them.

use super::execution::{Execution, Remembered, Status};
use super::operation::Operation;
use crate::cloud::Cloud;
use crate::error::ApiError;
use crate::lambda::invoke::Fault;
use crate::service::lambda::errors::invalid;
use crate::service::lambda::input::{Input, page};
use serde_json::{Value, json};

/// How long a client token is remembered ("CheckpointDurableExecution" in the service model).
const CLIENT_TOKEN_MS: i64 = 15 * 60 * 1000;

/// `CheckpointDurableExecution`: all updates or none; the token is used up, the answer brings the next.
pub(crate) fn checkpoint(cloud: &Cloud, region: &str, input: Input<'_>) -> Result<Value, ApiError> {
    let arn = input.required("DurableExecutionArn")?;
    let token = input.required("CheckpointToken")?;
    let no_updates = Vec::new();
    let updates = input.get("Updates").and_then(Value::as_array).unwrap_or(&no_updates);
    let now_ms = cloud.clock().now_ms();
    let output = cloud.with(region, |state| {
        let executions = &mut state.lambda.executions;
        let execution = executions.get(arn, now_ms).ok_or_else(|| stale(arn))?;
        if let Some(answer) = execution.answer_again(input.text("ClientToken"), token, now_ms) {
            return Ok(answer);
        }
        if execution.status != Status::Running || execution.token.as_deref() != Some(token) {
            return Err(stale(arn));
        }
        execution.play_fault(updates)?;
        let mut callbacks = Vec::new();
        let fresh = || {
            let id = cloud.uuid().replace('-', "");
            callbacks.push(id.clone());
            id
        };
        execution.apply_all(updates, now_ms, fresh)?;
        let output = execution.answer(input.text("ClientToken"), token, now_ms);
        execution.touch();
        let owners = execution.callback_owners(&callbacks);
        executions.callbacks.extend(owners);
        Ok(output)
    })?;
    super::chained::launch(cloud, region, arn);
    Ok(output)
}

fn stale(arn: &str) -> ApiError {
    // The SDK knows this prefix and then fails the invocation, not the execution.
    invalid(format!("Invalid Checkpoint Token for {arn}"))
}

impl Execution {
    /// The scripted end of the environment after a step's effect and before its record.
    fn play_fault(&self, updates: &[Value]) -> Result<(), ApiError> {
        let Some(invocation) = &self.invocation else { return Ok(()) };
        let outcome = |update: &Value| {
            update.get("Type").is_some_and(|kind| kind == "STEP")
                && update.get("Action").is_some_and(|action| action != "START")
        };
        if invocation.fault == Fault::KillAfterEffect && updates.iter().any(outcome) {
            invocation.kill.cancel();
            return Err(ApiError::new(500, "ServiceException", "the environment is being ended by a scripted fault"));
        }
        Ok(())
    }

    fn answer_again(&mut self, client_token: Option<&str>, token: &str, now_ms: i64) -> Option<Value> {
        self.answers.retain(|_, answer| now_ms - answer.at_ms < CLIENT_TOKEN_MS);
        let answer = self.answers.get(client_token?)?;
        (answer.token == token).then(|| answer.output.clone())
    }

    fn answer(&mut self, client_token: Option<&str>, token: &str, now_ms: i64) -> Value {
        let untold = std::mem::take(&mut self.untold);
        let operations: Vec<Value> =
            untold.iter().filter_map(|place| self.operations.get(*place)).map(Operation::render).collect();
        let output = json!({"CheckpointToken": self.fresh_token(), "NewExecutionState": {"Operations": operations}});
        if let Some(client_token) = client_token {
            let answer = Remembered { at_ms: now_ms, token: token.to_owned(), output: output.clone() };
            self.answers.insert(client_token.to_owned(), answer);
        }
        output
    }

    fn callback_owners(&self, callbacks: &[String]) -> Vec<(String, (String, String))> {
        let mut owners = Vec::new();
        for operation in &self.operations {
            if let Some(callback) = operation.callback.as_ref().filter(|callback| callbacks.contains(&callback.id)) {
                owners.push((callback.id.clone(), (self.arn.clone(), operation.id.clone())));
            }
        }
        owners
    }
}

/// `GetDurableExecutionState`: the whole log in pages, for the holder of the current token.
pub(crate) fn state_page(cloud: &Cloud, region: &str, input: Input<'_>) -> Result<Value, ApiError> {
    let arn = input.required("DurableExecutionArn")?;
    let token = input.required("CheckpointToken")?;
    let operations = cloud.with(region, |state| {
        let execution = state.lambda.executions.get(arn, cloud.clock().now_ms()).ok_or_else(|| stale(arn))?;
        if execution.token.as_deref() != Some(token) {
            return Err(stale(arn));
        }
        Ok(execution.rendered_operations())
    })?;
    let (operations, next) = page(operations, input, 100, 1000)?;
    let mut output = json!({"Operations": operations});
    if let Some(next) = next {
        output["NextMarker"] = next.into();
    }
    Ok(output)
}
