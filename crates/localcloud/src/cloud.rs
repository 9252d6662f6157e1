//! The cloud itself: its clock, its state and its life.

use crate::clock::Clock;
use crate::error::ApiError;
use crate::fault::{Faults, Script};
use crate::server;
use crate::service::{self, Bill, Service};
use serde_json::Value;
use std::collections::BTreeMap;
use std::hash::{BuildHasher, RandomState};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
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
    /// Faults to play; none without a script.
    pub faults: Option<Script>,
    /// Seed of the faults' probabilities.
    pub seed: u64,
    /// Simulated way to the cloud: real milliseconds added to every call over HTTP.
    pub latency_ms: u64,
    /// Pause before each resource step of a stack operation, so that people can watch; none by default.
    pub stack_step_delay: Duration,
    /// How long the tag index goes on listing what was deleted, by the cloud's clock; 20 minutes if not given.
    pub tag_lag: Option<Duration>,
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
    address: SocketAddr,
    latency_ms: u64,
    tag_lag: Duration,
    stack_step_delay: Duration,
    faults: Faults,
    calls: Mutex<BTreeMap<(Service, String), u64>>,
    ids: (RandomState, AtomicU64),
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
    /// Starts a cloud on 127.0.0.1.
    ///
    /// # Errors
    /// The port cannot be listened on.
    pub async fn start(options: Options) -> Result<Self, StartError> {
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, options.port)).await?;
        let cloud = Self(Arc::new(Inner {
            clock: options.clock,
            address: listener.local_addr()?,
            latency_ms: options.latency_ms,
            stack_step_delay: options.stack_step_delay,
            tag_lag: options.tag_lag.unwrap_or(service::tagging::DEFAULT_LAG),
            faults: Faults::new(options.faults.unwrap_or_default(), options.seed),
            calls: Mutex::default(),
            ids: (RandomState::new(), AtomicU64::new(0)),
            regions: Mutex::default(),
            changed: watch::Sender::new(0),
            tasks: TaskTracker::new(),
            cancel: CancellationToken::new(),
        }));
        cloud.spawn(server::serve(cloud.clone(), listener));
        // Beside the work: nothing waits for it.
        drop(tokio::task::spawn_blocking(|| crate::lambda::sweep::sweep(&std::env::temp_dir())));
        Ok(cloud)
    }

    /// Where clients send their calls, for example `http://127.0.0.1:4566`.
    #[must_use]
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.0.address)
    }

    /// Ends every task and child process, closes the port and forgets all state.
    pub async fn shutdown(self) {
        self.0.cancel.cancel();
        self.0.tasks.close();
        self.0.tasks.wait().await;
        let regions = std::mem::take(&mut *self.0.regions.lock().unwrap_or_else(PoisonError::into_inner));
        drop(regions);
    }

    /// How often each operation has been called over HTTP, refused and lost calls included.
    #[must_use]
    pub fn calls(&self) -> BTreeMap<(Service, String), u64> {
        self.0.calls.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Plays another script from now on; its rules start to count at zero.
    pub fn set_faults(&self, script: Script) {
        self.0.faults.replace(script);
    }

    /// What billing tells from now on.
    pub fn set_bills(&self, bills: Vec<Bill>) {
        self.with(GLOBAL, |state| state.costexplorer.bills = bills);
    }

    /// The faults to play.
    pub(crate) fn faults(&self) -> &Faults {
        &self.0.faults
    }

    /// Milliseconds that a call over HTTP takes longer.
    pub(crate) fn latency_ms(&self) -> u64 {
        self.0.latency_ms
    }

    /// Pause before each resource step of a stack operation.
    pub(crate) fn stack_step_delay(&self) -> Duration {
        self.0.stack_step_delay
    }

    /// How long the tag index lags behind deletions.
    pub(crate) fn tag_lag(&self) -> Duration {
        self.0.tag_lag
    }

    /// Counts a call over HTTP.
    pub(crate) fn count(&self, service: Service, operation: &str) {
        let mut calls = self.0.calls.lock().unwrap_or_else(PoisonError::into_inner);
        *calls.entry((service, operation.to_owned())).or_default() += 1;
    }

    /// A fresh id in the form of a random UUID. Takes no lock.
    pub(crate) fn uuid(&self) -> String {
        let (random, count) = &self.0.ids;
        let n = count.fetch_add(1, Ordering::Relaxed);
        let (a, b) = (random.hash_one((n, 0u8)), random.hash_one((n, 1u8)));
        let (node, variant) = (b & 0xffff_ffff_ffff, 0x8000 | (b >> 48 & 0x3fff));
        format!("{:08x}-{:04x}-4{:03x}-{variant:04x}-{node:012x}", a >> 32, a >> 16 & 0xffff, a & 0xfff)
    }

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
