//! One execution environment: a child process, its Runtime API and its log stream.

use super::logs::{self, Report};
use super::output::Output;
use super::pool::{Handle, Job};
use super::runtime_api::{Delivery, RuntimeApi, RuntimeCall};
use super::{invoke::Outcome, invoke::Work, pool};
use crate::cloud::Cloud;
use crate::service::lambda::function::Version;
use hyper::body::Bytes;
use std::io;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::process::{Child, Command};
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

mod failure;
mod serve;
mod variables;

pub(crate) use failure::Failure;

/// How long a warm environment waits for work, by the cloud's clock.
const IDLE: Duration = Duration::from_secs(600);

/// How often and how soon an executable that is busy is tried again.
const BUSY_TRIES: u32 = 20;
const BUSY_PAUSE: Duration = Duration::from_millis(5);

/// A running environment.
#[derive(Debug)]
pub(super) struct Environment {
    cloud: Cloud,
    version: Arc<Version>,
    id: String,
    api: RuntimeApi,
    child: Child,
    output: Output,
    log_stream: String,
    /// Lines with their time (ms), not yet handed to the log group.
    log: Vec<(i64, String)>,
    /// The runtime's open request for an invocation.
    next: Option<oneshot::Sender<Delivery>>,
    started: Instant,
    initialised: bool,
}

impl Environment {
    /// Starts the child; it may still be initialising when this returns.
    pub(super) async fn start(cloud: &Cloud, version: Arc<Version>) -> io::Result<Self> {
        let api = RuntimeApi::open().await?;
        let id = cloud.uuid().replace('-', "");
        let now_ms = cloud.clock().now_ms();
        let log_stream = variables::log_stream(&version, &id, now_ms);
        let mut command = Command::new(version.code.bootstrap());
        command
            .current_dir(version.code.root())
            .env_clear()
            .envs(variables::of(cloud, &version, &id, &log_stream, api.address))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // A Ctrl-C at the terminal is for the cloud, which ends its environments itself.
            .process_group(0)
            .kill_on_drop(true);
        let mut child = spawn(&mut command).await?;
        let output = Output::new(child.stdout.take(), child.stderr.take());
        let log = vec![(now_ms, logs::init_start(&version, now_ms))];
        Ok(Self {
            cloud: cloud.clone(),
            version,
            id,
            api,
            child,
            output,
            log_stream,
            log,
            next: None,
            started: Instant::now(),
            initialised: false,
        })
    }

    /// Serves work until the child ends, nobody wants it any more or it has been idle for long.
    pub(super) async fn live(mut self, first: Job, mut jobs: mpsc::Receiver<Job>) {
        let mut job = Some(first);
        while let Some(Job { work, home }) = job {
            if !self.serve(work, home).await {
                break;
            }
            job = self.idle(&mut jobs).await;
        }
        self.cloud.with(&self.version.region, |state| state.lambda.pool.forget(&self.version.revision, &self.id));
        self.end_child().await;
        // Work that was sent here at the very end goes to another environment.
        jobs.close();
        while let Some(job) = jobs.recv().await {
            pool::dispatch(&self.cloud, &self.version, job.work);
        }
    }

    async fn idle(&mut self, jobs: &mut mpsc::Receiver<Job>) -> Option<Job> {
        let mut until_ms = self.cloud.clock().now_ms().saturating_add(millis(IDLE));
        let clock = self.cloud.clock().clone();
        loop {
            tokio::select! {
                job = jobs.recv() => return job,
                lines = self.output.lines() => {
                    self.note(lines);
                    self.flush();
                }
                call = self.api.calls.recv() => match call {
                    Some(RuntimeCall::Next(next)) => self.next = Some(next),
                    Some(_) => {}
                    None => return None,
                },
                _ = self.child.wait() => return None,
                () = clock.sleep_until(until_ms) => {
                    let mine = |state: &mut crate::service::State| {
                        state.lambda.pool.forget(&self.version.revision, &self.id)
                    };
                    if self.cloud.with(&self.version.region, mine) {
                        return None;
                    }
                    // Somebody has just taken it: the work is on its way.
                    until_ms = until_ms.saturating_add(millis(IDLE));
                }
            }
        }
    }

    /// Back to the pool first, then the answer, so that the caller's next invocation finds this one warm.
    fn finish(&mut self, home: Option<mpsc::Sender<Job>>, reply: oneshot::Sender<Outcome>, outcome: Outcome) {
        if let Some(sender) = home {
            let handle = Handle { id: self.id.clone(), sender };
            self.cloud.with(&self.version.region, |state| {
                // The handle of a version that was deleted meanwhile is dropped, which ends the environment.
                if state.lambda.holds(&self.version) {
                    state.lambda.pool.put(&self.version, handle);
                }
            });
        }
        // A caller that has gone away does not need the answer.
        drop(reply.send(outcome));
    }

    fn note(&mut self, lines: Vec<String>) {
        let now_ms = self.cloud.clock().now_ms();
        self.log.extend(lines.into_iter().map(|line| (now_ms, line)));
    }

    fn flush(&mut self) {
        let lines = std::mem::take(&mut self.log);
        let group = self.version.log_group();
        // A group that the function was told to use is somebody's: it is not made anew once it has been deleted.
        let writes = self.version.settings.logging.group.is_none()
            || self.cloud.with(&self.version.region, |state| state.logs.has_group(&group));
        if writes && !lines.is_empty() {
            crate::service::logs::append(&self.cloud, &self.version.region, &group, &self.log_stream, lines);
        }
    }

    async fn end_child(&mut self) -> Option<ExitStatus> {
        let ended = self.child.try_wait().ok().flatten();
        if ended.is_none() {
            // Fails only where the child has ended by itself.
            drop(self.child.kill().await);
        }
        let lines = self.output.drain().await;
        self.note(lines);
        self.flush();
        ended
    }

    fn delivery(&self, work: &Work) -> Delivery {
        let timeout_ms = i64::from(self.version.settings.timeout_s) * 1000;
        Delivery {
            request_id: work.request_id.clone(),
            function_arn: work.function_arn.clone(),
            deadline_ms: real_ms().saturating_add(timeout_ms),
            payload: work.payload.clone(),
            client_context: work.client_context.clone(),
        }
    }

    fn close_log(&mut self, request_id: &str, span: Duration, init: Option<Duration>, failure: Option<&Failure>) {
        let now_ms = self.cloud.clock().now_ms();
        let report = Report {
            request_id,
            duration_ms: span.as_secs_f64() * 1000.0,
            init_ms: init.map(|time| time.as_secs_f64() * 1000.0),
            status: failure.map_or("success", Failure::status),
            error_type: failure.and_then(Failure::platform_type),
        };
        let lines = logs::end(&self.version, &report, now_ms);
        self.note(lines);
    }
}

/// Starts the child. A file that has just been written may be held open, for a moment, by another child that was
/// started meanwhile.
async fn spawn(command: &mut Command) -> io::Result<Child> {
    for _ in 0..BUSY_TRIES {
        match command.spawn() {
            Err(busy) if busy.kind() == io::ErrorKind::ExecutableFileBusy => tokio::time::sleep(BUSY_PAUSE).await,
            other => return other,
        }
    }
    command.spawn()
}

fn millis(time: Duration) -> i64 {
    i64::try_from(time.as_millis()).unwrap_or(i64::MAX)
}

fn real_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, millis)
}

/// The end of an invocation, before it is logged and answered.
#[derive(Debug)]
enum End {
    Answered(Bytes),
    Failed(Failure),
}
