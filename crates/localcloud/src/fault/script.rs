//! The shape of a fault script.

use crate::service::Service;
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer, Serialize};

/// Rules, tried in order on every call.
///
/// ```yaml
/// rules:
///   - service: sqs
///     operation: SendMessage
///     when: { nth: 1 }
///     effect: drop_after
/// ```
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// The rules; every rule counts its own matching calls.
    pub rules: Vec<Rule>,
}

/// A script that is not one.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct ScriptError(#[from] yaml::Diagnostic);

impl Script {
    /// Reads a script from YAML; `name` is what errors call it.
    ///
    /// # Errors
    /// The text is not YAML, or not a script; the error names the place.
    pub fn from_yaml(name: &str, text: &str) -> Result<Self, ScriptError> {
        let document = yaml::Document::parse(name, text, yaml::Dialect::Plain, yaml::Limits::default())?;
        Ok(document.deserialize()?)
    }
}

/// One rule.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The service that is called; absent means any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service: Option<Service>,
    /// The operation by its name in the API; absent means any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operation: Option<String>,
    /// Text that the resource's name must contain (function, stack or table), where the effect has a resource;
    /// such a rule does not apply to effects on the wire.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// Text that an invocation's payload must contain; such a rule applies to effects on functions only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub payload: Option<String>,
    /// Who makes the call; absent means anybody. Applies to effects on the wire only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<Caller>,
    /// Which of the matching calls.
    #[serde(default, deserialize_with = "as_in_json")]
    pub when: When,
    /// What happens to them.
    #[serde(deserialize_with = "as_in_json")]
    pub effect: Effect,
}

/// Reads `{nth: 1}` as JSON has it; YAML would want a tag, `!nth 1`.
fn as_in_json<'de, D: Deserializer<'de>, T: DeserializeOwned>(deserializer: D) -> Result<T, D::Error> {
    let value = serde_json::Value::deserialize(deserializer)?;
    serde_json::from_value(value).map_err(D::Error::custom)
}

/// Who makes a call over HTTP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Caller {
    /// A function that the cloud runs.
    Function,
    /// Anybody else.
    Client,
}

/// Which of a rule's matching calls are hit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum When {
    /// Every call.
    #[default]
    Always,
    /// Only the n-th, from 1.
    Nth(u64),
    /// Every n-th: n, 2n, 3n, …
    Every(u64),
    /// Each with this probability (0 to 1), from the cloud's seed.
    Probability(f64),
}

/// What goes wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Refused with the service's throttling error; nothing is done.
    Throttle,
    /// Refused with this error; nothing is done.
    Error {
        /// HTTP status.
        status: u16,
        /// Error code.
        code: String,
    },
    /// Refused as not authorised.
    Denied,
    /// Refused because the credentials have expired.
    ExpiredToken,
    /// Answered late.
    Delay {
        /// Milliseconds on the cloud's clock.
        ms: u64,
    },
    /// The connection is closed before anything is done.
    DropBefore,
    /// The lost reply: it is done, then the connection is closed without an answer.
    DropAfter,
    /// The answer's `Date` header is off by this much.
    ClockSkew {
        /// Milliseconds; negative is in the past.
        ms: i64,
    },
    /// The tag index answers as if it had not come to know of the last deletions.
    StaleTagIndex,
    /// The page carries the token it was asked with, so that it follows itself.
    RepeatedPageToken,
    /// The page is empty but carries a token; the items come with the next one.
    EmptyPageWithToken,
    /// The stack stays half created.
    HalfCreatedStack,
    /// Rolling the stack back fails.
    RollbackFailed,
    /// Creating a resource of the stack fails.
    CreateFailed {
        /// The resource's logical id.
        logical_id: String,
    },
    /// Deleting a resource of the stack fails.
    DeleteFailed {
        /// The resource's logical id.
        logical_id: String,
    },
    /// A created resource is not visible at first.
    LateResource,
    /// The function's process ends in the middle of an invocation.
    FunctionCrash,
    /// The invocation does not end within the function's timeout.
    FunctionTimeout,
    /// The execution environment is ended after the effect and before the next checkpoint.
    KillEnvironmentAfterEffect,
}

impl Effect {
    /// True for effects that the server applies to a call; the others are asked for by the services.
    pub(crate) fn is_on_wire(&self) -> bool {
        matches!(
            self,
            Self::Throttle
                | Self::Error { .. }
                | Self::Denied
                | Self::ExpiredToken
                | Self::Delay { .. }
                | Self::DropBefore
                | Self::DropAfter
                | Self::ClockSkew { .. }
                | Self::RepeatedPageToken
                | Self::EmptyPageWithToken
        )
    }
}
