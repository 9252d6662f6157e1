//! What an operation would change, worked out before anything is touched.

use super::record::{Record, Records, Tags};
use super::resource::{Kind, Tagging, own_tags};
use super::schema::{self, Refusal};
use super::state::merged;
use super::template::{Definition, Inputs, Resources, Scope, dependencies};
use crate::error::ApiError;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// Stands for values that are known only once the resource exists.
pub(crate) const UNKNOWN: &str = "{{changeSet:KNOWN_AFTER_APPLY}}";

/// What happens to one resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Add,
    /// With a new physical resource, or in place.
    Modify {
        replacement: bool,
    },
    Remove,
}

/// One line of a change set.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) logical_id: String,
    pub(crate) kind: String,
    pub(crate) physical_id: Option<String>,
    pub(crate) action: Action,
    /// Names of the properties that change, `Tags` included.
    pub(crate) properties: Vec<String>,
}

/// Evaluated properties of one resource.
#[derive(Clone, Debug)]
pub(crate) struct Prospect {
    pub(crate) logical_id: String,
    pub(crate) kind: Kind,
    pub(crate) properties: Result<Map<String, Value>, Refusal>,
}

/// A stack's present resources, without the values of those that will be replaced.
struct Expected<'a> {
    records: &'a Records,
    /// Logical ids in the template whose values are not known yet.
    unknown: BTreeSet<String>,
}

impl Resources for Expected<'_> {
    fn reference(&self, logical_id: &str) -> Option<Value> {
        if self.unknown.contains(logical_id) {
            return Some(Value::from(UNKNOWN));
        }
        self.records.reference(logical_id)
    }

    fn attribute(&self, logical_id: &str, name: &str) -> Option<Value> {
        if self.unknown.contains(logical_id) {
            return Some(Value::from(UNKNOWN));
        }
        self.records.attribute(logical_id, name)
    }
}

/// The properties that every resource of a new stack will have, as far as they are known.
pub(crate) fn prospects(inputs: &Inputs, exports: &BTreeMap<String, String>) -> Result<Vec<Prospect>, ApiError> {
    let none = Records::new();
    let resources = Expected { records: &none, unknown: inputs.active().cloned().collect() };
    let scope = Scope { inputs, resources: &resources, exports };
    let mut found = Vec::new();
    for logical_id in inputs.active() {
        let Some(definition) = inputs.template.resources.get(logical_id) else { continue };
        let properties = scope.object(&definition.properties)?;
        if let Some(kind) = Kind::from_name(&definition.kind) {
            let properties = schema::conform(kind, &properties);
            found.push(Prospect { logical_id: logical_id.clone(), kind, properties });
        }
    }
    Ok(found)
}

/// What turning the present resources into what `inputs` say would change.
pub(crate) fn changes(
    records: &Records,
    inputs: &Inputs,
    stack_tags: &Tags,
    exports: &BTreeMap<String, String>,
) -> Result<Vec<Change>, ApiError> {
    let mut unknown: BTreeSet<String> =
        inputs.active().filter(|name| present(records, name).is_none()).cloned().collect();
    let mut changes = Vec::new();
    for logical_id in ordered(inputs) {
        let Some(definition) = inputs.template.resources.get(&logical_id) else { continue };
        let resources = Expected { records, unknown: unknown.clone() };
        let scope = Scope { inputs, resources: &resources, exports };
        let change = change(records, &logical_id, definition, &scope, stack_tags)?;
        if let Some(Change { action: Action::Modify { replacement: true }, .. }) = change {
            unknown.insert(logical_id);
        }
        changes.extend(change);
    }
    changes.extend(removals(records, inputs));
    Ok(changes)
}

