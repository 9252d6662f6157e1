//! A function, its versions and how the service shows them.

use super::names::{LATEST, function_arn};
use crate::lambda::code::Code;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A function with all that goes when it is deleted.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) latest: Arc<Version>,
    pub(crate) published: BTreeMap<u64, Arc<Version>>,
    /// Version numbers are never used twice, even after deletion.
    pub(crate) next_version: u64,
    pub(crate) aliases: BTreeMap<String, Alias>,
    pub(crate) tags: BTreeMap<String, String>,
    pub(crate) permissions: Vec<Permission>,
    /// Reserved concurrent executions; 0 throttles every invocation.
    pub(crate) reserved_concurrency: Option<usize>,
}

/// A pointer to a version.
#[derive(Clone, Debug)]
pub(crate) struct Alias {
    pub(crate) version: u64,
    pub(crate) description: String,
    pub(crate) revision: String,
}

/// A statement of the function's resource policy.
#[derive(Clone, Debug)]
pub(crate) struct Permission {
    pub(crate) sid: String,
    pub(crate) qualifier: Option<String>,
    pub(crate) statement: Value,
}

/// Code and settings as one version holds them; never changed, only replaced.
#[derive(Debug)]
pub(crate) struct Version {
    pub(crate) region: String,
    pub(crate) name: String,
    /// The version's number; `None` is `$LATEST`.
    pub(crate) number: Option<u64>,
    pub(crate) settings: Settings,
    pub(crate) code: Arc<Code>,
    pub(crate) modified_ms: i64,
    /// When the state turns from Pending to Active, by the cloud's clock.
    pub(crate) active_at_ms: i64,
    pub(crate) revision: String,
}

/// What a function is configured with. A durable configuration makes it a durable function.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Settings {
    pub(crate) runtime: String,
    pub(crate) handler: String,
    pub(crate) role: String,
    pub(crate) description: String,
    pub(crate) timeout_s: u32,
    pub(crate) memory_mb: u32,
    pub(crate) storage_mb: u32,
    pub(crate) architecture: String,
    pub(crate) tracing: String,
    pub(crate) environment: BTreeMap<String, String>,
    pub(crate) logging: Logging,
    pub(crate) durable: Option<Durable>,
}

/// Where and how logs are written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Logging {
    /// `Text` or `JSON`.
    pub(crate) format: String,
    /// Set where the function does not use its default group.
    pub(crate) group: Option<String>,
    pub(crate) application_level: Option<String>,
    pub(crate) system_level: Option<String>,
}

/// Limits of durable executions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Durable {
    pub(crate) execution_timeout_s: u32,
    pub(crate) retention_days: u32,
}

impl Durable {
    pub(crate) fn render(&self) -> Value {
        json!({"ExecutionTimeout": self.execution_timeout_s, "RetentionPeriodInDays": self.retention_days})
    }
}

impl Function {
    /// The version that a qualifier points at; no qualifier means `$LATEST`.
    pub(crate) fn version(&self, qualifier: Option<&str>) -> Option<&Arc<Version>> {
        match qualifier {
            None | Some(LATEST) => Some(&self.latest),
            Some(text) => match text.parse::<u64>() {
                Ok(number) => self.published.get(&number),
                Err(_) => self.aliases.get(text).and_then(|alias| self.published.get(&alias.version)),
            },
        }
    }
}

impl Version {
    /// `$LATEST` or the number.
    pub(crate) fn label(&self) -> String {
        self.number.map_or_else(|| LATEST.to_owned(), |number| number.to_string())
    }

    /// The version's ARN; unqualified for `$LATEST`.
    pub(crate) fn arn(&self) -> String {
        match self.number {
            None => function_arn(&self.region, &self.name),
            Some(number) => format!("{}:{number}", function_arn(&self.region, &self.name)),
        }
    }

    /// The ARN with the version always in it.
    pub(crate) fn qualified_arn(&self) -> String {
        format!("{}:{}", function_arn(&self.region, &self.name), self.label())
    }

    /// The log group that the function writes to.
    pub(crate) fn log_group(&self) -> String {
        self.settings.logging.group.clone().unwrap_or_else(|| format!("/aws/lambda/{}", self.name))
    }

    /// Whether the function can be invoked yet.
    pub(crate) fn is_active(&self, now_ms: i64) -> bool {
        now_ms >= self.active_at_ms
    }

    /// The `FunctionConfiguration` shape.
    pub(crate) fn render(&self, now_ms: i64) -> Value {
        let settings = &self.settings;
        let active = self.is_active(now_ms);
        let mut out = json!({
            "FunctionName": self.name,
            "FunctionArn": self.arn(),
            "Runtime": settings.runtime,
            "Role": settings.role,
            "Handler": settings.handler,
            "CodeSize": self.code.zip_size,
            "Description": settings.description,
            "Timeout": settings.timeout_s,
            "MemorySize": settings.memory_mb,
            "LastModified": last_modified(self.modified_ms),
            "CodeSha256": self.code.sha256_base64,
            "Version": self.label(),
            "TracingConfig": {"Mode": settings.tracing},
            "RevisionId": self.revision,
            "State": if active { "Active" } else { "Pending" },
            "LastUpdateStatus": if active { "Successful" } else { "InProgress" },
            "PackageType": "Zip",
            "Architectures": [settings.architecture],
            "EphemeralStorage": {"Size": settings.storage_mb},
            "SnapStart": {"ApplyOn": "None", "OptimizationStatus": "Off"},
            "LoggingConfig": self.render_logging(),
        });
        if !active {
            out["StateReason"] = "The function is being created.".into();
            out["StateReasonCode"] = "Creating".into();
        }
        if !settings.environment.is_empty() {
            out["Environment"] = json!({"Variables": settings.environment});
        }
        if let Some(durable) = &settings.durable {
            out["DurableConfig"] = durable.render();
        }
        out
    }

    fn render_logging(&self) -> Value {
        let logging = &self.settings.logging;
        let mut out = json!({"LogFormat": logging.format, "LogGroup": self.log_group()});
        if let Some(level) = &logging.application_level {
            out["ApplicationLogLevel"] = level.as_str().into();
        }
        if let Some(level) = &logging.system_level {
            out["SystemLogLevel"] = level.as_str().into();
        }
        out
    }
}

/// ISO 8601 with a numeric offset, as `LastModified` has it.
pub(crate) fn last_modified(at_ms: i64) -> String {
    let time = jiff::Timestamp::from_millisecond(at_ms).unwrap_or_default();
    time.strftime("%Y-%m-%dT%H:%M:%S%.3f+0000").to_string()
}
