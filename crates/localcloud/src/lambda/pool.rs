//! Which environments are warm, and how invocations find one.

use super::environment::{Environment, Failure};
use super::invoke::{Outcome, Work};
use crate::cloud::Cloud;
use crate::service::lambda::function::Version;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::mpsc;

/// The idle environments by the revision they run, and how many invocations each function runs.
#[derive(Debug, Default)]
pub(crate) struct Pool {
    idle: BTreeMap<String, Vec<Handle>>,
    running: BTreeMap<String, usize>,
}

/// The only way to an idle environment. Dropping it ends the environment.
#[derive(Debug)]
pub(super) struct Handle {
    pub(super) id: String,
    pub(super) sender: mpsc::Sender<Job>,
}

/// Work on its way, with the way itself: the environment puts it back into the pool afterwards.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) work: Work,
    pub(super) home: mpsc::Sender<Job>,
}

impl Pool {
    /// Takes the environment that was used last.
    fn take(&mut self, revision: &str) -> Option<Handle> {
        self.idle.get_mut(revision)?.pop()
    }

    /// Puts an environment back.
    pub(super) fn put(&mut self, version: &Version, handle: Handle) {
        self.idle.entry(version.revision.clone()).or_default().push(handle);
    }

    /// Removes one environment; false where it was not idle.
    pub(super) fn forget(&mut self, revision: &str, id: &str) -> bool {
        let Some(handles) = self.idle.get_mut(revision) else { return false };
        let before = handles.len();
        handles.retain(|handle| handle.id != id);
        let found = handles.len() < before;
        if handles.is_empty() {
            self.idle.remove(revision);
        }
        found
    }

    /// Ends the idle environments of a revision that is no longer there.
    pub(crate) fn retire(&mut self, revision: &str) {
        self.idle.remove(revision);
    }

    /// Counts an invocation in, unless the function's reserved concurrency is used up.
    pub(super) fn enter(&mut self, function: &str, limit: Option<usize>) -> bool {
        let running = self.running.entry(function.to_owned()).or_default();
        let free = limit.is_none_or(|limit| *running < limit);
        if free {
            *running += 1;
        }
        free
    }

    /// Counts an invocation out.
    pub(super) fn leave(&mut self, function: &str) {
        if let Some(running) = self.running.get_mut(function) {
            *running = running.saturating_sub(1);
            if *running == 0 {
                self.running.remove(function);
            }
        }
    }
}

/// Gives work to a warm environment, or starts one.
pub(super) fn dispatch(cloud: &Cloud, version: &Arc<Version>, mut work: Work) {
    while let Some(handle) = cloud.with(&version.region, |state| state.lambda.pool.take(&version.revision)) {
        let home = handle.sender.clone();
        match handle.sender.try_send(Job { work, home }) {
            Ok(()) => return,
            // It has ended in this moment.
            Err(refused) => work = refused.into_inner().work,
        }
    }
    let (own, version) = (cloud.clone(), Arc::clone(version));
    cloud.spawn(async move {
        match Environment::start(&own, Arc::clone(&version)).await {
            Ok(environment) => {
                let (home, jobs) = mpsc::channel(1);
                environment.live(Job { work, home }, jobs).await;
            }
            Err(error) => {
                let now_ms = own.clock().now_ms();
                let text = format!("fork/exec {}: {error}", version.code.bootstrap().display());
                let failure = Failure::platform("Runtime.InvalidEntrypoint", &work.request_id, &text);
                let request_id = work.request_id;
                let outcome = Outcome {
                    result: Err(failure),
                    log_tail: String::new(),
                    request_id,
                    started_ms: now_ms,
                    ended_ms: now_ms,
                };
                drop(work.reply.send(outcome));
            }
        }
    });
}
