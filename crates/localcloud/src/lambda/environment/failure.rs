//! Why an invocation failed, and the payload that says so.

use hyper::body::Bytes;
use serde_json::{Value, json};
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// A failed invocation.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    /// Error type, for example `Runtime.ExitError`.
    pub(crate) kind: String,
    /// Error message.
    pub(crate) message: String,
    /// The error as the caller gets it, JSON.
    pub(crate) body: Bytes,
    /// Whether the platform, not the handler, reports it.
    platform: bool,
}

impl Failure {
    /// The platform's own report on a request.
    pub(crate) fn platform(kind: &str, request_id: &str, text: &str) -> Self {
        let message = format!("RequestId: {request_id} Error: {text}");
        let body = json!({"errorType": kind, "errorMessage": message}).to_string();
        Self { kind: kind.to_owned(), message, body: Bytes::from(body), platform: true }
    }

    /// The child ended before it answered.
    pub(super) fn exit(request_id: &str, status: Option<ExitStatus>) -> Self {
        let text = match status.map(|s| (s.code(), s.signal())) {
            Some((Some(0), _)) | None => "Runtime exited without providing a reason".to_owned(),
            Some((Some(code), _)) => format!("Runtime exited with error: exit status {code}"),
            Some((None, signal)) => format!("Runtime exited with error: signal: {}", signal_name(signal)),
        };
        Self::platform("Runtime.ExitError", request_id, &text)
    }

    /// The function's timeout passed.
    pub(super) fn timeout(request_id: &str, timeout_s: u32) -> Self {
        let text = format!("Task timed out after {timeout_s}.00 seconds");
        Self::platform("Sandbox.Timedout", request_id, &text)
    }

    /// The runtime reported an error of the handler or of its own start.
    pub(super) fn reported(body: Bytes) -> Self {
        let value: Value = serde_json::from_slice(&body).unwrap_or_default();
        let text = |key: &str| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        Self { kind: text("errorType"), message: text("errorMessage"), body, platform: false }
    }

    /// The status that the report line has.
    pub(super) fn status(&self) -> &'static str {
        match self.kind.as_str() {
            "Sandbox.Timedout" => "timeout",
            _ if self.platform => "error",
            _ => "failure",
        }
    }

    /// The error type, where the platform reports it.
    pub(super) fn platform_type(&self) -> Option<&str> {
        (self.platform && self.status() == "error").then_some(self.kind.as_str())
    }
}

fn signal_name(signal: Option<i32>) -> String {
    match signal {
        Some(6) => "aborted".to_owned(),
        Some(9) => "killed".to_owned(),
        Some(11) => "segmentation fault".to_owned(),
        Some(15) => "terminated".to_owned(),
        Some(other) => format!("signal {other}"),
        None => "unknown".to_owned(),
    }
}
