//! One stack.

use super::change_set::ChangeSet;
use super::event::{Event, STACK, What};
use super::record::{Records, Tags};
use super::status::Status;
use super::template::Inputs;
use crate::time;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What an operation does, by the API's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperationKind {
    Create,
    Update,
    Delete,
    Rollback,
    ContinueRollback,
    CreateChangeSet,
}

impl OperationKind {
    /// The name in the API.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Create => "CREATE_STACK",
            Self::Update => "UPDATE_STACK",
            Self::Delete => "DELETE_STACK",
            Self::Rollback => "ROLLBACK",
            Self::ContinueRollback => "CONTINUE_ROLLBACK",
            Self::CreateChangeSet => "CREATE_CHANGESET",
        }
    }
}

/// One operation on a stack.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(crate) id: String,
    pub(crate) kind: OperationKind,
    pub(crate) token: Option<String>,
}

/// What becomes of a stack that cannot be created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum OnFailure {
    DoNothing,
    #[default]
    Rollback,
    Delete,
}

/// What a request sets on a stack beside its template.
#[derive(Clone, Debug, Default)]
pub(crate) struct Settings {
    pub(crate) tags: Tags,
    pub(crate) capabilities: Vec<String>,
    pub(crate) role_arn: Option<String>,
    pub(crate) notification_arns: Vec<String>,
    pub(crate) timeout_minutes: Option<i64>,
    pub(crate) on_failure: OnFailure,
    pub(crate) retain_except_on_create: bool,
}

/// One output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Output {
    pub(crate) key: String,
    pub(crate) value: String,
    pub(crate) description: Option<String>,
    pub(crate) export: Option<String>,
}

/// A stack, also after its deletion.
#[derive(Debug)]
pub(crate) struct Stack {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) created_ms: i64,
    pub(crate) updated_ms: Option<i64>,
    pub(crate) deleted_ms: Option<i64>,
    pub(crate) status: Status,
    pub(crate) reason: Option<String>,
    pub(crate) detailed: Option<&'static str>,
    pub(crate) body: String,
    /// None in a stack that a change set has made and nothing has been executed on.
    pub(crate) inputs: Option<Arc<Inputs>>,
    pub(crate) settings: Settings,
    pub(crate) termination_protection: bool,
    pub(crate) outputs: Vec<Output>,
    pub(crate) resources: Records,
    /// Oldest first.
    pub(crate) events: Vec<Event>,
    /// Oldest first; the last one owns the stack.
    pub(crate) operations: Vec<Operation>,
    /// Ids of operations whose tasks have not ended.
    pub(crate) busy: BTreeSet<String>,
    /// The update under way shall be cancelled.
    pub(crate) cancelling: bool,
    pub(crate) change_sets: BTreeMap<String, ChangeSet>,
    pub(crate) change_set_id: Option<String>,
    pub(crate) deletion_mode: Option<String>,
}

impl Stack {
    /// A stack without resources.
    pub(crate) fn new(id: String, name: String, now_ms: i64, settings: Settings) -> Self {
        Self {
            id,
            name,
            created_ms: now_ms,
            updated_ms: None,
            deleted_ms: None,
            status: Status::ReviewInProgress,
            reason: None,
            detailed: None,
            body: String::new(),
            inputs: None,
            settings,
            termination_protection: false,
            outputs: Vec::new(),
            resources: Records::new(),
            events: Vec::new(),
            operations: Vec::new(),
            busy: BTreeSet::new(),
            cancelling: false,
            change_sets: BTreeMap::new(),
            change_set_id: None,
            deletion_mode: None,
        }
    }

    /// Whether the stack's name is taken by it.
    pub(crate) fn is_live(&self) -> bool {
        self.status != Status::DeleteComplete
    }

