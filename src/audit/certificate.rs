//! The coverage certificate: what was read, where, and what was not.

use serde::{Deserialize, Serialize};

/// Surfaces that the tag index cannot show, whatever the tags (Resource Groups Tagging API reference, "Supported
/// services"; CloudFormation resource schemas, `tagging`).
pub(super) const NOT_BY_TAG: [&str; 9] = [
    "IAM roles and policies",
    "function versions and aliases",
    "function permissions and queue policies",
    "log groups that Lambda made by itself",
    "object versions and multipart uploads",
    "durable executions",
    "stacks in REVIEW_IN_PROGRESS without tags",
    "DynamoDB streams that were never tagged",
    "network interfaces that Lambda made",
];

/// Every cell that was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Certificate {
    /// Sorted by region, service and operation.
    pub cells: Vec<Cell>,
    /// Surfaces that cannot be read by tag at all; they are read by name, prefix or parent, where
    /// the scope gives one.
    pub not_by_tag: Vec<String>,
}

/// One operation of one service in one region.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// Twelve digits.
    pub account: String,
    /// Region, or `global`.
    pub region: String,
    /// For example `sqs`.
    pub service: String,
    /// For example `ListQueues`.
    pub operation: String,
    /// Pages of listings, or single reads.
    pub pages: u32,
    /// Whether all of it was read.
    pub outcome: Reach,
}

/// Whether a cell was read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reach {
    /// Every page and every read was answered.
    Read,
    /// Something was not; each subject with the reason.
    Unread(Vec<String>),
}

impl Certificate {
    pub(super) fn new(mut cells: Vec<Cell>) -> Self {
        cells.sort_by(|a, b| (&a.region, &a.service, &a.operation).cmp(&(&b.region, &b.service, &b.operation)));
        Self { cells, not_by_tag: NOT_BY_TAG.map(str::to_owned).to_vec() }
    }

    /// Cells that were not read whole.
    pub fn unread(&self) -> impl Iterator<Item = &Cell> {
        self.cells.iter().filter(|cell| cell.outcome != Reach::Read)
    }

    /// Whether there is a cell at all and every one was read.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        !self.cells.is_empty() && self.unread().next().is_none()
    }
}
