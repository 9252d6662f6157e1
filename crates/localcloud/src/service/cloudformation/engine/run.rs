//! One operation under way.

use super::super::event::{Event, What};
use super::super::record::Record;
use super::super::stack::{Operation, Stack};
use super::super::status::Status;
use crate::cloud::{Cloud, Context, Origin};
use crate::fault::Effect;
use crate::service::tagging;
use serde_json::Value;

/// An operation, the stack that it works on, and the faults that are scripted for it.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) cloud: Cloud,
    region: String,
    pub(crate) stack_id: String,
    pub(crate) stack_name: String,
    pub(crate) operation: Operation,
    pub(crate) effects: Vec<Effect>,
}

impl Run {
    /// A run in a region.
    pub(crate) fn new(
        cloud: &Cloud,
        region: &str,
        stack: (&str, &str),
        operation: Operation,
        effects: Vec<Effect>,
    ) -> Self {
        Self {
            cloud: cloud.clone(),
            region: region.to_owned(),
            stack_id: stack.0.to_owned(),
            stack_name: stack.1.to_owned(),
            operation,
            effects,
        }
    }

    pub(crate) fn region(&self) -> &str {
        &self.region
    }

    pub(crate) fn now_ms(&self) -> i64 {
        self.cloud.clock().now_ms()
    }

    /// The context of one call that CloudFormation makes for the stack.
    pub(crate) fn context(&self) -> Context {
        Context { region: self.region.clone(), request_id: self.cloud.uuid(), origin: Origin::CloudFormation }
    }

    /// Looks at or changes the stack; the default where there is none.
    pub(crate) fn with<R: Default>(&self, act: impl FnOnce(&mut Stack) -> R) -> R {
        self.cloud
            .with(&self.region, |state| state.cloudformation.find_mut(&self.stack_id).map(act))
            .unwrap_or_default()
    }

    /// Whether no later operation has taken the stack over.
    pub(crate) fn owns_stack(&self) -> bool {
        self.with(|stack| stack.operations.last().is_some_and(|last| last.id == self.operation.id))
    }

    /// Whether a fault is scripted for this operation.
    pub(crate) fn suffers(&self, effect: &Effect) -> bool {
        self.effects.contains(effect)
    }

    /// Moves the stack on. A stack that is gone leaves the tag index too.
    pub(crate) fn stack_is(&self, status: Status, reason: Option<String>) {
        let (now_ms, event_id) = (self.now_ms(), self.cloud.uuid());
        self.with(|stack| stack.enter(&self.operation, event_id, now_ms, status, reason));
        if status == Status::DeleteComplete {
            self.cloud.with(&self.region, |state| tagging::deleted(state, &self.stack_id, now_ms));
        }
        self.cloud.touch();
    }

    /// Starts a resource's record, or starts it anew.
    pub(crate) fn track(&self, logical_id: &str, record: Record) {
        self.with(|stack| {
            stack.resources.insert(logical_id.to_owned(), record);
        });
    }

    /// Changes a resource's record.
    pub(crate) fn record(&self, logical_id: &str, act: impl FnOnce(&mut Record)) {
        self.with(|stack| stack.resources.get_mut(logical_id).map(act));
    }

    /// Moves a resource on and says so in an event.
    pub(crate) fn resource_is(&self, logical_id: &str, status: Status, reason: Option<&str>) {
        let (now_ms, id) = (self.now_ms(), self.cloud.uuid());
        self.with(|stack| {
            let Some(record) = stack.resources.get_mut(logical_id) else { return };
            record.status = status;
            record.reason = reason.map(str::to_owned);
            record.changed_ms = now_ms;
            let event = Event {
                id,
                operation_id: self.operation.id.clone(),
                token: self.operation.token.clone(),
                at_ms: now_ms,
                logical_id: logical_id.to_owned(),
                physical_id: record.physical_id.clone(),
                kind: record.kind.clone(),
                what: What::Status {
                    status,
                    reason: record.reason.clone(),
                    properties: Some(Value::Object(record.properties.clone()).to_string()),
                    detailed: None,
                },
            };
            stack.events.push(event);
        });
        self.cloud.touch();
    }

    /// Says that validation has found something.
    pub(crate) fn finding(&self, logical_id: &str, kind: &str, what: What) {
        let (at_ms, id) = (self.now_ms(), self.cloud.uuid());
        self.with(|stack| {
            stack.events.push(Event {
                id,
                operation_id: self.operation.id.clone(),
                token: self.operation.token.clone(),
                at_ms,
                logical_id: logical_id.to_owned(),
                physical_id: None,
                kind: kind.to_owned(),
                what,
            });
        });
    }

    /// Waits as long as the cloud is told to take for each step, so that people can watch.
    pub(crate) async fn pause(&self) {
        let delay = self.cloud.stack_step_delay();
        if !delay.is_zero() {
            self.cloud.clock().sleep(delay).await;
        }
    }

    /// Says that this operation's task has ended.
    pub(crate) fn finish(&self) {
        self.with(|stack| stack.busy.remove(&self.operation.id));
        self.cloud.touch();
    }

    /// Waits until the tasks of earlier operations have ended.
    pub(crate) async fn alone(&self) {
        let mut changes = self.cloud.changes();
        while self.with(|stack| stack.busy.iter().any(|id| *id != self.operation.id)) {
            self.cloud.wait(&mut changes, self.now_ms().saturating_add(100)).await;
        }
    }
}
