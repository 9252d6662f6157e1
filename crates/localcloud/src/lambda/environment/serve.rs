//! Serving one invocation.

use super::{End, Environment, Failure};
use crate::lambda::invoke::{Fault, Outcome, Work};
use crate::lambda::logs;
use crate::lambda::pool::Job;
use crate::lambda::runtime_api::RuntimeCall;
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::Instant;

/// Longest initialisation ("Lambda execution environment lifecycle").
const INIT_LIMIT: Duration = Duration::from_secs(10);
/// How far into an invocation a scripted crash comes, unless the answer is there before.
const CRASH_AFTER: Duration = Duration::from_millis(20);
/// Largest response of a synchronous invocation ("Lambda quotas": 6 MB).
const RESPONSE_LIMIT: usize = 6 * 1024 * 1024;
/// Bytes of log that `LogType: Tail` shows.
const TAIL: usize = 4096;

impl Environment {
    /// Runs one invocation. False where the environment is of no use after it.
    pub(super) async fn serve(&mut self, work: Work, home: mpsc::Sender<Job>) -> bool {
        let request_id = work.request_id.clone();
        let cold = !self.initialised;
        let begun = self.initialise(&request_id).await;
        let init = cold.then(|| self.started.elapsed());
        let started_ms = self.cloud.clock().now_ms();
        let start = Instant::now();
        let first_line = self.log.len();
        self.note(vec![logs::start(&self.version, &request_id, started_ms)]);
        let end = match begun {
            Ok(()) => self.run(&work).await,
            Err(failure) => End::Failed(failure),
        };
        let alive = self.is_fit_after(&end);
        if !alive {
            // Whatever it wrote last belongs to this invocation.
            self.kill_and_note().await;
        }
        let lines = self.output.drain().await;
        self.note(lines);
        let failure = match &end {
            End::Answered(_) => None,
            End::Failed(failure) => Some(failure.clone()),
        };
        self.close_log(&request_id, start.elapsed(), init, failure.as_ref());
        let outcome = Outcome {
            result: match end {
                End::Answered(body) => Ok(body),
                End::Failed(failure) => Err(failure),
            },
            log_tail: self.tail(first_line),
            request_id,
            started_ms,
            ended_ms: self.cloud.clock().now_ms(),
        };
        self.flush();
        self.finish(alive.then_some(home), work.reply, outcome);
        alive
    }

    /// Waits until the runtime asks for work.
    async fn initialise(&mut self, request_id: &str) -> Result<(), Failure> {
        let limit = self.started + INIT_LIMIT;
        while self.next.is_none() {
            tokio::select! {
                biased;
                call = self.api.calls.recv() => match call {
                    Some(RuntimeCall::Next(next)) => self.next = Some(next),
                    Some(RuntimeCall::InitError { body }) => return Err(Failure::reported(body)),
                    Some(_) => {}
                    None => return Err(Failure::exit(request_id, None)),
                },
                lines = self.output.lines() => self.note(lines),
                status = self.child.wait() => return Err(Failure::exit(request_id, status.ok())),
                () = tokio::time::sleep_until(limit), if !self.initialised => {
                    let text = format!("Runtime did not start within {} s", INIT_LIMIT.as_secs());
                    return Err(Failure::platform("Sandbox.Timedout", request_id, &text));
                }
            }
        }
        self.initialised = true;
        Ok(())
    }

    async fn run(&mut self, work: &Work) -> End {
        let delivery = self.delivery(work);
        if self.next.take().is_none_or(|next| next.send(delivery).is_err()) {
            return End::Failed(Failure::exit(&work.request_id, self.child.wait().await.ok()));
        }
        let timeout_s = self.version.settings.timeout_s;
        let deadline = Instant::now() + Duration::from_secs(u64::from(timeout_s));
        let crash_at = Instant::now() + CRASH_AFTER;
        loop {
            tokio::select! {
                biased;
                () = work.kill.cancelled() => return End::Failed(self.killed(&work.request_id).await),
                call = self.api.calls.recv() => match call {
                    Some(RuntimeCall::Next(next)) => self.next = Some(next),
                    Some(RuntimeCall::Response { request_id, body }) if request_id == work.request_id => {
                        match work.fault {
                            Fault::Timeout => {}
                            Fault::Crash | Fault::KillAfterEffect => {
                                return End::Failed(self.killed(&work.request_id).await);
                            }
                            Fault::None => return answered(&work.request_id, body),
                        }
                    }
                    Some(RuntimeCall::Error { request_id, body }) if request_id == work.request_id => {
                        return End::Failed(Failure::reported(body));
                    }
                    Some(_) => {}
                    None => return End::Failed(Failure::exit(&work.request_id, None)),
                },
                lines = self.output.lines() => self.note(lines),
                status = self.child.wait() => return End::Failed(Failure::exit(&work.request_id, status.ok())),
                () = tokio::time::sleep_until(deadline) => {
                    return End::Failed(Failure::timeout(&work.request_id, timeout_s));
                }
                () = tokio::time::sleep_until(crash_at), if work.fault == Fault::Crash => {
                    return End::Failed(self.killed(&work.request_id).await);
                }
            }
        }
    }

    async fn killed(&mut self, request_id: &str) -> Failure {
        // Fails only where the child has ended by itself, which the status then tells.
        drop(self.child.start_kill());
        Failure::exit(request_id, self.child.wait().await.ok())
    }

    async fn kill_and_note(&mut self) {
        drop(self.child.kill().await);
        let lines = self.output.drain().await;
        self.note(lines);
    }

    /// After an answer or an error of the handler the environment is used again.
    fn is_fit_after(&mut self, end: &End) -> bool {
        let fit = match end {
            End::Answered(_) => true,
            End::Failed(failure) => failure.status() == "failure" && self.initialised,
        };
        fit && self.child.try_wait().is_ok_and(|status| status.is_none())
    }

    fn tail(&self, first_line: usize) -> String {
        let lines = self.log.iter().skip(first_line).map(|(_, line)| line.as_str());
        let text = lines.fold(String::new(), |text, line| text + line + "\n");
        let mut start = text.len().saturating_sub(TAIL);
        while !text.is_char_boundary(start) {
            start += 1;
        }
        text.get(start..).unwrap_or_default().to_owned()
    }
}

fn answered(request_id: &str, body: hyper::body::Bytes) -> End {
    if body.len() <= RESPONSE_LIMIT {
        return End::Answered(body);
    }
    let text = format!("Response payload size exceeded maximum allowed payload size ({RESPONSE_LIMIT} bytes).");
    End::Failed(Failure::platform("Function.ResponseSizeTooLarge", request_id, &text))
}
