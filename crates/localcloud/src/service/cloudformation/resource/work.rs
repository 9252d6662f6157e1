//! One resource at work: its properties, and the way to its service.

use super::super::engine::Run;
use super::super::naming::{Case, physical_name};
use super::super::record::Tags;
use super::{Failure, Kind};
use crate::cloud::ACCOUNT;
use serde_json::{Map, Value};
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::Instant;

/// How long a resource may take to become ready or to vanish, in real time.
const LIMIT: Duration = Duration::from_secs(120);
/// How often it is looked at when nothing in the cloud has changed, in milliseconds.
const INTERVAL_MS: i64 = 25;

/// A resource of a running operation.
pub(crate) struct Work<'a> {
    pub(crate) run: &'a Run,
    pub(crate) kind: Kind,
    pub(crate) logical_id: &'a str,
    /// Evaluated, in the schema's types.
    pub(crate) properties: &'a Map<String, Value>,
    /// All tags to put on the resource.
    pub(crate) tags: Tags,
}

impl Work<'_> {
    /// Calls the resource's service.
    pub(super) async fn call(&self, operation: &str, input: Value) -> Result<Value, Failure> {
        let (service, ctx) = (self.kind.service(), self.run.context());
        let answer = self.run.cloud.call(&ctx, service, operation, input).await;
        answer.map_err(|error| Failure::from_service(service, &error, &ctx.request_id))
    }

    /// As [`Work::call`], answering whether the thing exists.
    pub(super) async fn found(&self, operation: &str, input: Value) -> Result<bool, Failure> {
        match self.call(operation, input).await {
            Ok(_) => Ok(true),
            Err(failure) if failure.is_missing() => Ok(false),
            Err(failure) => Err(failure),
        }
    }

    /// A property.
    pub(super) fn property(&self, name: &str) -> Option<&Value> {
        self.properties.get(name)
    }

    /// A text property.
    pub(super) fn text(&self, name: &str) -> Option<&str> {
        self.property(name).and_then(Value::as_str)
    }

    /// The items of a list of texts.
    pub(super) fn texts(&self, name: &str) -> Vec<&str> {
        self.property(name).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str).collect()
    }

    /// The given properties, under the same names as the service's members.
    pub(super) fn pick(&self, names: &[&str]) -> Map<String, Value> {
        names.iter().filter_map(|name| Some(((*name).to_owned(), self.property(name)?.clone()))).collect()
    }

    /// The name that the template fixes, or one that CloudFormation makes up.
    pub(super) fn physical_name(&self) -> String {
        let (property, limit, case) = self.kind.name_property().unwrap_or(("", 128, Case::Mixed));
        match self.text(property) {
            Some(name) => name.to_owned(),
            None => self.made_up(limit, case),
        }
    }

    /// A name from the stack's name, the logical id and chance.
    pub(super) fn made_up(&self, limit: usize, case: Case) -> String {
        physical_name(&self.run.stack_name, self.logical_id, &self.run.cloud.uuid(), limit, case)
    }

    /// An ARN in the stack's region and account.
    pub(super) fn arn(&self, service: &str, rest: &str) -> String {
        format!("arn:aws:{service}:{}:{ACCOUNT}:{rest}", self.run.region())
    }

    /// Whether a property differs from the one in `old`.
    pub(super) fn differs(&self, old: &Work<'_>, name: &str) -> bool {
        self.property(name) != old.property(name)
    }

    /// Subscribes to changes of the cloud: look after this, then [`Poll::again`].
    pub(super) fn poll(&self) -> Poll<'_> {
        Poll { run: self.run, changes: self.run.cloud.changes(), deadline: Instant::now() + LIMIT }
    }
}

/// Waiting for a resource, bounded.
pub(super) struct Poll<'a> {
    run: &'a Run,
    changes: watch::Receiver<u64>,
    deadline: Instant,
}

impl Poll<'_> {
    /// Returns when it is worth looking again.
    pub(super) async fn again(&mut self, what: &str) -> Result<(), Failure> {
        if Instant::now() >= self.deadline {
            return Err(Failure::new(format!("Exceeded attempts to wait: {what} (HandlerErrorCode: NotStabilized)")));
        }
        let at_ms = self.run.now_ms().saturating_add(INTERVAL_MS);
        self.run.cloud.wait(&mut self.changes, at_ms).await;
        Ok(())
    }
}

/// A document as the text that the services take.
pub(super) fn document(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(value) => value.to_string(),
        None => String::new(),
    }
}
