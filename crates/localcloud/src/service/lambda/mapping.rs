//! An event source mapping and how the service shows it.

use super::names::{FunctionRef, function_arn};
use crate::cloud::ACCOUNT;
use crate::time::epoch_seconds;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use tokio::sync::watch;

/// What is polled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Queue { fifo: bool },
    Stream,
}

/// `State` of a mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MappingState {
    Creating,
    Enabling,
    Enabled,
    Disabling,
    Disabled,
    Updating,
    Deleting,
}

impl MappingState {
    fn wire(self) -> &'static str {
        match self {
            Self::Creating => "Creating",
            Self::Enabling => "Enabling",
            Self::Enabled => "Enabled",
            Self::Disabling => "Disabling",
            Self::Disabled => "Disabled",
            Self::Updating => "Updating",
            Self::Deleting => "Deleting",
        }
    }

    /// Whether it settles by itself and cannot be changed until then.
    pub(crate) fn is_moving(self) -> bool {
        !matches!(self, Self::Enabled | Self::Disabled)
    }
}

/// What a mapping does with failures and how much it takes at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    pub(crate) batch_size: i64,
    pub(crate) window_s: i64,
    /// Retries of a stream's batch; `None` until the records expire.
    pub(crate) retries: Option<i64>,
    pub(crate) record_age_s: Option<i64>,
    pub(crate) bisect: bool,
    /// The function answers with the failed items.
    pub(crate) reports_items: bool,
    /// Most invocations at the same time for a queue.
    pub(crate) concurrency: Option<usize>,
}

/// An event source mapping.
#[derive(Debug)]
pub(crate) struct Mapping {
    pub(crate) uuid: String,
    pub(crate) source_arn: String,
    pub(crate) source: Source,
    pub(crate) function: FunctionRef,
    pub(crate) rules: Rules,
    /// `TRIM_HORIZON` or `LATEST`, for streams.
    pub(crate) position: Option<String>,
    /// Number of the last stream record that was dealt with.
    pub(crate) reached: Option<u64>,
    pub(crate) state: MappingState,
    /// What it should become: polling or not.
    pub(crate) enabled: bool,
    pub(crate) reason: &'static str,
    pub(crate) last_result: String,
    pub(crate) modified_ms: i64,
    pub(crate) tags: BTreeMap<String, String>,
    /// Tells the poller to look at the mapping again.
    pub(crate) changes: watch::Sender<u64>,
}

/// The ARN of a mapping.
pub(crate) fn mapping_arn(region: &str, uuid: &str) -> String {
    format!("arn:aws:lambda:{region}:{ACCOUNT}:event-source-mapping:{uuid}")
}

impl Mapping {
    /// The `EventSourceMappingConfiguration` shape.
    pub(crate) fn render(&self, region: &str) -> Value {
        let mut out = json!({
            "UUID": self.uuid,
            "EventSourceArn": self.source_arn,
            "EventSourceMappingArn": mapping_arn(region, &self.uuid),
            "FunctionArn": self.function.arn(region),
            "BatchSize": self.rules.batch_size,
            "MaximumBatchingWindowInSeconds": self.rules.window_s,
            "State": self.state.wire(),
            "StateTransitionReason": self.reason,
            "LastModified": epoch_seconds(self.modified_ms),
            "FunctionResponseTypes": if self.rules.reports_items { json!(["ReportBatchItemFailures"]) } else { json!([]) },
        });
        if let Some(most) = self.rules.concurrency {
            out["ScalingConfig"] = json!({"MaximumConcurrency": most});
        }
        if self.source == Source::Stream {
            out["StartingPosition"] = json!(self.position);
            out["ParallelizationFactor"] = 1.into();
            out["MaximumRetryAttempts"] = self.rules.retries.unwrap_or(-1).into();
            out["MaximumRecordAgeInSeconds"] = self.rules.record_age_s.unwrap_or(-1).into();
            out["BisectBatchOnFunctionError"] = self.rules.bisect.into();
            out["LastProcessingResult"] = self.last_result.as_str().into();
            out["DestinationConfig"] = json!({"OnFailure": {}});
            out["TumblingWindowInSeconds"] = 0.into();
        }
        out
    }

    /// Whether the mapping calls this function, whatever the qualifier.
    pub(crate) fn is_of(&self, region: &str, wanted: &FunctionRef) -> bool {
        match wanted.qualifier {
            // An unqualified name lists the mappings of the function and of all its versions and aliases.
            None => function_arn(region, &self.function.name) == function_arn(region, &wanted.name),
            Some(_) => self.function == *wanted,
        }
    }

    /// Tells the poller.
    pub(crate) fn touch(&self) {
        self.changes.send_modify(|n| *n = n.wrapping_add(1));
    }
}
