//! What a stack knows of its resources.

use super::status::Status;
use super::template::{DeletionPolicy, Resources};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Tags by key.
pub(crate) type Tags = BTreeMap<String, String>;

/// One resource, from its first event on.
#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) kind: String,
    pub(crate) physical_id: Option<String>,
    /// What `Fn::GetAtt` answers.
    pub(crate) attributes: Map<String, Value>,
    /// Evaluated, in the types of the resource's schema.
    pub(crate) properties: Map<String, Value>,
    /// The stack's and the resource's own.
    pub(crate) tags: Tags,
    /// Logical ids that have to outlive this resource.
    pub(crate) waits_for: BTreeSet<String>,
    pub(crate) deletion_policy: DeletionPolicy,
    pub(crate) update_replace_policy: DeletionPolicy,
    pub(crate) metadata: Option<Value>,
    pub(crate) status: Status,
    pub(crate) reason: Option<String>,
    pub(crate) changed_ms: i64,
}

/// Resources by logical id.
pub(crate) type Records = BTreeMap<String, Record>;

impl Resources for Records {
    fn reference(&self, logical_id: &str) -> Option<Value> {
        self.get(logical_id)?.physical_id.clone().map(Value::String)
    }

    fn attribute(&self, logical_id: &str, name: &str) -> Option<Value> {
        self.get(logical_id)?.attributes.get(name).cloned()
    }
}
