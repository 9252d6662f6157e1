//! A scripted server for tests: answers what a closure says, drops connections on demand, records requests.

use super::clients::{Clients, Tuning};
use super::target::{Surroundings, Target};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) line: String,
    pub(crate) head: String,
    pub(crate) body: String,
}

/// What to answer.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    Answer { status: u16, body: String },
    Drop,
    Hang,
}

impl Request {
    /// Whether the operation is this one, in any of the wire protocols.
    pub(crate) fn is(&self, operation: &str) -> bool {
        self.body.contains(&format!("Action={operation}&"))
            || self.head.to_ascii_lowercase().contains(&format!(".{operation}\r\n").to_ascii_lowercase())
    }

    pub(crate) fn has(&self, text: &str) -> bool {
        self.line.contains(text) || self.body.contains(text)
    }
}

impl Reply {
    pub(crate) fn ok(body: impl Into<String>) -> Self {
        Self::Answer { status: 200, body: body.into() }
    }

    pub(crate) fn status(status: u16, body: impl Into<String>) -> Self {
        Self::Answer { status, body: body.into() }
    }

    /// An error of the Query protocol.
    pub(crate) fn query_error(code: &str, message: &str) -> Self {
        let body = format!(
            "<ErrorResponse><Error><Type>Sender</Type><Code>{code}</Code><Message>{message}</Message></Error>\
             <RequestId>r</RequestId></ErrorResponse>"
        );
        Self::status(400, body)
    }

    /// An error of the JSON protocols.
    pub(crate) fn json_error(code: &str, message: &str) -> Self {
        Self::status(400, format!(r#"{{"__type":"{code}","message":"{message}"}}"#))
    }

    /// A Query answer: `inner` inside `<OperationResponse><OperationResult>`.
    pub(crate) fn query(operation: &str, inner: &str) -> Self {
        Self::ok(format!("<{operation}Response><{operation}Result>{inner}</{operation}Result></{operation}Response>"))
    }
}

type Script = dyn Fn(&Request) -> Reply + Send + Sync;

/// The server; ends with the test's runtime.
pub(crate) struct Server {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    pub(crate) async fn start(script: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let script: Arc<Script> = Arc::new(script);
        let log = Arc::clone(&requests);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&script), Arc::clone(&log)));
            }
        });
        Self { url, requests }
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().expect("no panic").clone()
    }

    pub(crate) fn count(&self, operation: &str) -> usize {
        self.requests().iter().filter(|r| r.is(operation)).count()
    }

    pub(crate) async fn clients(&self) -> Clients {
        clients(&self.url).await
    }
}

/// Clients with short timeouts against a local endpoint.
pub(crate) async fn clients(url: &str) -> Clients {
    let target = Target { profile: None, region: Some("us-east-1".into()), endpoint_url: Some(url.into()) };
    let tuning = Tuning {
        call_timeout: Duration::from_millis(400),
        read_attempts: 4,
        first_pause: Duration::from_millis(1),
        longest_pause: Duration::from_millis(4),
        ..Tuning::default()
    };
    Clients::connect(&target, &Surroundings::default(), tuning).await.expect("clients")
}

async fn serve(mut stream: TcpStream, script: Arc<Script>, log: Arc<Mutex<Vec<Request>>>) {
    while let Some(request) = receive(&mut stream).await {
        log.lock().expect("no panic").push(request.clone());
        match script(&request) {
            Reply::Drop => return,
            Reply::Hang => tokio::time::sleep(Duration::from_secs(30)).await,
            Reply::Answer { status, body } => {
                let kind = if body.starts_with('{') { "application/x-amz-json-1.0" } else { "text/xml" };
                let head =
                    format!("HTTP/1.1 {status} X\r\ncontent-type: {kind}\r\ncontent-length: {}\r\n\r\n", body.len());
                let sent = stream.write_all(format!("{head}{body}").as_bytes()).await;
                if sent.is_err() {
                    return;
                }
            }
        }
    }
}

async fn receive(stream: &mut TcpStream) -> Option<Request> {
    let mut bytes = Vec::new();
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
            break at + 4;
        }
        more(stream, &mut bytes).await?;
    };
    let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
    let length =
        head.lines().find_map(|l| l.to_ascii_lowercase().strip_prefix("content-length:").map(|v| v.trim().to_owned()));
    let length: usize = length.and_then(|l| l.parse().ok()).unwrap_or(0);
    while bytes.len() < end + length {
        more(stream, &mut bytes).await?;
    }
    let line = head.lines().next().unwrap_or_default().to_owned();
    Some(Request { line, head, body: String::from_utf8_lossy(&bytes[end..]).into_owned() })
}

async fn more(stream: &mut TcpStream, bytes: &mut Vec<u8>) -> Option<()> {
    let mut buffer = [0; 16_384];
    let read = stream.read(&mut buffer).await.ok().filter(|n| *n > 0)?;
    bytes.extend_from_slice(&buffer[..read]);
    Some(())
}
