//! What becomes of a resource when its stack is deleted.

use serde::Serialize;
use serde_json::Value;
use yaml::{Dialect, Document, Limits};

/// What becomes of a resource when its stack is deleted (CloudFormation template reference, "DeletionPolicy attribute").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Fate {
    /// It is deleted.
    Delete,
    /// It is deleted, and a snapshot of it stays.
    Snapshot,
    /// It stays and belongs to no stack any more: `Retain`, and `RetainExceptOnCreate`, which spares a resource too
    /// unless its own creation is rolled back.
    Orphan,
}

/// The deletion policies of one template.
#[derive(Debug)]
pub struct Policies(Value);

impl Policies {
    /// From a template's text; one that cannot be read foresees only deletions.
    #[must_use]
    pub fn read(name: &str, template: &str) -> Self {
        let limits = Limits { max_bytes: 1 << 20, ..Limits::default() };
        let document = Document::parse(name, template, Dialect::CloudFormation, limits);
        Self(document.map_or(Value::Null, |document| document.value().clone()))
    }

    /// What becomes of a resource.
    #[must_use]
    pub fn fate(&self, logical_id: &str) -> Fate {
        let policy = self.0.get("Resources").and_then(|all| all.get(logical_id)?.get("DeletionPolicy")?.as_str());
        match policy {
            Some("Retain" | "RetainExceptOnCreate") => Fate::Orphan,
            Some("Snapshot") => Fate::Snapshot,
            _ => Fate::Delete,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Fate, Policies};

    /// Case 23: `RetainExceptOnCreate` is no deletion.
    #[test]
    fn what_a_policy_retains_is_orphaned() {
        let template = r#"{"Resources": {
            "A": {"DeletionPolicy": "Retain"}, "B": {"DeletionPolicy": "RetainExceptOnCreate"},
            "C": {"DeletionPolicy": "Snapshot"}, "D": {"DeletionPolicy": "Delete"}, "E": {}
        }}"#;
        let policies = Policies::read("t", template);
        let fates = ["A", "B", "C", "D", "E", "F"].map(|id| policies.fate(id));
        assert_eq!(fates, [Fate::Orphan, Fate::Orphan, Fate::Snapshot, Fate::Delete, Fate::Delete, Fate::Delete]);
    }
}
