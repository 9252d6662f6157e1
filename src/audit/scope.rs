//! What an audit looks for.

use super::allow::AllowRule;
use super::facts::Window;
use crate::cloud::PageCap;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Where to look and what counts as ours.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditScope {
    /// Twelve digits; the caller has checked it through STS.
    pub account: String,
    /// Regions, the first of which also stands for global services.
    pub regions: Vec<String>,
    /// Tag key and value that mark what is ours.
    pub tag: Option<(String, String)>,
    /// Name prefix that marks what is ours, for example `assay-20261130t200102-3fa9-`.
    pub prefix: Option<String>,
    /// What the run is known to have created.
    pub inventory: Inventory,
    /// What may stay.
    pub allow: Vec<AllowRule>,
    /// Run id, for the next commands.
    pub run: Option<String>,
}

/// The sealed inventory of a run; empty for an audit by tag alone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inventory {
    /// Region of everything in it.
    pub region: String,
    /// When it was sealed: everything in it existed then. Milliseconds since the epoch.
    pub sealed_at_ms: Option<i64>,
    /// Stack ids.
    pub stacks: Vec<String>,
    /// Stack resources.
    pub resources: Vec<InventoryResource>,
    /// Streams, which no stack lists.
    pub streams: Vec<InventoryStream>,
    /// Functions that may have durable executions.
    pub durable: Vec<DurableFunction>,
}

/// A durable function and the versions that executions may be pinned to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DurableFunction {
    /// Function name.
    pub name: String,
    /// Numeric versions recorded at deploy.
    pub versions: Vec<String>,
}

/// A resource of a stack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InventoryResource {
    /// For example `AWS::SQS::Queue`.
    pub resource_type: String,
    /// Name in the service, as CloudFormation gives it.
    pub physical_id: String,
}

/// A stream, known by ARN since the deploy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InventoryStream {
    /// Stream ARN.
    pub arn: String,
    /// When its table was deleted, if the teardown knows.
    pub deleted: Option<Window>,
}

/// Bounds of an audit.
#[derive(Clone, Copy, Debug)]
pub struct AuditLimits {
    /// Pages of any listing; hitting it is `unknown`.
    pub cap: PageCap,
    /// Native reads in flight, over all services; each service's own budget applies too.
    pub concurrency: usize,
    /// Between the two readings; zero reads once.
    pub settle: Duration,
}

impl Default for AuditLimits {
    fn default() -> Self {
        Self { cap: PageCap::default(), concurrency: 32, settle: Duration::ZERO }
    }
}