fn change(
    records: &Records,
    logical_id: &str,
    definition: &Definition,
    scope: &Scope<'_>,
    stack_tags: &Tags,
) -> Result<Option<Change>, ApiError> {
    let kind = definition.kind.clone();
    let change = |physical_id, action, properties| Change {
        logical_id: logical_id.to_owned(),
        kind: kind.clone(),
        physical_id,
        action,
        properties,
    };
    let evaluated = scope.object(&definition.properties)?;
    let Some(record) = present(records, logical_id) else {
        return Ok(Some(change(None, Action::Add, Vec::new())));
    };
    let physical_id = record.physical_id.clone();
    let Some(kind) = Kind::from_name(&definition.kind).filter(|kind| kind.name() == record.kind) else {
        return Ok(Some(change(physical_id, Action::Modify { replacement: true }, Vec::new())));
    };
    let properties = schema::conform(kind, &evaluated).unwrap_or(evaluated);
    let changed = changed(kind, record, &properties, stack_tags);
    if changed.is_empty() {
        return Ok(None);
    }
    let replacement = schema::replaces(kind, &record.properties, &properties);
    Ok(Some(change(physical_id, Action::Modify { replacement }, changed)))
}

/// Names of the properties that differ from the record's; stack tags count as `Tags`.
pub(crate) fn changed(kind: Kind, record: &Record, properties: &Map<String, Value>, stack_tags: &Tags) -> Vec<String> {
    let names: BTreeSet<&String> = record.properties.keys().chain(properties.keys()).collect();
    let differ = names.into_iter().filter(|name| record.properties.get(*name) != properties.get(*name));
    let mut changed: Vec<String> = differ.cloned().collect();
    let tags = merged(stack_tags, &own_tags(properties));
    if kind.tagging() != Tagging::None && tags != record.tags && !changed.iter().any(|name| name == "Tags") {
        changed.push("Tags".to_owned());
    }
    changed
}

/// The record of a resource that exists.
pub(crate) fn present<'a>(records: &'a Records, logical_id: &str) -> Option<&'a Record> {
    records.get(logical_id).filter(|record| record.status.is_present() && record.physical_id.is_some())
}

fn removals<'a>(records: &'a Records, inputs: &Inputs) -> impl Iterator<Item = Change> + use<'a> {
    let active: BTreeSet<String> = inputs.active().cloned().collect();
    let gone = records.iter().filter(move |(name, record)| record.status.is_present() && !active.contains(*name));
    gone.map(|(name, record)| Change {
        logical_id: name.clone(),
        kind: record.kind.clone(),
        physical_id: record.physical_id.clone(),
        action: Action::Remove,
        properties: Vec::new(),
    })
}

/// Active logical ids, each after what it waits for.
pub(crate) fn ordered(inputs: &Inputs) -> Vec<String> {
    let mut left = dependencies(inputs);
    let mut order = Vec::new();
    loop {
        let free: Vec<String> = left
            .iter()
            .filter(|(_, waits)| waits.iter().all(|name| !left.contains_key(name)))
            .map(|(name, _)| name.clone())
            .collect();
        if free.is_empty() {
            return order;
        }
        for name in free {
            left.remove(&name);
            order.push(name);
        }
    }
}

impl Change {
    /// As `DescribeChangeSet` shows it.
    pub(crate) fn describe(&self) -> Value {
        let (action, replacement) = match &self.action {
            Action::Add => ("Add", None),
            Action::Modify { replacement: true } => ("Modify", Some("True")),
            Action::Modify { replacement: false } => ("Modify", Some("False")),
            Action::Remove => ("Remove", None),
        };
        let mut scope: Vec<&str> = Vec::new();
        if self.properties.iter().any(|name| name != "Tags") {
            scope.push("Properties");
        }
        if self.properties.iter().any(|name| name == "Tags") {
            scope.push("Tags");
        }
        json!({
            "Type": "Resource",
            "ResourceChange": {
                "Action": action,
                "LogicalResourceId": self.logical_id,
                "PhysicalResourceId": self.physical_id,
                "ResourceType": self.kind,
                "Replacement": replacement,
                "Scope": scope,
                "Details": self.details(),
            }
        })
    }

    fn details(&self) -> Vec<Value> {
        let recreation = match self.action {
            Action::Modify { replacement: true } => "Always",
            _ => "Never",
        };
        let detail = |name: &String| {
            let target = if name == "Tags" {
                json!({ "Attribute": "Tags", "RequiresRecreation": "Never" })
            } else {
                json!({ "Attribute": "Properties", "Name": name, "RequiresRecreation": recreation })
            };
            json!({ "Target": target, "Evaluation": "Static", "ChangeSource": "DirectModification" })
        };
        self.properties.iter().map(detail).collect()
    }
}
