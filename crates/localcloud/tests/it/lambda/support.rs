//! A cloud with functions from `examples/function`.

use crate::support::{Local, start};
use aws_sdk_lambda::Client;
use aws_sdk_lambda::primitives::Blob;
use aws_sdk_lambda::types::{
    DurableConfig, Event, EventType, ExecutionStatus, FunctionCode, InvocationType, LogType, Runtime,
};
use serde_json::Value;
use std::io::{Cursor, Write};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Longest wait for anything in these tests, in real time.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A cloud and a client of its Lambda.
pub(crate) struct Lab {
    pub(crate) local: Local,
    pub(crate) lambda: Client,
}

impl Lab {
    pub(crate) async fn start() -> Self {
        Self::of(start().await)
    }

    pub(crate) fn of(local: Local) -> Self {
        let lambda = Client::new(&local.config);
        Self { local, lambda }
    }

    /// A function that is not durable, in one of the roles of `examples/function/plain.rs`.
    pub(crate) async fn plain(&self, name: &str, role: &str, timeout_s: i32) -> String {
        let created = self.create(name, &format!("plain-{role}"), timeout_s).send().await.unwrap();
        self.active(name).await;
        created.function_arn.unwrap()
    }

    /// A durable function with a published version; gives the version's ARN.
    pub(crate) async fn durable(&self, name: &str, case: &str, execution_timeout_s: i32) -> String {
        let config = DurableConfig::builder().execution_timeout(execution_timeout_s).retention_period_in_days(7);
        let request = self.create(name, case, 5).durable_config(config.build()).publish(true);
        let created = request.send().await.unwrap();
        self.active(name).await;
        created.function_arn.unwrap()
    }

    fn create(
        &self,
        name: &str,
        handler: &str,
        timeout_s: i32,
    ) -> aws_sdk_lambda::operation::create_function::builders::CreateFunctionFluentBuilder {
        self.lambda
            .create_function()
            .function_name(name)
            .runtime(Runtime::Providedal2023)
            .role("arn:aws:iam::000000000000:role/r")
            .handler(handler)
            .timeout(timeout_s)
            .code(FunctionCode::builder().zip_file(Blob::new(package())).build())
    }

    async fn active(&self, name: &str) {
        let is_active = async || {
            let shown = self.lambda.get_function_configuration().function_name(name).send().await.unwrap();
            shown.state == Some(aws_sdk_lambda::types::State::Active)
        };
        until("the function is active", is_active).await;
    }

    /// Invokes and waits; gives the payload, the function error and the log's tail.
    pub(crate) async fn call(&self, name: &str, payload: &str) -> (Value, Option<String>, String) {
        let request = self.lambda.invoke().function_name(name).payload(Blob::new(payload)).log_type(LogType::Tail);
        let output = request.send().await.unwrap();
        let body = output.payload.map(Blob::into_inner).unwrap_or_default();
        let value = serde_json::from_slice(&body).unwrap_or(Value::Null);
        (value, output.function_error, decode(output.log_result.as_deref().unwrap_or_default()))
    }

    /// Starts an execution and gives its ARN.
    pub(crate) async fn begin(&self, qualified: &str, payload: &str) -> String {
        let request = self.lambda.invoke().function_name(qualified).invocation_type(InvocationType::Event);
        request.payload(Blob::new(payload)).send().await.unwrap().durable_execution_arn.unwrap()
    }

    /// The whole history, page by page.
    pub(crate) async fn history(&self, arn: &str) -> Vec<Event> {
        let (mut events, mut marker) = (Vec::new(), None);
        loop {
            let request = self.lambda.get_durable_execution_history().durable_execution_arn(arn).max_items(3);
            let page = request.set_marker(marker).send().await.unwrap();
            events.extend(page.events);
            marker = page.next_marker;
            if marker.is_none() {
                return events;
            }
        }
    }

    pub(crate) async fn status(&self, arn: &str) -> ExecutionStatus {
        self.lambda.get_durable_execution().durable_execution_arn(arn).send().await.unwrap().status
    }

    /// Moves the clock on, whenever the execution is suspended, until it has ended.
    pub(crate) async fn finish(&self, arn: &str) -> ExecutionStatus {
        let began = Instant::now();
        loop {
            let status = self.status(arn).await;
            if status != ExecutionStatus::Running {
                return status;
            }
            assert!(began.elapsed() < PATIENCE, "{arn} has not ended: {:?}", kinds(&self.history(arn).await));
            let last = self.history(arn).await.last().and_then(|event| event.event_type.clone());
            if last == Some(EventType::InvocationCompleted) {
                self.local.cloud.clock().advance(Duration::from_secs(1));
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }

    pub(crate) async fn close(self) {
        self.local.cloud.shutdown().await;
    }
}

/// The event types, in order.
pub(crate) fn kinds(events: &[Event]) -> Vec<String> {
    events.iter().map(|event| event.event_type().unwrap().as_str().to_owned()).collect()
}

fn decode(text: &str) -> String {
    use base64::Engine;
    let bytes = base64::prelude::BASE64_STANDARD.decode(text).unwrap();
    String::from_utf8(bytes).unwrap()
}

/// Looks until a condition holds.
pub(crate) async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let began = Instant::now();
    while !holds().await {
        assert!(began.elapsed() < PATIENCE, "not seen: {what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// A package whose `bootstrap` becomes the example binary.
pub(crate) fn package() -> Vec<u8> {
    let script = format!("#!/bin/sh\nexec {}\n", example().display());
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().unix_permissions(0o755);
    writer.start_file("bootstrap", options).unwrap();
    writer.write_all(script.as_bytes()).unwrap();
    writer.finish().unwrap().into_inner()
}

/// Cargo builds examples with all the tests of a package, into the folder beside theirs; where only some tests were
/// asked for, it has to be told.
fn example() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| {
        let tests = std::env::current_exe().unwrap();
        let path = tests.parent().unwrap().parent().unwrap().join("examples/function");
        if !path.exists() {
            let mut cargo = std::process::Command::new(env!("CARGO"));
            cargo.args(["build", "--quiet", "-p", "localcloud", "--example", "function"]);
            assert!(cargo.status().unwrap().success());
        }
        path
    })
}

/// Whether a process (`/proc/<pid>`) has ended. One that its parent has not collected yet has.
pub(crate) fn is_gone(process: &str) -> bool {
    let status = std::fs::read_to_string(format!("{process}/stat"));
    status.map_or(true, |text| text.rsplit(") ").next().is_some_and(|rest| rest.starts_with('Z')))
}
