//! The HTTP server: connections in, replies or silence out.

mod effects;
mod handle;

use crate::cloud::Cloud;
use crate::wire::{Reply, Request};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Body, Bytes, Incoming};
use hyper::header::{HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};

/// Bound on a request's body, in bytes: above the largest function artifact that is uploaded directly.
const MAX_BODY: u64 = 64 * 1024 * 1024;

/// Rest before the next try when no connection can be accepted (out of file descriptors).
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// The connection is closed without a reply, because a fault script says so or the request cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("the connection is dropped")]
pub(crate) struct Dropped;

/// Accepts connections until the cloud ends.
pub(crate) async fn serve(cloud: Cloud, listener: TcpListener) {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => cloud.spawn(connection(cloud.clone(), stream)),
            Err(error) => {
                tracing::warn!(%error, "no connection accepted");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

async fn connection(cloud: Cloud, stream: TcpStream) {
    // Replies are small and each is waited for.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "no TCP_NODELAY");
    }
    let service = service_fn(|request| answer(cloud.clone(), request));
    let served = http1::Builder::new()
        .header_read_timeout(None)
        .auto_date_header(false)
        .serve_connection(TokioIo::new(stream), service)
        .await;
    if let Err(error) = served {
        tracing::debug!(%error, "connection ended");
    }
}

async fn answer(cloud: Cloud, request: hyper::Request<Incoming>) -> Result<hyper::Response<Full<Bytes>>, Dropped> {
    let (parts, body) = request.into_parts();
    if body.size_hint().lower() > MAX_BODY {
        return Ok(response(too_large()));
    }
    let limit = usize::try_from(MAX_BODY).unwrap_or(usize::MAX);
    let body = match Limited::new(body, limit).collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) if error.is::<http_body_util::LengthLimitError>() => return Ok(response(too_large())),
        Err(_) => return Err(Dropped),
    };
    let (path, query) = (parts.uri.path(), parts.uri.query().unwrap_or_default());
    let request = Request::new(parts.method.as_str(), path, query, parts.headers, body);
    handle::handle(&cloud, request).await.map(response)
}

fn too_large() -> Reply {
    Reply::new(413, "text/plain", "the request's body is larger than 64 MiB")
}

fn response(reply: Reply) -> hyper::Response<Full<Bytes>> {
    let mut response = hyper::Response::new(Full::new(reply.body));
    *response.status_mut() =
        hyper::StatusCode::from_u16(reply.status).unwrap_or(hyper::StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in reply.headers {
        // A header that HTTP cannot carry is left out; the client then misses a member, not the answer.
        if let (Ok(name), Ok(value)) = (name.parse::<HeaderName>(), HeaderValue::from_str(&value)) {
            response.headers_mut().insert(name, value);
        }
    }
    response
}
