//! The cloud itself: its clock, its state and its life.

use crate::clock::Clock;
use crate::error::ApiError;
use crate::service::{self, Service};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The account that every caller belongs to; its leading zeros are on purpose.
pub(crate) const ACCOUNT: &str = "000000000000";

/// The pseudo region that holds the state of services without regions (IAM, S3).
pub(crate) const GLOBAL: &str = "aws-global";

/// How to start a cloud.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Port on 127.0.0.1; 0 takes a free one.
    pub port: u16,
    /// Clock to run by.
    pub clock: Clock,
}

/// The cloud could not start.
#[derive(Debug, thiserror::Error)]
#[error("local cloud: {0}")]
pub struct StartError(#[from] pub(crate) std::io::Error);

/// A running cloud. Cloning shares it; [`Cloud::shutdown`] ends it with every child process.
#[derive(Clone, Debug)]
pub struct Cloud(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    clock: Clock,
    regions: Mutex<BTreeMap<String, service::State>>,
    changed: watch::Sender<u64>,
    tasks: TaskTracker,
    cancel: CancellationToken,
}

/// Who asks, and by which way.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    pub(crate) region: String,
    pub(crate) request_id: String,
    pub(crate) origin: Origin,
}

/// Where a call comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A client over HTTP.
    Wire,
    /// CloudFormation acting for a stack.
    CloudFormation,
    /// Lambda's pollers.
    Lambda,
}

impl Cloud {
    /// The clock that every timer uses.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.0.clock
    }

    /// The only way to state: a closure over one region, so that no lock crosses an `.await`.
    pub(crate) fn with<R>(&self, region: &str, act: impl FnOnce(&mut service::State) -> R) -> R {
        let mut regions = self.0.regions.lock().unwrap_or_else(PoisonError::into_inner);
        act(regions.entry(region.to_owned()).or_default())
    }

    /// Tells everything that waits on [`Cloud::changes`] to look again.
    pub(crate) fn touch(&self) {
        self.0.changed.send_modify(|n| *n = n.wrapping_add(1));
    }

    /// Subscribe first, then look at the state, then `wait`: no change in between is lost.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.0.changed.subscribe()
    }

    /// Returns at the next `touch` or when the clock reaches `at_ms`, whichever is first.
    pub(crate) async fn wait(&self, changes: &mut watch::Receiver<u64>, at_ms: i64) {
        tokio::select! {
            _ = changes.changed() => {}
            () = self.0.clock.sleep_until(at_ms) => {}
        }
    }

    /// Runs a task that ends, at the latest, with the cloud.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let cancel = self.0.cancel.clone();
        self.0.tasks.spawn(async move {
            tokio::select! {
                () = cancel.cancelled() => {}
                () = task => {}
            }
        });
    }

    /// Calls an operation with its input in the service model's JSON form, as the wire layer and
    /// CloudFormation both do.
    pub(crate) async fn call(
        &self,
        ctx: &Context,
        service: Service,
        operation: &str,
        input: Value,
    ) -> Result<Value, ApiError> {
        service::call(self, ctx, service, operation, input).await
    }
}
