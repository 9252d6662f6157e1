//! `Query` and `Scan`, in pages of at most 1 MB.

use super::capacity::{self, read_units};
use super::expression::{Condition, KeyCondition, Placeholders, Projection, Role, holds};
use super::invalid;
use super::key::{ItemKey, KeyPart, Schema};
use super::request::{Request, active, read};
use super::table::Table;
use super::value::{Attr, Item, item_bytes, item_from_json, item_to_json};
use crate::error::ApiError;
use crate::service::State;
use serde_json::{Value, json};
use std::ops::Bound;

/// "A single Query operation can … process a maximum of 1 MB of data" (API reference), before filtering.
const PAGE_BYTES: usize = 1_048_576;

pub(super) fn query(state: &State, input: Value, now_ms: i64) -> Result<Value, ApiError> {
    let request: Request = read(input)?;
    let table = active(&state.dynamodb, request.table(), now_ms)?;
    let schema = &table.schema;
    let mut placeholders = request.placeholders()?;
    let text = request.key_condition_expression.as_deref();
    let text = text.ok_or_else(|| {
        invalid("Either the KeyConditions or KeyConditionExpression parameter must be specified in the request.")
    })?;
    let range_name = schema.range.as_ref().map(|(name, _)| name.as_str());
    let condition = KeyCondition::parse(text, &schema.hash.0, range_name, &mut placeholders)?;
    check_types(schema, &condition)?;
    let reader = Reader::new(&request, table, &mut placeholders)?;
    if let Some(filter) = &reader.filter
        && let Some(name) = filter.roots().into_iter().find(|name| schema.has(name))
    {
        return Err(invalid(format!(
            "Filter Expression can only contain non-primary key attributes: Primary key attribute: {name}"
        )));
    }
    let hash = KeyPart::of(&condition.partition).ok_or_else(mismatch)?;
    let range = condition.range.as_ref().zip(range_name).map(|(range, name)| range.on(name));
    let start = reader.start_key(&request)?;
    if start.as_ref().is_some_and(|start| start.hash != hash) {
        return Err(invalid("The provided starting key is outside query boundaries based on provided conditions"));
    }
    let first = ItemKey { hash: hash.clone(), range: None };
    let partition = table
        .items
        .range(first..)
        .take_while(|(key, _)| key.hash == hash)
        .filter(|(_, item)| range.as_ref().is_none_or(|range| holds(range, item)));
    if request.scan_index_forward == Some(false) {
        let mut backward: Vec<_> =
            partition.filter(|(key, _)| start.as_ref().is_none_or(|start| *key < start)).collect();
        backward.reverse();
        return Ok(reader.page(&request, backward.into_iter()));
    }
    Ok(reader.page(&request, partition.filter(|(key, _)| start.as_ref().is_none_or(|start| *key > start))))
}

pub(super) fn scan(state: &State, input: Value, now_ms: i64) -> Result<Value, ApiError> {
    let request: Request = read(input)?;
    let table = active(&state.dynamodb, request.table(), now_ms)?;
    let reader = Reader::new(&request, table, &mut request.placeholders()?)?;
    let start = reader.start_key(&request)?.map_or(Bound::Unbounded, Bound::Excluded);
    Ok(reader.page(&request, table.items.range((start, Bound::Unbounded))))
}

/// What a query and a scan do with the items they come across.
struct Reader<'a> {
    table: &'a Table,
    filter: Option<Condition>,
    projection: Option<Projection>,
    limit: usize,
    counts_only: bool,
}

impl<'a> Reader<'a> {
    fn new(request: &Request, table: &'a Table, placeholders: &mut Placeholders) -> Result<Self, ApiError> {
        let filter = request.filter_expression.as_deref();
        let filter = filter.map(|text| Condition::parse(Role::Filter, text, placeholders)).transpose()?;
        let projection = request.projection(placeholders)?;
        placeholders.finish()?;
        let limit = match request.limit.map(usize::try_from) {
            None => usize::MAX,
            Some(Ok(limit)) if limit > 0 => limit,
            Some(_) => {
                return Err(invalid(
                    "1 validation error detected: Value at 'limit' failed to satisfy constraint: Member must have value \
                     greater than or equal to 1",
                ));
            }
        };
        let counts_only = match request.select.as_deref() {
            None | Some("ALL_ATTRIBUTES" | "SPECIFIC_ATTRIBUTES") => false,
            Some("COUNT") => true,
            Some(other) => return Err(ApiError::not_emulated(format!("dynamodb Select {other}"))),
        };
        Ok(Self { table, filter, projection, limit, counts_only })
    }

    fn start_key(&self, request: &Request) -> Result<Option<ItemKey>, ApiError> {
        let Some(key) = &request.exclusive_start_key else { return Ok(None) };
        let key = self.table.schema.key_alone(&item_from_json(key)?);
        key.map(Some).map_err(|_| invalid("The provided starting key is invalid"))
    }

    fn page<'b>(&self, request: &Request, items: impl Iterator<Item = (&'b ItemKey, &'b Item)>) -> Value {
        let (mut found, mut count, mut scanned, mut bytes) = (Vec::new(), 0usize, 0usize, 0usize);
        let mut last = None;
        for (_, item) in items {
            scanned += 1;
            bytes += item_bytes(item);
            if self.filter.as_ref().is_none_or(|filter| holds(filter, item)) {
                count += 1;
                if !self.counts_only {
                    let part = self.projection.as_ref().map(|projection| projection.apply(item));
                    found.push(item_to_json(part.as_ref().unwrap_or(item)));
                }
            }
            // Like the service: a page that ends at its limit names its last key, whether or not more follows.
            if scanned == self.limit || bytes >= PAGE_BYTES {
                last = Some(item);
                break;
            }
        }
        let mut output = json!({ "Count": count, "ScannedCount": scanned });
        if !self.counts_only {
            output["Items"] = Value::Array(found);
        }
        if let Some(item) = last {
            output["LastEvaluatedKey"] = item_to_json(&self.table.schema.key_item(item));
        }
        let units = read_units(bytes, request.consistent_read);
        capacity::report(&mut output, request.return_consumed_capacity.as_deref(), request.table(), units);
        output
    }
}

fn check_types(schema: &Schema, condition: &KeyCondition) -> Result<(), ApiError> {
    let fits = |value: &Attr, kind: &str| value.kind() == kind;
    let range = condition.range.iter().flat_map(|range| range.values());
    let range_fits = range.into_iter().all(|value| schema.range.as_ref().is_some_and(|(_, kind)| fits(value, kind)));
    if fits(&condition.partition, &schema.hash.1) && range_fits { Ok(()) } else { Err(mismatch()) }
}

fn mismatch() -> ApiError {
    invalid("One or more parameter values were invalid: Condition parameter type does not match schema type")
}
