//! The Lambda Runtime API ("Using the Lambda runtime API for custom runtimes"): one listener per environment.

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use std::convert::Infallible;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use tokio::net::TcpListener;
use tokio::sync::{mpsc, oneshot};
use tokio_util::task::AbortOnDropHandle;

/// What the runtime in the child process does.
#[derive(Debug)]
pub(super) enum RuntimeCall {
    /// It asks for an invocation.
    Next(oneshot::Sender<Delivery>),
    /// It answers one.
    Response { request_id: String, body: Bytes },
    /// It reports that one failed.
    Error { request_id: String, body: Bytes },
    /// It reports that it cannot start.
    InitError { body: Bytes },
}

/// An invocation as the runtime gets it.
#[derive(Clone, Debug)]
pub(super) struct Delivery {
    pub(super) request_id: String,
    pub(super) function_arn: String,
    /// Real epoch milliseconds.
    pub(super) deadline_ms: i64,
    pub(super) payload: Bytes,
    pub(super) client_context: Option<String>,
}

/// A listening Runtime API. It closes when dropped, which ends a runtime that is still there.
#[derive(Debug)]
pub(super) struct RuntimeApi {
    pub(super) address: SocketAddr,
    pub(super) calls: mpsc::Receiver<RuntimeCall>,
    _server: AbortOnDropHandle<()>,
}

const PREFIX: &str = "/2018-06-01/runtime/";

impl RuntimeApi {
    /// Listens on a free port of 127.0.0.1.
    pub(super) async fn open() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let (sender, calls) = mpsc::channel(4);
        let server = AbortOnDropHandle::new(tokio::spawn(accept(listener, sender)));
        Ok(Self { address, calls, _server: server })
    }
}

/// Connections live inside this task, so that dropping it closes them all.
async fn accept(listener: TcpListener, sender: mpsc::Sender<RuntimeCall>) {
    let mut connections = tokio::task::JoinSet::new();
    while let Ok((stream, _)) = listener.accept().await {
        if stream.set_nodelay(true).is_err() {
            continue;
        }
        let sender = sender.clone();
        connections.spawn(async move {
            let service = service_fn(move |request| answer(request, sender.clone()));
            // A runtime that goes away in the middle is noticed by its exit.
            drop(http1::Builder::new().serve_connection(TokioIo::new(stream), service).await);
        });
        while connections.try_join_next().is_some() {}
    }
}

type Answer = Response<Full<Bytes>>;

async fn answer(request: Request<Incoming>, sender: mpsc::Sender<RuntimeCall>) -> Result<Answer, Infallible> {
    let path = request.uri().path().to_owned();
    let method = request.method().clone();
    let Some(tail) = path.strip_prefix(PREFIX) else { return Ok(plain(StatusCode::NOT_FOUND)) };
    if method == Method::GET && tail == "invocation/next" {
        return Ok(next(&sender).await);
    }
    let Ok(body) = request.into_body().collect().await.map(http_body_util::Collected::to_bytes) else {
        return Ok(plain(StatusCode::BAD_REQUEST));
    };
    let parts: Vec<&str> = tail.split('/').collect();
    let call = match parts.as_slice() {
        ["init", "error"] => RuntimeCall::InitError { body },
        ["invocation", id, "response"] => RuntimeCall::Response { request_id: (*id).to_owned(), body },
        ["invocation", id, "error"] => RuntimeCall::Error { request_id: (*id).to_owned(), body },
        _ => return Ok(plain(StatusCode::NOT_FOUND)),
    };
    Ok(if sender.send(call).await.is_ok() { plain(StatusCode::ACCEPTED) } else { plain(StatusCode::GONE) })
}

/// Holds the request until there is an invocation.
async fn next(sender: &mpsc::Sender<RuntimeCall>) -> Answer {
    let (reply, delivery) = oneshot::channel();
    if sender.send(RuntimeCall::Next(reply)).await.is_err() {
        return plain(StatusCode::GONE);
    }
    let Ok(delivery) = delivery.await else { return plain(StatusCode::GONE) };
    let trace = format!("Root=1-{:08x}-{:024x};Sampled=0", delivery.deadline_ms / 1000, delivery.deadline_ms);
    let mut builder = Response::builder()
        .header("Content-Type", "application/json")
        .header("Lambda-Runtime-Aws-Request-Id", delivery.request_id)
        .header("Lambda-Runtime-Deadline-Ms", delivery.deadline_ms)
        .header("Lambda-Runtime-Invoked-Function-Arn", delivery.function_arn)
        .header("Lambda-Runtime-Trace-Id", trace);
    if let Some(context) = delivery.client_context {
        builder = builder.header("Lambda-Runtime-Client-Context", context);
    }
    builder.body(Full::new(delivery.payload)).unwrap_or_else(|_| plain(StatusCode::INTERNAL_SERVER_ERROR))
}

fn plain(status: StatusCode) -> Answer {
    let mut response = Response::new(Full::new(Bytes::from_static(b"{\"status\":\"OK\"}\n")));
    *response.status_mut() = status;
    response
}
