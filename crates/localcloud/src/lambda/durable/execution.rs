//! One execution.

use super::event::{self, Event};
use super::operation::Operation;
use crate::lambda::invoke::Fault;
use crate::service::lambda::function::Version;
use crate::time::epoch_seconds;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

/// `ExecutionStatus`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Running,
    Succeeded,
    Failed,
    TimedOut,
    Stopped,
}

impl Status {
    /// As the service model writes it.
    pub(crate) fn wire(self) -> &'static str {
        match self {
            Self::Running => "RUNNING",
            Self::Succeeded => "SUCCEEDED",
            Self::Failed => "FAILED",
            Self::TimedOut => "TIMED_OUT",
            Self::Stopped => "STOPPED",
        }
    }

    fn event(self) -> &'static str {
        match self {
            Self::Running => "ExecutionStarted",
            Self::Succeeded => "ExecutionSucceeded",
            Self::Failed => "ExecutionFailed",
            Self::TimedOut => "ExecutionTimedOut",
            Self::Stopped => "ExecutionStopped",
        }
    }
}

/// A durable execution. It keeps the version that it started with.
#[derive(Debug)]
pub(crate) struct Execution {
    pub(crate) arn: String,
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) version: Arc<Version>,
    pub(crate) input: String,
    pub(crate) status: Status,
    pub(crate) result: Option<String>,
    pub(crate) error: Option<Value>,
    pub(crate) started_ms: i64,
    pub(crate) ended_ms: Option<i64>,
    pub(crate) timeout_s: u32,
    pub(crate) retention_days: u32,
    pub(crate) events: Vec<Event>,
    pub(super) operations: Vec<Operation>,
    /// Places of operations that have changed since the SDK was last told.
    pub(super) untold: BTreeSet<usize>,
    /// The one token that the next checkpoint must carry; none outside an invocation.
    pub(super) token: Option<String>,
    pub(super) tokens_made: u64,
    /// Answers by client token, for callers that lost theirs.
    pub(super) answers: BTreeMap<String, Remembered>,
    /// A result that was checkpointed because it is too large for the response.
    pub(super) early_end: Option<(Status, Option<String>, Option<Value>)>,
    /// Something became ready that the running or last invocation may not know of.
    pub(super) wake: bool,
    /// When to invoke again after an invocation that failed as such.
    pub(super) again_at_ms: Option<i64>,
    pub(super) failed_invocations: u32,
    pub(super) invocation: Option<Invocation>,
    pub(super) changes: watch::Sender<u64>,
}

/// A remembered checkpoint answer.
#[derive(Clone, Debug)]
pub(super) struct Remembered {
    pub(super) at_ms: i64,
    pub(super) token: String,
    pub(super) output: Value,
}

/// The invocation that is under way.
#[derive(Debug)]
pub(super) struct Invocation {
    pub(super) kill: CancellationToken,
    pub(super) fault: Fault,
}

impl Execution {
    /// Tells the driver and those who wait to look again.
    pub(super) fn touch(&self) {
        self.changes.send_modify(|n| *n = n.wrapping_add(1));
    }

    /// Notices further changes.
    pub(super) fn subscribe(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Adds the event that starts the history.
    pub(super) fn open(&mut self) {
        let details = json!({"Input": event::data(Some(&self.input)), "ExecutionTimeout": self.timeout_s});
        let name = Some((self.id.as_str(), self.name.as_str()));
        self.events.push(Event::of_execution(self.started_ms, "ExecutionStarted", name, details));
    }

    /// Ends the execution, once.
    pub(crate) fn end(&mut self, status: Status, result: Option<String>, error: Option<Value>, now_ms: i64) {
        if self.status != Status::Running {
            return;
        }
        let details = match (status, &error) {
            (Status::Succeeded, _) => json!({"Result": event::data(result.as_deref())}),
            (_, Some(error)) => json!({"Error": event::error(error)}),
            (_, None) => json!({}),
        };
        let name = Some((self.id.as_str(), self.name.as_str()));
        self.events.push(Event::of_execution(now_ms, status.event(), name, details));
        self.status = status;
        self.result = result;
        self.error = error;
        self.ended_ms = Some(now_ms);
        self.token = None;
        self.touch();
    }

    /// When the execution is forgotten; never while it runs.
    pub(super) fn kept_until_ms(&self) -> Option<i64> {
        let days = i64::from(self.retention_days);
        self.ended_ms.map(|ended| ended.saturating_add(days * 24 * 60 * 60 * 1000))
    }

    /// The `Execution` shape of listings.
    pub(crate) fn summary(&self) -> Value {
        let mut out = json!({
            "DurableExecutionArn": self.arn,
            "DurableExecutionName": self.name,
            "FunctionArn": self.version.qualified_arn(),
            "Status": self.status.wire(),
            "StartTimestamp": epoch_seconds(self.started_ms),
        });
        if let Some(ended) = self.ended_ms {
            out["EndTimestamp"] = epoch_seconds(ended);
        }
        out
    }

    /// The answer of `GetDurableExecution`.
    pub(crate) fn render(&self, with_data: bool) -> Value {
        let mut out = self.summary();
        out["Version"] = self.version.label().into();
        out["ExecutionDataIncluded"] = with_data.into();
        out["DurableConfig"] =
            json!({"ExecutionTimeout": self.timeout_s, "RetentionPeriodInDays": self.retention_days});
        if with_data {
            out["InputPayload"] = self.input.as_str().into();
            if let Some(result) = &self.result {
                out["Result"] = result.as_str().into();
            }
            if let Some(error) = &self.error {
                out["Error"] = error.clone();
            }
        }
        out
    }
}