    /// Moves the stack to a status and says so in an event.
    pub(crate) fn enter(
        &mut self,
        operation: &Operation,
        event_id: String,
        now_ms: i64,
        status: Status,
        reason: Option<String>,
    ) {
        self.status = status;
        self.reason.clone_from(&reason);
        if status == Status::DeleteComplete {
            self.deleted_ms = Some(now_ms);
        }
        self.events.push(Event {
            id: event_id,
            operation_id: operation.id.clone(),
            token: operation.token.clone(),
            at_ms: now_ms,
            logical_id: self.name.clone(),
            physical_id: Some(self.id.clone()),
            kind: STACK.to_owned(),
            what: What::Status { status, reason, properties: None, detailed: self.detailed },
        });
    }

    /// The kind of an operation of this stack, by its id.
    pub(crate) fn operation_name(&self, id: &str) -> &'static str {
        let found = self.operations.iter().find(|operation| operation.id == id);
        found.map_or(OperationKind::Create, |operation| operation.kind).name()
    }

    /// As `DescribeStacks` shows it.
    pub(crate) fn describe(&self) -> Value {
        json!({
            "StackId": self.id,
            "StackName": self.name,
            "ChangeSetId": self.change_set_id,
            "Description": self.description(),
            "Parameters": self.parameters(),
            "CreationTime": time::epoch_seconds(self.created_ms),
            "DeletionTime": self.deleted_ms.map(time::epoch_seconds),
            "LastUpdatedTime": self.updated_ms.map(time::epoch_seconds),
            "RollbackConfiguration": {},
            "StackStatus": self.status.name(),
            "StackStatusReason": self.reason,
            "DisableRollback": self.settings.on_failure == OnFailure::DoNothing,
            "NotificationARNs": self.settings.notification_arns,
            "TimeoutInMinutes": self.settings.timeout_minutes,
            "Capabilities": self.settings.capabilities,
            "Outputs": self.outputs.iter().map(Output::describe).collect::<Vec<_>>(),
            "RoleARN": self.settings.role_arn,
            "Tags": self.tags(),
            "EnableTerminationProtection": self.termination_protection,
            "DriftInformation": { "StackDriftStatus": "NOT_CHECKED" },
            "RetainExceptOnCreate": self.settings.retain_except_on_create,
            "DeletionMode": self.deletion_mode,
            "DetailedStatus": self.detailed,
            "LastOperations": self.last_operations(),
        })
    }

    /// As `ListStacks` shows it.
    pub(crate) fn summary(&self) -> Value {
        json!({
            "StackId": self.id,
            "StackName": self.name,
            "TemplateDescription": self.description(),
            "CreationTime": time::epoch_seconds(self.created_ms),
            "LastUpdatedTime": self.updated_ms.map(time::epoch_seconds),
            "DeletionTime": self.deleted_ms.map(time::epoch_seconds),
            "StackStatus": self.status.name(),
            "StackStatusReason": self.reason,
            "DriftInformation": { "StackDriftStatus": "NOT_CHECKED" },
            "LastOperations": self.last_operations(),
        })
    }

    fn description(&self) -> Option<&String> {
        self.inputs.as_ref().and_then(|inputs| inputs.template.description.as_ref())
    }

    /// Tags as a list.
    pub(crate) fn tags(&self) -> Vec<Value> {
        self.settings.tags.iter().map(|(key, value)| json!({ "Key": key, "Value": value })).collect()
    }

    fn parameters(&self) -> Vec<Value> {
        self.inputs.as_ref().map(|inputs| parameters(inputs)).unwrap_or_default()
    }

    fn last_operations(&self) -> Vec<Value> {
        let newest = self.operations.last();
        newest.iter().map(|op| json!({ "OperationType": op.kind.name(), "OperationId": op.id })).collect()
    }
}

/// Parameters as a list; the values of those with `NoEcho` are masked.
pub(crate) fn parameters(inputs: &Inputs) -> Vec<Value> {
    let shown = inputs.parameters.iter().map(|(key, parameter)| {
        let value = if parameter.no_echo { "****" } else { &parameter.text };
        json!({ "ParameterKey": key, "ParameterValue": value })
    });
    shown.collect()
}

impl Output {
    fn describe(&self) -> Value {
        json!({
            "OutputKey": self.key,
            "OutputValue": self.value,
            "Description": self.description,
            "ExportName": self.export,
        })
    }
}
