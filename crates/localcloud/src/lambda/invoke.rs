//! One invocation of one version.

use super::environment::Failure;
use super::pool;
use crate::cloud::Cloud;
use crate::fault::Effect;
use crate::service::lambda::function::Version;
use hyper::body::Bytes;
use std::sync::Arc;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;

/// An invocation for an environment.
#[derive(Debug)]
pub(crate) struct Work {
    pub(super) request_id: String,
    /// The ARN as it was invoked, qualifier included.
    pub(super) function_arn: String,
    pub(super) payload: Bytes,
    pub(super) client_context: Option<String>,
    pub(super) fault: Fault,
    /// Ends the environment when cancelled.
    pub(super) kill: CancellationToken,
    pub(super) reply: oneshot::Sender<Outcome>,
}

/// A scripted fault of an invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    /// The process ends in the middle.
    Crash,
    /// The answer never counts.
    Timeout,
    /// The process ends when it has done its work and before that is on record.
    KillAfterEffect,
}

/// How an invocation ended. Times are by the cloud's clock.
#[derive(Debug)]
pub(crate) struct Outcome {
    pub(crate) result: Result<Bytes, Failure>,
    pub(crate) log_tail: String,
    pub(crate) request_id: String,
    pub(crate) started_ms: i64,
    pub(crate) ended_ms: i64,
}

/// What to invoke a version with.
#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) request_id: String,
    pub(crate) function_arn: String,
    pub(crate) payload: Bytes,
    pub(crate) client_context: Option<String>,
    /// The scripted fault; asked for once by [`fault`].
    pub(crate) fault: Fault,
    pub(crate) kill: CancellationToken,
}

impl Request {
    /// A request without frills.
    pub(crate) fn new(cloud: &Cloud, version: &Version, function_arn: &str, payload: Bytes) -> Self {
        let fault = fault(cloud, version, &payload);
        Self {
            request_id: cloud.uuid(),
            function_arn: function_arn.to_owned(),
            payload,
            client_context: None,
            fault,
            kill: CancellationToken::new(),
        }
    }
}

/// Asks the script what goes wrong with the next invocation of a function. Counts the invocation.
pub(crate) fn fault(cloud: &Cloud, version: &Version, payload: &[u8]) -> Fault {
    for effect in cloud.faults().next_invocation(&version.name, payload) {
        match effect {
            Effect::FunctionCrash => return Fault::Crash,
            Effect::FunctionTimeout => return Fault::Timeout,
            Effect::KillEnvironmentAfterEffect => return Fault::KillAfterEffect,
            _ => {}
        }
    }
    Fault::None
}

/// The function's concurrency is used up.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Throttled;

/// Runs an invocation to its end.
pub(crate) async fn run(cloud: &Cloud, version: &Arc<Version>, request: Request) -> Result<Outcome, Throttled> {
    let entered = cloud.with(&version.region, |state| {
        let limit = state.lambda.functions.get(&version.name).and_then(|function| function.reserved_concurrency);
        state.lambda.pool.enter(&version.name, limit)
    });
    if !entered {
        return Err(Throttled);
    }
    let _running = Running { cloud, version };
    let (reply, outcome) = oneshot::channel();
    let request_id = request.request_id.clone();
    let started_ms = cloud.clock().now_ms();
    let work = Work {
        request_id: request.request_id,
        function_arn: request.function_arn,
        payload: request.payload,
        client_context: request.client_context,
        fault: request.fault,
        kill: request.kill,
        reply,
    };
    pool::dispatch(cloud, version, work);
    Ok(outcome.await.unwrap_or_else(|_| {
        let failure = Failure::platform("Runtime.Unknown", &request_id, "the local cloud shut down");
        let ended_ms = cloud.clock().now_ms();
        Outcome { result: Err(failure), log_tail: String::new(), request_id, started_ms, ended_ms }
    }))
}

/// Counts the invocation out, also where its future is dropped.
struct Running<'a> {
    cloud: &'a Cloud,
    version: &'a Version,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.cloud.with(&self.version.region, |state| state.lambda.pool.leave(&self.version.name));
    }
}
