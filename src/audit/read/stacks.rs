//! Stacks by prefix and by id, what deleted ones left, and when their resources went.

use super::Reader;
use crate::audit::arn::{Kind, Resource};
use crate::audit::facts::{Named, Reading, Source, Window};
use crate::cloud::stacks::{self, StackEvent, StackStatus, StackSummary};
use std::collections::BTreeMap;

pub(super) async fn read(reader: &Reader, named: &mut Named) {
    let mut deleted = by_prefix(reader, named).await;
    deleted.extend(by_id(reader, named).await);
    for (id, deleted_at_ms) in deleted {
        left_behind(reader, &id, deleted_at_ms, named).await;
    }
}

type Deleted = BTreeMap<String, Option<i64>>;

async fn by_prefix(reader: &Reader, named: &mut Named) -> Deleted {
    let Some(prefix) = &reader.scope.prefix else { return Deleted::new() };
    let outcome = stacks::list_by_prefix(&reader.clients, prefix, reader.limits.cap).await;
    let found = reader.cells.listing(&reader.region, ("cloudformation", "ListStacks"), prefix, outcome);
    let mut deleted = Deleted::new();
    for StackSummary { id, status, deleted_at_ms, .. } in found.unwrap_or_default() {
        let resource = Resource::new(Kind::Stack, &id, &reader.region);
        named.add_known(resource, Source::Prefix, as_reading(&status));
        if status.is_deleted() {
            deleted.insert(id, deleted_at_ms);
        }
    }
    deleted
}

/// Stacks that inventory or index name and the listing did not show. A stack that vanished between two calls is gone,
/// not an error.
async fn by_id(reader: &Reader, named: &mut Named) -> Deleted {
    let mut deleted = Deleted::new();
    let unknown: Vec<Resource> =
        named.sources.keys().filter(|r| r.kind == Kind::Stack && !named.known.contains_key(r)).cloned().collect();
    for resource in unknown {
        let outcome = stacks::describe(&reader.clients, &resource.name).await;
        let op = ("cloudformation", "DescribeStacks");
        let reading = match reader.cells.single(&reader.region, op, &resource.name, outcome) {
            Ok(Some(state)) => {
                if state.status.is_deleted() {
                    deleted.insert(state.id, state.deleted_at_ms);
                }
                as_reading(&state.status)
            }
            Ok(None) => Reading::Absent,
            Err(failure) => Reading::Unread(failure.to_string()),
        };
        named.known.insert(resource, reading);
    }
    deleted
}

pub(super) fn as_reading(status: &StackStatus) -> Reading {
    match status {
        StackStatus::DeleteComplete => Reading::Absent,
        StackStatus::DeleteInProgress => Reading::Going(status.to_string()),
        StackStatus::ReviewInProgress => Reading::Present(format!("{status}: a shell whose change set never ran")),
        other => Reading::Present(other.to_string()),
    }
}

/// Every resource of a deleted stack is named: `DELETE_COMPLETE` is CloudFormation's word, not the service's.
async fn left_behind(reader: &Reader, stack_id: &str, deleted_at_ms: Option<i64>, named: &mut Named) {
    let outcome = stacks::resources(&reader.clients, stack_id, reader.limits.cap).await;
    let op = ("cloudformation", "ListStackResources");
    let Some(resources) = reader.cells.listing(&reader.region, op, stack_id, outcome) else { return };
    let mut by_logical = BTreeMap::new();
    for resource in resources {
        let Some(physical_id) = resource.physical_id else { continue };
        let found = Resource::from_stack(&resource.resource_type, &physical_id, &reader.region);
        if resource.status == "DELETE_COMPLETE" {
            let gone = Window { not_before_ms: None, not_after_ms: deleted_at_ms };
            named.deleted.insert(found.clone(), gone);
        }
        by_logical.insert(resource.logical_id, found.clone());
        named.add(found, Source::Stack);
    }
    if by_logical.values().any(|r| matches!(r.kind, Kind::Table | Kind::Queue)) {
        times(reader, stack_id, &by_logical, named).await;
    }
}

/// When CloudFormation began and ended the deletion of each resource.
async fn times(reader: &Reader, stack_id: &str, by_logical: &BTreeMap<String, Resource>, named: &mut Named) {
    let op = ("cloudformation", "DescribeStackEvents");
    let outcome = stacks::all_events(&reader.clients, stack_id, reader.limits.cap).await;
    let Ok(Some(events)) = reader.cells.single(&reader.region, op, stack_id, outcome) else { return };
    for event in events {
        if let (Some(resource), Some(window)) = (by_logical.get(&event.logical_id), window(&event)) {
            let known = named.deleted.get(resource).copied().unwrap_or_default();
            named.deleted.insert(resource.clone(), known.and(window));
        }
    }
}

fn window(event: &StackEvent) -> Option<Window> {
    match event.status.as_str() {
        "DELETE_IN_PROGRESS" => Some(Window { not_before_ms: Some(event.at_ms), not_after_ms: None }),
        "DELETE_COMPLETE" => Some(Window { not_before_ms: None, not_after_ms: Some(event.at_ms) }),
        _ => None,
    }
}
