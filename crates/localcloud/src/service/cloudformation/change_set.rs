//! Change sets: what an operation would do.

use super::plan::Change;
use super::stack::{OnFailure, Settings, Stack, parameters};
use super::template::Inputs;
use crate::time;
use serde_json::{Value, json};
use std::sync::Arc;

/// How far a change set has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ChangeSetStatus {
    Creating,
    Ready,
    /// With the reason.
    Failed(String),
    Executed,
}

/// One change set.
#[derive(Clone, Debug)]
pub(crate) struct ChangeSet {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) description: Option<String>,
    pub(crate) created_ms: i64,
    pub(crate) status: ChangeSetStatus,
    /// Makes the stack when executed.
    pub(crate) creates: bool,
    pub(crate) body: String,
    pub(crate) inputs: Arc<Inputs>,
    pub(crate) settings: Settings,
    pub(crate) changes: Vec<Change>,
    pub(crate) operation_id: String,
}

impl ChangeSet {
    fn status(&self) -> (&'static str, &'static str) {
        match self.status {
            ChangeSetStatus::Creating => ("CREATE_IN_PROGRESS", "UNAVAILABLE"),
            ChangeSetStatus::Ready => ("CREATE_COMPLETE", "AVAILABLE"),
            ChangeSetStatus::Failed(_) => ("FAILED", "UNAVAILABLE"),
            ChangeSetStatus::Executed => ("CREATE_COMPLETE", "EXECUTE_COMPLETE"),
        }
    }

    fn reason(&self) -> Option<&str> {
        match &self.status {
            ChangeSetStatus::Failed(reason) => Some(reason),
            _ => None,
        }
    }

    /// As `ListChangeSets` shows it.
    pub(crate) fn summary(&self, stack: &Stack) -> Value {
        let (status, execution) = self.status();
        json!({
            "StackId": stack.id,
            "StackName": stack.name,
            "ChangeSetId": self.id,
            "ChangeSetName": self.name,
            "ExecutionStatus": execution,
            "Status": status,
            "StatusReason": self.reason(),
            "CreationTime": time::epoch_seconds(self.created_ms),
            "Description": self.description,
            "IncludeNestedStacks": false,
            "ImportExistingResources": false,
        })
    }

    /// As `DescribeChangeSet` shows it, without the paging.
    pub(crate) fn describe(&self, stack: &Stack) -> Value {
        let mut shown = self.summary(stack);
        let tags = self.settings.tags.iter().map(|(key, value)| json!({ "Key": key, "Value": value }));
        shown["Parameters"] = parameters(&self.inputs).into();
        shown["NotificationARNs"] = json!(self.settings.notification_arns);
        shown["RollbackConfiguration"] = json!({});
        shown["Capabilities"] = json!(self.settings.capabilities);
        shown["Tags"] = tags.collect();
        shown["OnStackFailure"] = json!(match self.settings.on_failure {
            OnFailure::DoNothing => "DO_NOTHING",
            OnFailure::Rollback => "ROLLBACK",
            OnFailure::Delete => "DELETE",
        });
        shown["Changes"] = self.changes.iter().map(Change::describe).collect();
        shown
    }
}
