//! One HTTP server that plays the Lambda runtime API, DynamoDB and Lambda, and remembers what it was asked.

use axum::body::Bytes;
use axum::extract::State;
use axum::http::{HeaderMap, Method, StatusCode, Uri};
use axum::response::{IntoResponse, Response};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::process::{Child, Command};
use tokio::sync::watch;

/// Longest wait for anything; far above what a loaded machine needs.
const PATIENCE: Duration = Duration::from_secs(60);

/// How the provider behaves when a caller invokes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProviderPlay {
    Answers,
    Hangs,
}

#[derive(Debug)]
struct Seen {
    event: Option<Value>,
    provider: ProviderPlay,
    calls: Vec<(String, Value)>,
    ended: watch::Sender<Option<Ended>>,
}

/// How the invocation ended.
#[derive(Clone, Debug)]
pub(crate) struct Ended {
    /// `response` or `error`.
    pub(crate) how: String,
    pub(crate) body: Value,
}

/// The server.
#[derive(Clone, Debug)]
pub(crate) struct StandIn {
    seen: Arc<Mutex<Seen>>,
    address: SocketAddr,
}

impl StandIn {
    /// Serves one invocation with this event; the next poll waits for ever.
    pub(crate) async fn start(event: Value, provider: ProviderPlay) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let seen = Seen { event: Some(event), provider, calls: Vec::new(), ended: watch::Sender::new(None) };
        let stand_in = Self { seen: Arc::new(Mutex::new(seen)), address: listener.local_addr().unwrap() };
        let router = axum::Router::new().fallback(answer).with_state(stand_in.clone());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        stand_in
    }

    /// Starts the binary with nothing but Lambda's environment and `vars`. It dies with the handle.
    pub(crate) fn bootstrap(&self, vars: &[(&str, &str)]) -> Child {
        let (address, endpoint) = (self.address.to_string(), format!("http://{}", self.address));
        let lambda = [
            ("AWS_LAMBDA_RUNTIME_API", address.as_str()),
            ("AWS_LAMBDA_FUNCTION_NAME", "assay-caller"),
            ("AWS_LAMBDA_FUNCTION_MEMORY_SIZE", "256"),
            ("AWS_LAMBDA_FUNCTION_VERSION", "1"),
            ("AWS_REGION", "us-east-1"),
            ("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE"),
            ("AWS_SECRET_ACCESS_KEY", "very-secret"),
            ("AWS_SESSION_TOKEN", "very-secret-too"),
            ("AWS_ENDPOINT_URL", endpoint.as_str()),
        ];
        Command::new(env!("CARGO_BIN_EXE_bootstrap"))
            .env_clear()
            .envs(lambda)
            .envs(vars.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap()
    }

    /// Waits for the end of the invocation.
    pub(crate) async fn ended(&self) -> Ended {
        let mut ended = self.seen().ended.subscribe();
        let ended = tokio::time::timeout(PATIENCE, ended.wait_for(Option::is_some)).await;
        ended.expect("the invocation ends").unwrap().clone().unwrap()
    }

    /// Bodies of the calls whose name starts so, in order.
    pub(crate) fn calls(&self, name: &str) -> Vec<Value> {
        let seen = self.seen();
        seen.calls.iter().filter(|(called, _)| called.starts_with(name)).map(|(_, body)| body.clone()).collect()
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap()
    }
}

/// Waits for the end of a process and gives its exit code and output.
pub(crate) async fn output(child: Child) -> (Option<i32>, String) {
    let output = tokio::time::timeout(PATIENCE, child.wait_with_output()).await.expect("the process ends").unwrap();
    let text = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8_lossy(&text).into_owned())
}

async fn answer(State(here): State<StandIn>, method: Method, uri: Uri, headers: HeaderMap, body: Bytes) -> Response {
    let (path, body) = (uri.path(), serde_json::from_slice(&body).unwrap_or(Value::Null));
    if path.ends_with("/invocation/next") {
        return next(&here).await;
    }
    if let Some((_, how)) = path.split_once("/runtime/invocation/").and_then(|(_, rest)| rest.split_once('/')) {
        here.seen().ended.send_replace(Some(Ended { how: how.to_owned(), body }));
        return (StatusCode::ACCEPTED, "{}").into_response();
    }
    let target = headers.get("x-amz-target").and_then(|target| target.to_str().ok()).unwrap_or_default();
    here.seen().calls.push((format!("{method} {path} {target}"), body));
    if path.ends_with("/invocations") {
        let play = here.seen().provider;
        return invoke(play).await;
    }
    let reply = if path.ends_with("/checkpoint") { json!({"CheckpointToken": "token-2"}) } else { json!({}) };
    ([("content-type", "application/x-amz-json-1.0")], reply.to_string()).into_response()
}

async fn next(here: &StandIn) -> Response {
    let event = here.seen().event.take();
    let Some(event) = event else { return std::future::pending().await };
    let headers = [
        ("lambda-runtime-aws-request-id", "11111111-2222-3333-4444-555555555555"),
        ("lambda-runtime-deadline-ms", "4102444800000"),
        ("lambda-runtime-invoked-function-arn", "arn:aws:lambda:us-east-1:000000000000:function:assay-caller:live"),
    ];
    (headers, event.to_string()).into_response()
}

async fn invoke(play: ProviderPlay) -> Response {
    match play {
        ProviderPlay::Answers => json!({"transaction_id": "txn-1"}).to_string().into_response(),
        ProviderPlay::Hangs => std::future::pending().await,
    }
}
