//! Handing a batch to the mapping's function.

use super::Poller;
use crate::lambda::durable::{self, Status};
use crate::lambda::invoke::{self, Request};
use serde_json::Value;

/// What became of a batch.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Delivered {
    /// The function took it; these are the items (message ids or sequence numbers) that it reports as failed.
    Taken(Vec<String>),
    /// The function failed, or could not be invoked.
    Failed,
}

impl Poller {
    /// Invokes the function with an event and waits for the end: of the invocation, or of the whole execution where
    /// the function is durable. Every delivery to a durable function starts an execution of its own.
    pub(super) async fn deliver(&self, event: &Value) -> Delivered {
        let target = self.cloud.with(&self.region, |state| {
            let mapping = state.lambda.mappings.get(&self.uuid)?;
            let version = state.lambda.version(&self.region, &mapping.function).ok()?.clone();
            Some((version, mapping.function.arn(&self.region), mapping.rules.reports_items))
        });
        let Some((version, arn, reports_items)) = target else {
            self.note("PROBLEM: Function not found");
            return Delivered::Failed;
        };
        let payload = event.to_string();
        let body = if version.settings.durable.is_some() {
            self.execute(&version, &payload).await
        } else {
            let request = Request::new(&self.cloud, &version, &arn, payload.into());
            let outcome = invoke::run(&self.cloud, &version, request).await;
            outcome.ok().and_then(|outcome| outcome.result.ok()).map(|body| body.to_vec())
        };
        match body {
            Some(body) => {
                self.note("OK");
                Delivered::Taken(if reports_items { failed_items(&body) } else { Vec::new() })
            }
            None => {
                self.note("PROBLEM: Function call failed");
                Delivered::Failed
            }
        }
    }

    async fn execute(
        &self,
        version: &std::sync::Arc<crate::service::lambda::function::Version>,
        payload: &str,
    ) -> Option<Vec<u8>> {
        let arn = durable::start(&self.cloud, version, None, payload).ok()?;
        let ended = durable::wait_ended(&self.cloud, &self.region, &arn).await?;
        (ended.status == Status::Succeeded).then(|| ended.result.unwrap_or_default().into_bytes())
    }
}

/// `batchItemFailures` of a function's answer.
fn failed_items(body: &[u8]) -> Vec<String> {
    let answer: Value = serde_json::from_slice(body).unwrap_or_default();
    let failures = answer.get("batchItemFailures").and_then(Value::as_array).into_iter().flatten();
    failures.filter_map(|item| item.get("itemIdentifier")?.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reported_items_are_read() {
        let body = br#"{"batchItemFailures":[{"itemIdentifier":"a"},{"itemIdentifier":"b"}]}"#;
        assert_eq!(failed_items(body), ["a", "b"]);
        assert!(failed_items(b"null").is_empty());
    }
}
