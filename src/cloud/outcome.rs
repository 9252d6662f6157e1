//! How a call to the outside ended.

use super::mask::mask;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The end of an outside call. `Unknown` means that the act may have happened: reconcile, never repeat blindly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[must_use]
pub enum Outcome<T> {
    /// It happened, and this is the answer.
    Done(T),
    /// It did not happen.
    Refused(Refusal),
    /// Whether it happened is not known.
    Unknown(Doubt),
}

/// Why a call was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// What kind of refusal.
    pub kind: RefusalKind,
    /// The service's error code, or one of ours for a request that never left.
    pub code: String,
    /// The service's message, secrets masked.
    pub message: String,
}

/// The refusals that callers tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RefusalKind {
    /// The thing does not exist.
    NotFound,
    /// The thing, or the token, exists already.
    AlreadyExists,
    /// Not allowed, or not signed in.
    Denied,
    /// Too many requests.
    Throttled,
    /// The request itself is wrong.
    Invalid,
    /// The credentials have expired: paused, not failed.
    Expired,
    /// The thing is in a state that forbids the act: in use, protected, not empty, being changed.
    Conflict,
    /// The request never left this machine.
    NotSent,
    /// Anything else.
    Other,
}

/// Why the end of a call is not known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doubt {
    /// The operation, for example `CreateStack`.
    pub operation: String,
    /// What happened instead of an answer, secrets masked.
    pub reason: String,
}

/// The two ends of a call that are not an answer; the error type inside the cloud module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Failure {
    /// It did not happen.
    #[error("{0}")]
    Refused(Refusal),
    /// Whether it happened is not known.
    #[error("{0}")]
    Unknown(Doubt),
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code, self.message)
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the outcome of {} is unknown: {}", self.operation, self.reason)
    }
}

impl Refusal {
    /// A refusal with its message masked.
    #[must_use]
    pub fn new(kind: RefusalKind, code: impl Into<String>, message: impl AsRef<str>) -> Self {
        Self { kind, code: code.into(), message: mask(message.as_ref()) }
    }
}

impl Doubt {
    /// A doubt with its reason masked.
    #[must_use]
    pub fn new(operation: impl Into<String>, reason: impl AsRef<str>) -> Self {
        Self { operation: operation.into(), reason: mask(reason.as_ref()) }
    }
}

impl Failure {
    /// A refusal.
    #[must_use]
    pub fn refused(kind: RefusalKind, code: impl Into<String>, message: impl AsRef<str>) -> Self {
        Self::Refused(Refusal::new(kind, code, message))
    }

    /// A doubt.
    #[must_use]
    pub fn unknown(operation: impl Into<String>, reason: impl AsRef<str>) -> Self {
        Self::Unknown(Doubt::new(operation, reason))
    }

    /// The kind of refusal, if it is one.
    #[must_use]
    pub fn kind(&self) -> Option<RefusalKind> {
        match self {
            Self::Refused(refusal) => Some(refusal.kind),
            Self::Unknown(_) => None,
        }
    }

    /// Whether the service answered that the thing does not exist.
    #[must_use]
    pub fn is_not_found(&self) -> bool {
        self.kind() == Some(RefusalKind::NotFound)
    }
}

impl<T> Outcome<T> {
    /// The answer, or why there is none, for use with `?`.
    ///
    /// # Errors
    /// [`Failure`] for `Refused` and `Unknown`.
    pub fn into_result(self) -> Result<T, Failure> {
        match self {
            Self::Done(value) => Ok(value),
            Self::Refused(refusal) => Err(Failure::Refused(refusal)),
            Self::Unknown(doubt) => Err(Failure::Unknown(doubt)),
        }
    }

    /// Turns the answer into another.
    pub fn map<U>(self, act: impl FnOnce(T) -> U) -> Outcome<U> {
        self.into_result().map(act).into()
    }

    /// `NotFound` becomes an answer: nothing there.
    pub fn optional(self) -> Outcome<Option<T>> {
        match self.into_result() {
            Ok(value) => Outcome::Done(Some(value)),
            Err(failure) if failure.is_not_found() => Outcome::Done(None),
            Err(failure) => Err(failure).into(),
        }
    }

    /// The answer, if there is one.
    pub fn done(self) -> Option<T> {
        self.into_result().ok()
    }

    /// Whether the call was answered.
    #[must_use]
    pub fn is_done(&self) -> bool {
        matches!(self, Self::Done(_))
    }
}

impl<T> From<Result<T, Failure>> for Outcome<T> {
    fn from(result: Result<T, Failure>) -> Self {
        match result {
            Ok(value) => Self::Done(value),
            Err(Failure::Refused(refusal)) => Self::Refused(refusal),
            Err(Failure::Unknown(doubt)) => Self::Unknown(doubt),
        }
    }
}

/// Lets the body of an outside call use `?`.
pub(super) async fn settle<T>(call: impl Future<Output = Result<T, Failure>>) -> Outcome<T> {
    call.await.into()
}

/// A member that the service always sends; its absence leaves the outcome unknown.
pub(super) fn require<T>(operation: &str, member: &str, value: Option<T>) -> Result<T, Failure> {
    value.ok_or_else(|| Failure::unknown(operation, format!("the answer holds no {member}")))
}
