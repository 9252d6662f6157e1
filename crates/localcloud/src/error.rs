//! Errors as a service answers them.

/// A modelled or unmodelled error of one operation; each wire protocol renders it in its own way.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {message}")]
pub(crate) struct ApiError {
    /// HTTP status.
    pub(crate) status: u16,
    /// Error code as SDKs match it, for example `ResourceNotFoundException`.
    pub(crate) code: String,
    /// Text for people.
    pub(crate) message: String,
    /// Further members of the error's shape, for example `CancellationReasons`.
    pub(crate) details: serde_json::Map<String, serde_json::Value>,
}

impl ApiError {
    /// An error with a status and a code.
    pub(crate) fn new(status: u16, code: impl Into<String>, message: impl Into<String>) -> Self {
        Self { status, code: code.into(), message: message.into(), details: serde_json::Map::new() }
    }

    /// HTTP 400 with a code.
    pub(crate) fn bad(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self::new(400, code, message)
    }

    /// The operation, or this use of it, is outside what the local cloud emulates.
    pub(crate) fn not_emulated(what: impl std::fmt::Display) -> Self {
        Self::new(501, "NotEmulated", format!("the local cloud does not emulate {what}"))
    }
}
