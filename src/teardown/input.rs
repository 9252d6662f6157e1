//! What teardown works from: the run's creation ledger, and what the user allows.

use crate::cloud::{Pace, PageCap};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The run's creation ledger.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TeardownInput {
    /// Run id.
    pub run: String,
    /// Account that owns everything here, twelve digits.
    pub account: String,
    /// Key of the tag that carries the run id.
    pub run_tag: String,
    /// Stacks, in any order.
    pub stacks: Vec<StackEntry>,
    /// Buckets that the run's stacks own.
    pub buckets: Vec<BucketEntry>,
    /// Functions that may have durable executions.
    pub functions: Vec<FunctionEntry>,
    /// UUIDs of event source mappings.
    pub mappings: Vec<String>,
    /// What the user allows.
    pub options: Options,
}

/// A stack that was created, or may have been.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StackEntry {
    /// Stack name.
    pub name: String,
    /// Stack id; absent where the outcome of `CreateStack` is unknown.
    pub id: Option<String>,
    /// Token of `CreateStack`, which proves ownership where the id is absent.
    pub create_token: Option<String>,
    /// Names of stacks that must be deleted after this one.
    pub depends_on: Vec<String>,
}

/// A bucket and the stack that owns it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BucketEntry {
    /// Bucket name.
    pub name: String,
    /// Name of the owning stack.
    pub stack: String,
}

/// A durable function and its versions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionEntry {
    /// Function name.
    pub name: String,
    /// Numeric versions recorded at deploy.
    pub versions: Vec<String>,
}

/// What the user allows beyond a plain delete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Options {
    /// Switch termination protection off.
    pub disable_protection: bool,
    /// Delete every version, marker and upload of the run's buckets.
    pub empty_buckets: bool,
    /// After a second failure, leave exactly the failing resources behind (`RetainResources`), and if that fails too,
    /// whatever fails then (`FORCE_DELETE_STACK`); the audit keeps them as debts.
    pub retain_failed: bool,
}

/// Bounds of everything that repeats or waits.
#[derive(Clone, Copy, Debug)]
pub struct TeardownLimits {
    /// Waiting for a stack.
    pub stack: Pace,
    /// Waiting for executions and mappings to end.
    pub settle: Pace,
    /// How long a stack may wait for network interfaces, from the first event that says so.
    pub interfaces: Duration,
    /// How long a stack may wait for a custom resource, from the first event of its deletion.
    pub custom_resource: Duration,
    /// How long a stack may show the status from before its deletion without a word why.
    pub unmoved: Duration,
    /// Times that a bucket is emptied before it is given up.
    pub bucket_rounds: u32,
    /// Deletions of one stack, retaining none; at least 1.
    pub attempts: u32,
    /// Pages of any listing.
    pub cap: PageCap,
}

impl Default for TeardownLimits {
    /// An hour for a stack, five minutes to settle. Network interfaces normally take up to 45 minutes and a silent custom
    /// resource one hour; both get five minutes more.
    fn default() -> Self {
        let pace = |interval, ceiling, timeout| Pace {
            interval: Duration::from_secs(interval),
            ceiling: Duration::from_secs(ceiling),
            timeout: Duration::from_secs(timeout),
            attempts: u32::MAX,
        };
        Self {
            stack: pace(5, 60, 3_600),
            settle: pace(3, 30, 300),
            interfaces: Duration::from_secs(50 * 60),
            custom_resource: Duration::from_secs(65 * 60),
            unmoved: Duration::from_secs(20),
            bucket_rounds: 5,
            attempts: 2,
            cap: PageCap::default(),
        }
    }
}

impl TeardownInput {
    /// The command that tears this run down again, with further options after a space.
    #[must_use]
    pub fn again(&self, options: &str) -> String {
        format!("assay teardown {}{options}", self.run)
    }

    /// Whether nothing was ever created.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.stacks.is_empty() && self.buckets.is_empty() && self.functions.is_empty() && self.mappings.is_empty()
    }
}
