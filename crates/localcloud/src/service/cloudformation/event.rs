//! Events of a stack: its only memory of what happened.

use super::status::Status;
use crate::time;
use serde_json::{Value, json};

/// One event.
#[derive(Clone, Debug)]
pub(crate) struct Event {
    pub(crate) id: String,
    pub(crate) operation_id: String,
    pub(crate) token: Option<String>,
    pub(crate) at_ms: i64,
    pub(crate) logical_id: String,
    pub(crate) physical_id: Option<String>,
    pub(crate) kind: String,
    pub(crate) what: What,
}

/// What an event tells.
#[derive(Clone, Debug)]
pub(crate) enum What {
    /// A stack or a resource has changed its status.
    Status { status: Status, reason: Option<String>, properties: Option<String>, detailed: Option<&'static str> },
    /// Validation before the deployment has found something; shown by `DescribeEvents` only.
    Validation { name: &'static str, path: String, reason: String },
}

/// The type that a stack has among its own resources.
pub(crate) const STACK: &str = "AWS::CloudFormation::Stack";

impl Event {
    fn status(&self) -> Option<Status> {
        match self.what {
            What::Status { status, .. } => Some(status),
            What::Validation { .. } => None,
        }
    }

    /// Whether `DescribeEvents` shows the event when asked for failures.
    pub(crate) fn is_failure(&self) -> bool {
        self.status().is_none_or(Status::is_failure)
    }

    /// As `DescribeStackEvents` shows it; validation findings are not shown there.
    pub(crate) fn stack_event(&self, stack_id: &str, stack_name: &str) -> Option<Value> {
        let What::Status { status, reason, properties, detailed } = &self.what else { return None };
        Some(json!({
            "StackId": stack_id,
            "EventId": self.id,
            "StackName": stack_name,
            "OperationId": self.operation_id,
            "LogicalResourceId": self.logical_id,
            "PhysicalResourceId": self.physical_id.as_deref().unwrap_or_default(),
            "ResourceType": self.kind,
            "Timestamp": time::epoch_seconds(self.at_ms),
            "ResourceStatus": status.name(),
            "ResourceStatusReason": reason,
            "ResourceProperties": properties,
            "ClientRequestToken": self.token,
            "DetailedStatus": detailed,
        }))
    }

    /// As `DescribeEvents` shows it.
    pub(crate) fn operation_event(&self, stack_id: &str, operation: &'static str) -> Value {
        let mut shown = json!({
            "EventId": self.id,
            "StackId": stack_id,
            "OperationId": self.operation_id,
            "OperationType": operation,
            "EventType": self.event_type(),
            "LogicalResourceId": self.logical_id,
            "PhysicalResourceId": self.physical_id,
            "ResourceType": self.kind,
            "Timestamp": time::epoch_seconds(self.at_ms),
            "ClientRequestToken": self.token,
        });
        match &self.what {
            What::Status { status, reason, properties, detailed } => {
                shown["ResourceStatus"] = json!(status.name());
                shown["ResourceStatusReason"] = json!(reason);
                shown["ResourceProperties"] = json!(properties);
                shown["DetailedStatus"] = json!(detailed);
            }
            What::Validation { name, path, reason } => {
                shown["ValidationFailureMode"] = json!("FAIL");
                shown["ValidationName"] = json!(name);
                shown["ValidationStatus"] = json!("FAILED");
                shown["ValidationStatusReason"] = json!(reason);
                shown["ValidationPath"] = json!(path);
            }
        }
        shown
    }

    fn event_type(&self) -> &'static str {
        match self.status() {
            None => "VALIDATION_ERROR",
            Some(_) if self.kind == STACK => "STACK_EVENT",
            Some(status) if status.is_failure() => "PROVISIONING_ERROR",
            Some(_) => "PROGRESS_EVENT",
        }
    }
}
