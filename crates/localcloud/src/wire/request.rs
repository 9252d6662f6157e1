//! Requests and replies as plain values, apart from the HTTP library.

use super::uri;
use hyper::HeaderMap;
use hyper::body::Bytes;

/// A request, read to its end.
#[derive(Debug, Default)]
pub(crate) struct Request {
    /// Upper-case HTTP method.
    pub(crate) method: String,
    /// Path, still percent-encoded.
    pub(crate) path: String,
    /// Query string, decoded, in order.
    pub(crate) query: Vec<(String, String)>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Request {
    /// A request from its parts; `raw_query` is the encoded query string.
    pub(crate) fn new(method: &str, path: &str, raw_query: &str, headers: HeaderMap, body: Bytes) -> Self {
        Self { method: method.to_owned(), path: path.to_owned(), query: uri::parse_query(raw_query), headers, body }
    }

    /// A header's text; headers that are not text count as absent.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The first query parameter of this name.
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        self.query.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// A reply, ready to be sent.
#[derive(Debug, Default)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Bytes,
}

impl Reply {
    /// A reply with a body of this type.
    pub(crate) fn new(status: u16, content_type: &str, body: impl Into<Bytes>) -> Self {
        Self { status, headers: Vec::new(), body: body.into() }.header("content-type", content_type)
    }

    /// A reply without a body.
    pub(crate) fn empty(status: u16) -> Self {
        Self { status, ..Self::default() }
    }

    /// The same with one more header.
    pub(crate) fn header(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }
}
