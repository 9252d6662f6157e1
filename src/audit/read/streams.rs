//! Streams: by ARN from the inventory, by the tag index, and by `ListStreams`, tagged or not.

use super::Reader;
use crate::audit::arn::{Kind, Resource};
use crate::audit::facts::{Named, Reading, Source, StreamFacts, Window};
use crate::audit::streams::ParentTable;
use crate::cloud::streams::{self, table_of};
use crate::cloud::tables;
use enumset::EnumSet;
use std::collections::{BTreeMap, BTreeSet};

pub(super) type Candidates = BTreeMap<String, EnumSet<Source>>;

/// ARNs of every stream that may be ours, with the surfaces that named it.
pub(super) async fn candidates(reader: &Reader, named: &mut Named) -> Candidates {
    let mut found = Candidates::new();
    for (resource, sources) in named.sources.iter().filter(|(resource, _)| resource.kind == Kind::Stream) {
        found.entry(resource.name.clone()).or_default().insert_all(*sources);
    }
    if reader.is_home() {
        for stream in &reader.scope.inventory.streams {
            found.entry(stream.arn.clone()).or_default().insert(Source::Inventory);
        }
    }
    let tables: BTreeSet<&str> =
        named.sources.keys().filter(|r| r.kind == Kind::Table).map(|r| r.name.as_str()).collect();
    if tables.is_empty() && reader.scope.prefix.is_none() && found.is_empty() {
        return found;
    }
    // Without a table name the list also holds the streams of tables that are gone.
    let outcome = streams::list(&reader.clients, None, reader.limits.cap).await;
    let listed = reader.cells.listing(&reader.region, ("dynamodbstreams", "ListStreams"), "", outcome);
    for arn in listed.unwrap_or_default() {
        let Some(table) = table_of(&arn) else { continue };
        let ours = tables.contains(table) || reader.scope.prefix.as_deref().is_some_and(|p| table.starts_with(p));
        if ours || found.contains_key(&arn) {
            found.entry(arn).or_default().insert(Source::StreamList);
        }
    }
    found
}

/// Names of the tables that any surface named.
pub(super) fn tables(named: &Named) -> BTreeSet<String> {
    named.sources.keys().filter(|r| r.kind == Kind::Table).map(|r| r.name.clone()).collect()
}

/// Each stream with its table; tables are read once.
pub(super) async fn read(
    reader: &Reader,
    named: &Named,
    tables: &BTreeSet<String>,
    candidates: Candidates,
) -> Vec<StreamFacts> {
    let mut parents: BTreeMap<String, ParentTable> = BTreeMap::new();
    let mut facts = Vec::new();
    for (arn, sources) in candidates {
        let outcome = streams::describe(&reader.clients, &arn).await;
        let op = ("dynamodbstreams", "DescribeStream");
        let reading = match reader.cells.single(&reader.region, op, &arn, outcome) {
            Ok(Some(stream)) => Reading::Present(stream.status),
            Ok(None) => Reading::Absent,
            Err(failure) => Reading::Unread(failure.to_string()),
        };
        let name = table_of(&arn).unwrap_or_default().to_owned();
        let there = matches!(reading, Reading::Present(_));
        let table = match parents.get(&name) {
            Some(known) => known.clone(),
            // A stream that is gone needs no proof of its table.
            None if !there => ParentTable::Absent,
            None => parent(reader, &name).await,
        };
        if there {
            parents.insert(name.clone(), table.clone());
        }
        // A table that is listed, and exists, has its own stream.
        let current = matches!(&table, ParentTable::Present(Some(newest)) if *newest == arn) && tables.contains(&name);
        let owned = there && (current || owned(reader, &arn, &name, sources).await);
        let deleted = window(reader, named, &arn, &name, sources);
        facts.push(StreamFacts { region: reader.region.clone(), arn, sources, reading, table, owned, deleted });
    }
    facts
}

async fn parent(reader: &Reader, table: &str) -> ParentTable {
    let outcome = tables::describe(&reader.clients, table).await;
    match reader.cells.single(&reader.region, ("dynamodb", "DescribeTable"), table, outcome) {
        Ok(Some(table)) => ParentTable::Present(table.stream_arn),
        Ok(None) => ParentTable::Absent,
        Err(failure) => ParentTable::Unread(failure.to_string()),
    }
}

/// The sealed inventory or the tag proves a stream; a name does not.
async fn owned(reader: &Reader, arn: &str, table: &str, sources: EnumSet<Source>) -> bool {
    let inventory = &reader.scope.inventory;
    let recorded =
        inventory.resources.iter().any(|r| r.resource_type == "AWS::DynamoDB::Table" && r.physical_id == table);
    if sources.contains(Source::Inventory) || sources.contains(Source::TagIndex) || (recorded && reader.is_home()) {
        return true;
    }
    let Some((key, value)) = &reader.scope.tag else { return false };
    let outcome = tables::tags(&reader.clients, arn, reader.limits.cap).await;
    let tags = reader.cells.single(&reader.region, ("dynamodb", "ListTagsOfResource"), arn, outcome);
    tags.ok().flatten().is_some_and(|tags| tags.get(key) == Some(value))
}

/// When the table was deleted: what the stacks' events, the inventory and the teardown allow together.
fn window(reader: &Reader, named: &Named, arn: &str, table: &str, sources: EnumSet<Source>) -> Window {
    let resource = Resource::new(Kind::Table, table, &reader.region);
    let seen = named.deleted.get(&resource).copied().unwrap_or_default();
    if !reader.is_home() || !sources.contains(Source::Inventory) {
        return seen;
    }
    let inventory = &reader.scope.inventory;
    let recorded = inventory.streams.iter().find(|s| s.arn == arn).and_then(|s| s.deleted).unwrap_or_default();
    let sealed = Window { not_before_ms: inventory.sealed_at_ms, not_after_ms: None };
    seen.and(recorded).and(sealed)
}
