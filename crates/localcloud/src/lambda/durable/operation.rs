//! Operations of an execution, in the shapes of the service model.

use crate::error::ApiError;
use crate::service::lambda::errors::invalid;
use crate::time::epoch_seconds;
use serde_json::{Map, Value, json};

/// What an operation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Context,
    Step,
    Wait,
    Callback,
    ChainedInvoke,
}

impl Kind {
    /// Reads `OperationType`; `EXECUTION` is not an operation that can be in the log twice.
    pub(super) fn parse(text: &str) -> Result<Self, ApiError> {
        match text {
            "CONTEXT" => Ok(Self::Context),
            "STEP" => Ok(Self::Step),
            "WAIT" => Ok(Self::Wait),
            "CALLBACK" => Ok(Self::Callback),
            "CHAINED_INVOKE" => Ok(Self::ChainedInvoke),
            other => Err(invalid(format!("Invalid operation type: {other}"))),
        }
    }

    /// `OperationType`.
    pub(super) fn wire(self) -> &'static str {
        match self {
            Self::Context => "CONTEXT",
            Self::Step => "STEP",
            Self::Wait => "WAIT",
            Self::Callback => "CALLBACK",
            Self::ChainedInvoke => "CHAINED_INVOKE",
        }
    }

    /// How its event types begin.
    pub(super) fn event_prefix(self) -> &'static str {
        match self {
            Self::Context => "Context",
            Self::Step => "Step",
            Self::Wait => "Wait",
            Self::Callback => "Callback",
            Self::ChainedInvoke => "ChainedInvoke",
        }
    }
}

/// `OperationStatus`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OperationStatus {
    Started,
    /// A step that waits for its next attempt.
    Pending,
    /// A step whose delay is over.
    Ready,
    Succeeded,
    Failed,
    Cancelled,
    TimedOut,
}

impl OperationStatus {
    pub(super) fn wire(self) -> &'static str {
        match self {
            Self::Started => "STARTED",
            Self::Pending => "PENDING",
            Self::Ready => "READY",
            Self::Succeeded => "SUCCEEDED",
            Self::Failed => "FAILED",
            Self::Cancelled => "CANCELLED",
            Self::TimedOut => "TIMED_OUT",
        }
    }

    pub(super) fn is_terminal(self) -> bool {
        !matches!(self, Self::Started | Self::Pending | Self::Ready)
    }
}

/// One operation.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(super) id: String,
    pub(super) parent: Option<String>,
    pub(super) name: Option<String>,
    pub(super) sub_type: Option<String>,
    pub(super) kind: Kind,
    pub(super) status: OperationStatus,
    pub(super) started_ms: i64,
    pub(super) ended_ms: Option<i64>,
    /// Attempts of a step that have ended in a retry.
    pub(super) attempt: u32,
    /// End of a wait, of a retry delay or of a callback's timeout.
    pub(super) due_ms: Option<i64>,
    /// A wait's length.
    pub(super) duration_s: i64,
    pub(super) result: Option<String>,
    pub(super) error: Option<Value>,
    pub(super) replay_children: bool,
    pub(super) callback: Option<Callback>,
    pub(super) target: Option<Target>,
}

/// A callback's own data.
#[derive(Clone, Debug)]
pub(super) struct Callback {
    pub(super) id: String,
    pub(super) heartbeat_s: i64,
    pub(super) heartbeat_due_ms: Option<i64>,
}

/// What a chained invoke calls.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) function: String,
    pub(super) payload: String,
    pub(super) launched: bool,
}

impl Operation {
    pub(super) fn new(id: &str, kind: Kind, now_ms: i64) -> Self {
        Self {
            id: id.to_owned(),
            parent: None,
            name: None,
            sub_type: None,
            kind,
            status: OperationStatus::Started,
            started_ms: now_ms,
            ended_ms: None,
            attempt: 0,
            due_ms: None,
            duration_s: 0,
            result: None,
            error: None,
            replay_children: false,
            callback: None,
            target: None,
        }
    }

    /// Ends the operation.
    pub(super) fn end(&mut self, status: OperationStatus, now_ms: i64) {
        self.status = status;
        self.ended_ms = Some(now_ms);
        self.due_ms = None;
    }

    /// The `Operation` shape.
    pub(super) fn render(&self) -> Value {
        let mut out = json!({
            "Id": self.id,
            "Type": self.kind.wire(),
            "Status": self.status.wire(),
            "StartTimestamp": epoch_seconds(self.started_ms),
        });
        let optional = [("ParentId", &self.parent), ("Name", &self.name), ("SubType", &self.sub_type)];
        for (key, value) in optional {
            if let Some(text) = value {
                out[key] = text.as_str().into();
            }
        }
        if let Some(ended) = self.ended_ms {
            out["EndTimestamp"] = epoch_seconds(ended);
        }
        let mut details = Map::new();
        if let Some(result) = &self.result {
            details.insert("Result".into(), result.as_str().into());
        }
        if let Some(error) = &self.error {
            details.insert("Error".into(), error.clone());
        }
        self.add_own_details(&mut details);
        out[format!("{}Details", self.kind.event_prefix())] = Value::Object(details);
        out
    }

    fn add_own_details(&self, details: &mut Map<String, Value>) {
        match self.kind {
            Kind::Step => {
                details.insert("Attempt".into(), self.attempt.into());
                if let Some(due) = self.due_ms {
                    details.insert("NextAttemptTimestamp".into(), epoch_seconds(due));
                }
            }
            Kind::Wait => {
                let end = self.due_ms.or(self.ended_ms).unwrap_or(self.started_ms);
                details.insert("ScheduledEndTimestamp".into(), epoch_seconds(end));
            }
            Kind::Context if self.replay_children => {
                details.insert("ReplayChildren".into(), true.into());
            }
            Kind::Callback => {
                if let Some(callback) = &self.callback {
                    details.insert("CallbackId".into(), callback.id.as_str().into());
                }
            }
            Kind::Context | Kind::ChainedInvoke => {}
        }
    }
}
