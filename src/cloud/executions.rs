//! Durable executions. They are listed by numeric version and without a qualifier, because the service refuses an
//! alias ("Cannot filter by alias"), and they are pinned to the version that ran first (Lambda developer guide,
//! "Invoking durable functions").

mod capture;

use self::capture::Capture;
use super::budget::Lane;
use super::clients::Clients;
use super::listing::{Listing, PageCap, pages};
use super::millis;
use super::outcome::{Failure, Outcome, require, settle};
use aws_sdk_lambda::types::ExecutionStatus;
use evidence::trial::{Execution, ExecutionListing, HistoryEvent};

/// Events on one page of a history (Lambda API reference: at most 1,000).
const PAGE: i32 = 1_000;

/// An execution as the list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Durable execution ARN.
    pub arn: String,
    /// `RUNNING`, `SUCCEEDED`, `FAILED`, `TIMED_OUT` or `STOPPED`.
    pub status: String,
    /// Milliseconds since the epoch.
    pub started_at_ms: i64,
}

/// Status and input of one execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Details {
    /// Durable execution ARN.
    pub arn: String,
    /// Version that it is pinned to.
    pub version: String,
    /// As in [`Listed`].
    pub status: String,
    /// Input payload, JSON text.
    pub input: Option<String>,
    /// Milliseconds since the epoch.
    pub started_at_ms: i64,
    /// Milliseconds since the epoch; absent while running.
    pub ended_at_ms: Option<i64>,
}

/// Lists the executions of one version, or without a qualifier; all statuses unless `running_only`.
pub async fn list(
    clients: &Clients,
    function: &str,
    version: Option<&str>,
    running_only: bool,
    cap: PageCap,
) -> Outcome<Listing<Listed>> {
    const OPERATION: &str = "ListDurableExecutionsByFunction";
    settle(pages(OPERATION, cap, async |marker: Option<String>| {
        let call = || {
            let statuses = running_only.then(|| vec![ExecutionStatus::Running]);
            let call = clients.sdk().lambda.list_durable_executions_by_function().function_name(function);
            let call = call.set_qualifier(version.map(str::to_owned)).set_statuses(statuses);
            call.set_marker(marker.clone()).send()
        };
        let answer = clients.read(Lane::DurableRead, OPERATION, call).await?;
        let items = answer.durable_executions.unwrap_or_default().into_iter().map(|e| Listed {
            arn: e.durable_execution_arn,
            status: e.status.as_str().to_owned(),
            started_at_ms: millis(&e.start_timestamp),
        });
        Ok((items.collect(), answer.next_marker))
    }))
    .await
}

/// The same listing as evidence.
#[must_use]
pub fn as_evidence(version: Option<&str>, listing: &Listing<Listed>) -> ExecutionListing {
    ExecutionListing {
        qualifier: version.map(str::to_owned),
        pages: listing.pages.clone(),
        arns: listing.items.iter().map(|e| e.arn.clone()).collect(),
    }
}

/// Status and input of one execution.
pub async fn details(clients: &Clients, arn: &str) -> Outcome<Details> {
    const OPERATION: &str = "GetDurableExecution";
    settle(async {
        let call = || {
            let call = clients.sdk().lambda.get_durable_execution().durable_execution_arn(arn);
            call.include_execution_data(true).send()
        };
        let e = clients.read(Lane::DurableRead, OPERATION, call).await?;
        Ok(Details {
            version: require(OPERATION, "Version", e.version.or_else(|| version_of(arn)))?,
            arn: e.durable_execution_arn,
            status: e.status.as_str().to_owned(),
            input: e.input_payload,
            started_at_ms: millis(&e.start_timestamp),
            ended_at_ms: e.end_timestamp.as_ref().map(millis),
        })
    })
    .await
}

/// Every event of one execution, payloads included, members named and valued as the service sent them.
pub async fn history(clients: &Clients, arn: &str, cap: PageCap) -> Outcome<Listing<HistoryEvent>> {
    const OPERATION: &str = "GetDurableExecutionHistory";
    settle(pages(OPERATION, cap, async |marker: Option<String>| {
        let body = Capture::default();
        let call = || {
            let call = clients.sdk().lambda.get_durable_execution_history().durable_execution_arn(arn);
            let call = call.include_execution_data(true).max_items(PAGE).set_marker(marker.clone());
            call.customize().interceptor(body.clone()).send()
        };
        let answer = clients.read(Lane::DurableRead, OPERATION, call).await?;
        let events = capture::events(OPERATION, &body.take())?;
        if events.len() != answer.events.len() {
            return Err(Failure::unknown(OPERATION, "the answer's events could not be read whole"));
        }
        Ok((events, answer.next_marker))
    }))
    .await
}

/// Details and history together, as evidence.
pub async fn whole(clients: &Clients, arn: &str, cap: PageCap) -> Outcome<(Execution, Option<String>)> {
    settle(async {
        let history = history(clients, arn, cap).await.into_result()?;
        let details = details(clients, arn).await.into_result()?;
        let execution = Execution {
            arn: details.arn,
            version: details.version,
            status: details.status,
            started_at_ms: details.started_at_ms,
            ended_at_ms: details.ended_at_ms,
            pages: history.pages,
            history: history.items,
        };
        Ok((execution, details.input))
    })
    .await
}

/// Stops a running execution. The invocation in progress runs on until its next checkpoint (durable execution guide,
/// "Manage executions"), so read the status afterwards.
pub async fn stop(clients: &Clients, arn: &str) -> Outcome<()> {
    let call = clients.sdk().lambda.stop_durable_execution().durable_execution_arn(arn).send();
    settle(async { clients.write(Lane::LambdaControl, "StopDurableExecution", call).await.map(drop) }).await
}

/// Version in `…:function:NAME:VERSION/durable-execution/NAME/ID`.
fn version_of(arn: &str) -> Option<String> {
    let head = arn.split_once("/durable-execution/")?.0;
    head.rsplit(':').next().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::version_of;

    #[test]
    fn the_version_is_in_the_arn() {
        let arn = "arn:aws:lambda:us-east-1:123456789012:function:f:3/durable-execution/a/b";
        assert_eq!(version_of(arn).as_deref(), Some("3"));
    }
}
