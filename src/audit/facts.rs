//! What reading gives: plain facts, without judgement.

use super::arn::Resource;
use super::certificate::Certificate;
use super::streams::ParentTable;
use enumset::{EnumSet, EnumSetType};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Everything that one reading saw.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Facts {
    /// Every resource that any surface named.
    pub sightings: Vec<Sighting>,
    /// Every stream that any surface named.
    pub streams: Vec<StreamFacts>,
    /// What was read and what was not.
    pub certificate: Certificate,
}

/// A resource, who named it, and what its own service says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sighting {
    /// Which.
    pub resource: Resource,
    /// Surfaces that named it.
    pub sources: EnumSet<Source>,
    /// The owning service's answer.
    pub reading: Reading,
    /// When it was deleted, as far as evidence tells.
    pub deleted: Window,
}

/// Where a resource was named.
#[derive(Debug, PartialOrd, Ord, Hash, EnumSetType, Serialize, Deserialize)]
#[enumset(serialize_repr = "list")]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The tag index.
    TagIndex,
    /// The sealed inventory.
    Inventory,
    /// A stack's resource list.
    Stack,
    /// A name prefix.
    Prefix,
    /// Implied by a parent: logs of a function, versions in a bucket.
    Child,
    /// `ListStreams`.
    StreamList,
}

/// The owning service's answer about one resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reading {
    /// It exists; status or other detail.
    Present(String),
    /// It exists, and its service says that it is going; status.
    Going(String),
    /// Its service will delete it at a time that it names, milliseconds since the epoch.
    PendingUntil(i64),
    /// A network interface that Lambda made for this function, and removes after it.
    LeftBy(String),
    /// Its service says that it does not exist.
    Absent,
    /// It dies with its parent and was not looked up.
    Implied,
    /// A rule lets it stay, so it was not looked up.
    Excused,
    /// It could not be read; why.
    Unread(String),
}

/// Earliest and latest time of a deletion, milliseconds since the epoch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// It existed at this time, or its deletion had not begun.
    pub not_before_ms: Option<i64>,
    /// It was gone at this time.
    pub not_after_ms: Option<i64>,
}

/// A stream and its table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StreamFacts {
    /// Stream ARN.
    pub arn: String,
    /// Region that was asked.
    pub region: String,
    /// Surfaces that named it.
    pub sources: EnumSet<Source>,
    /// `StreamStatus` as `Present`.
    pub reading: Reading,
    /// The parent table.
    pub table: ParentTable,
    /// Tags, index or inventory prove that it is ours.
    pub owned: bool,
    /// When the table was deleted.
    pub deleted: Window,
}

impl Window {
    /// What both windows allow.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let tighter = |a: Option<i64>, b: Option<i64>, pick: fn(i64, i64) -> i64| match (a, b) {
            (Some(a), Some(b)) => Some(pick(a, b)),
            (a, b) => a.or(b),
        };
        Self {
            not_before_ms: tighter(self.not_before_ms, other.not_before_ms, i64::max),
            not_after_ms: tighter(self.not_after_ms, other.not_after_ms, i64::min),
        }
    }
}

/// Collects who named what, so that each resource is looked up once.
#[derive(Clone, Debug, Default)]
pub(super) struct Named {
    pub(super) sources: BTreeMap<Resource, EnumSet<Source>>,
    /// What a listing has answered already, so that no look-up is needed.
    pub(super) known: BTreeMap<Resource, Reading>,
    pub(super) deleted: BTreeMap<Resource, Window>,
}

impl Named {
    pub(super) fn add(&mut self, resource: Resource, source: Source) {
        self.sources.entry(resource).or_default().insert(source);
    }

    pub(super) fn add_known(&mut self, resource: Resource, source: Source, reading: Reading) {
        self.known.insert(resource.clone(), reading);
        self.add(resource, source);
    }
}
