//! What a run's journal says: intents before outside acts, outcomes after them, and the milestones between.

use evidence::digest::Digest;
use evidence::stage::{Grade, Origin};
use evidence::verdict::Verdict;
use serde::{Deserialize, Serialize};

/// One journal entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Event {
    /// The run exists; its target is pinned.
    RunStarted {
        /// Run id.
        run: String,
        /// Digest of the plan.
        plan_digest: Digest,
        /// What its evidence may claim.
        grade: Grade,
        /// Pinned target.
        origin: Origin,
        /// Process id of the harness.
        pid: u32,
    },
    /// Another process took the run up again.
    Resumed {
        /// Process id of the harness.
        pid: u32,
    },
    /// A stage begins, or begins again after a crash.
    StageStarted {
        /// Stage name.
        stage: String,
    },
    /// A stage is over; it is never run again.
    StageEnded {
        /// Stage name.
        stage: String,
        /// How.
        outcome: StageOutcome,
        /// Why, for people.
        detail: String,
    },
    /// An outside act is about to be tried.
    Intent {
        /// Unique in the run, for example `create-stack/provider`.
        key: String,
        /// What would undo or recover it, in words for people.
        recovery: String,
    },
    /// The act's outcome. `unknown` may be followed by a second outcome, when it was reconciled.
    Outcome {
        /// Key of the intent.
        key: String,
        /// Result.
        outcome: ActOutcome,
        /// Identifier that the cloud answered, or the reason.
        detail: String,
    },
    /// Something of ours exists in the cloud: a line of the creation ledger.
    Created {
        /// CloudFormation type, or `AWS::CloudFormation::Stack`.
        kind: String,
        /// Physical id.
        id: String,
        /// Component that it belongs to.
        component: String,
    },
    /// A package was sealed.
    Sealed {
        /// Package name.
        package: String,
        /// SHA-256 of its index.
        identity: Digest,
    },
    /// The oracle judged a sealed package.
    Judged {
        /// Package name.
        package: String,
        /// Package identity that the verdict quotes.
        identity: Digest,
        /// Join over its trials.
        verdict: Verdict,
    },
    /// The run departs from its registration, on purpose.
    Deviation {
        /// What and why.
        reason: String,
    },
    /// A signal asked the run to stop.
    Interrupted,
    /// The run can go on later.
    Paused {
        /// Why.
        reason: String,
    },
    /// Nothing is left to do.
    RunEnded {
        /// Exit code.
        exit: u8,
    },
}

/// How a stage ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StageOutcome {
    /// As planned.
    Completed,
    /// Stopped by a finding or an error; later stages but cleanup are skipped.
    Failed,
    /// Stopped by a signal.
    Interrupted,
}

/// The three outcomes of any outside act.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActOutcome {
    /// Took effect.
    Done,
    /// Took no effect.
    Refused,
    /// Nobody knows yet.
    Unknown,
}
