//! What teardown came to. Part of the closing package.

use crate::cloud::stacks::StackEvent;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Schema name of a teardown report.
pub const SCHEMA: &str = "assay.teardown/1";

/// Everything that teardown did and could not do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TeardownReport {
    /// [`SCHEMA`].
    pub schema: String,
    /// Run id.
    pub run: String,
    /// Harness clock, milliseconds.
    pub started_at_ms: i64,
    /// Harness clock, milliseconds.
    pub ended_at_ms: i64,
    /// In all.
    pub outcome: TeardownOutcome,
    /// One per stack of the ledger.
    pub stacks: Vec<StackReport>,
    /// One per bucket of the ledger.
    pub buckets: Vec<BucketReport>,
    /// ARNs of executions that were running and were stopped.
    pub executions_stopped: Vec<String>,
    /// UUIDs of mappings that were switched off.
    pub mappings_disabled: Vec<String>,
    /// What went wrong, each with the one next command.
    pub problems: Vec<Problem>,
}

/// How teardown ended, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TeardownOutcome {
    /// A stack or a bucket is still there, or nobody knows.
    Incomplete,
    /// A deletion was refused: protection, an export in use, a bucket that may not be emptied.
    Refused,
    /// The credentials expired; it can be continued.
    Paused,
    /// Somebody asked to stop.
    Interrupted,
    /// Gone, but for resources that were left behind on purpose.
    CompleteWithRetained,
    /// Gone.
    Complete,
    /// Nothing had been created; no call was made.
    NothingToDo,
}

/// One stack's end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackReport {
    /// Stack name.
    pub name: String,
    /// Stack id, if one was ever known.
    pub id: Option<String>,
    /// How it ended.
    pub result: StackResult,
    /// Deletions that were asked for.
    pub attempts: u32,
    /// Resources that CloudFormation could not delete, at the last look.
    pub failing: Vec<FailingResource>,
    /// Resources that still exist by policy (`DELETE_SKIPPED`) or by our asking.
    pub retained: Vec<FailingResource>,
    /// Looks that were throttled or unanswered on the way.
    pub disturbed: u32,
}

/// How one stack ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StackResult {
    /// `DELETE_COMPLETE` was read by stack id, and no resource says otherwise.
    Deleted,
    /// It was gone already.
    AlreadyGone,
    /// It never existed.
    NeverCreated,
    /// A stack of that name exists, but nothing proves that it is the run's; it was left alone.
    NotOurs,
    /// CloudFormation, or we, refused; the holder is named.
    Refused {
        /// Termination protection, the importing stack, the full bucket.
        holder: String,
    },
    /// `DELETE_FAILED`, or deleted with resources that say otherwise.
    Failed,
    /// The credentials expired on the way.
    Paused,
    /// Somebody asked to stop; the deletion goes on in CloudFormation.
    Interrupted,
    /// Nobody knows.
    Unknown {
        /// Why.
        reason: String,
    },
}

impl fmt::Display for StackResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Deleted => f.write_str("deleted"),
            Self::AlreadyGone => f.write_str("was gone already"),
            Self::NeverCreated => f.write_str("was never created"),
            Self::NotOurs => f.write_str("not ours, left alone"),
            Self::Refused { holder } => write!(f, "deletion refused: {holder}"),
            Self::Failed => f.write_str("deletion failed"),
            Self::Paused => f.write_str("paused: the credentials expired"),
            Self::Interrupted => f.write_str("interrupted"),
            Self::Unknown { reason } => write!(f, "unknown: {reason}"),
        }
    }
}

/// A resource that is still there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailingResource {
    /// Name in the template.
    pub logical_id: String,
    /// Name in the service.
    pub physical_id: Option<String>,
    /// For example `AWS::S3::Bucket`.
    pub resource_type: String,
    /// CloudFormation's status.
    pub status: String,
    /// CloudFormation's reason.
    pub reason: Option<String>,
    /// Who serves it, where it is a custom resource that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub service_token: Option<String>,
}

/// One bucket's end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BucketReport {
    /// Bucket name.
    pub name: String,
    /// Versions, markers and uploads found at the first look.
    pub found: usize,
    /// Deleted over all rounds.
    pub deleted: usize,
    /// Rounds of emptying.
    pub rounds: u32,
}

/// Something that went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    /// Stack, bucket, function or mapping.
    pub subject: String,
    /// What is the matter.
    pub reason: String,
    /// The one next command.
    pub next: Option<String>,
}

/// What teardown tells while it works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Note<'a> {
    /// A step begins.
    Step(&'a str),
    /// A stack's event.
    Event {
        /// Stack name.
        stack: &'a str,
        /// The event.
        event: &'a StackEvent,
        /// What a person should know about it.
        hint: Option<&'a str>,
    },
    /// A stack ended.
    Stack(&'a StackReport),
}

/// Listens while teardown works.
pub trait Observer: Send + Sync {
    /// Called in order of time within a stack.
    fn note(&self, note: &Note<'_>);
}

impl Observer for () {
    fn note(&self, _: &Note<'_>) {}
}

impl TeardownReport {
    pub(super) fn begin(run: &str, now_ms: i64) -> Self {
        Self {
            schema: SCHEMA.to_owned(),
            run: run.to_owned(),
            started_at_ms: now_ms,
            ended_at_ms: now_ms,
            outcome: TeardownOutcome::Incomplete,
            stacks: Vec::new(),
            buckets: Vec::new(),
            executions_stopped: Vec::new(),
            mappings_disabled: Vec::new(),
            problems: Vec::new(),
        }
    }

    pub(super) fn problem(&mut self, subject: &str, reason: impl Into<String>, next: Option<String>) {
        self.problems.push(Problem { subject: subject.to_owned(), reason: reason.into(), next });
    }

    pub(super) fn end(mut self, now_ms: i64, outcome: TeardownOutcome) -> Self {
        self.outcome = outcome;
        self.ended_at_ms = now_ms;
        self
    }

    /// The worst of the stacks decides; a problem with executions or mappings of stacks that are gone does not.
    pub(super) fn conclude(self, now_ms: i64) -> Self {
        let outcome = self.stacks.iter().map(StackReport::outcome).min().unwrap_or(TeardownOutcome::Complete);
        let loose = self.stacks.is_empty() && !self.problems.is_empty();
        self.end(now_ms, if loose { TeardownOutcome::Incomplete } else { outcome })
    }

    /// Whether every stack of the ledger is gone, with or without resources left behind on purpose.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.outcome >= TeardownOutcome::CompleteWithRetained
    }
}

impl StackReport {
    fn outcome(&self) -> TeardownOutcome {
        match &self.result {
            StackResult::Deleted if !self.retained.is_empty() => TeardownOutcome::CompleteWithRetained,
            StackResult::Deleted | StackResult::AlreadyGone | StackResult::NeverCreated => TeardownOutcome::Complete,
            StackResult::Refused { .. } => TeardownOutcome::Refused,
            StackResult::Paused => TeardownOutcome::Paused,
            StackResult::Interrupted => TeardownOutcome::Interrupted,
            StackResult::NotOurs | StackResult::Failed | StackResult::Unknown { .. } => TeardownOutcome::Incomplete,
        }
    }
}
