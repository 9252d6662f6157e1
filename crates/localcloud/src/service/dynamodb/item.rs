//! Operations on one item.

use super::capacity::{self, read_units, write_units};
use super::expression::{project, touched};
use super::request::{Request, read};
use super::value::{Item, item_bytes};
use super::write::{Change, Planned, Refusal, Write, key_of, member, stored};
use crate::error::ApiError;
use crate::service::State;
use serde_json::{Value, json};

pub(super) fn get(state: &State, input: Value, now_ms: i64) -> Result<Value, ApiError> {
    let request: Request = read(input)?;
    let (key, _) = key_of(&state.dynamodb, &request, now_ms)?;
    let mut placeholders = request.placeholders()?;
    let projection = request.projection(&mut placeholders)?;
    placeholders.finish()?;
    let item = stored(&state.dynamodb, request.table(), &key);
    let projected = item.map(|item| projection.map_or_else(|| item.clone(), |projection| projection.apply(item)));
    let mut output = json!({});
    member(&mut output, "Item", projected.as_ref());
    let units = read_units(item.map_or(0, item_bytes), request.consistent_read);
    capacity::report(&mut output, request.return_consumed_capacity.as_deref(), request.table(), units);
    Ok(output)
}

pub(super) fn put(state: &mut State, region: &str, input: Value, now_ms: i64) -> Result<Value, ApiError> {
    let request: Request = read(input)?;
    request.return_values(&["NONE", "ALL_OLD"])?;
    let write = Write::put(&state.dynamodb, &request, now_ms)?;
    change(state, region, &request, &write, now_ms)
}

pub(super) fn delete(state: &mut State, region: &str, input: Value, now_ms: i64) -> Result<Value, ApiError> {
    let request: Request = read(input)?;
    request.return_values(&["NONE", "ALL_OLD"])?;
    let write = Write::delete(&state.dynamodb, &request, now_ms)?;
    change(state, region, &request, &write, now_ms)
}

pub(super) fn update(state: &mut State, region: &str, input: Value, now_ms: i64) -> Result<Value, ApiError> {
    let request: Request = read(input)?;
    request.return_values(&["NONE", "ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW"])?;
    let write = Write::update(&state.dynamodb, &request, now_ms)?;
    change(state, region, &request, &write, now_ms)
}

fn change(state: &mut State, region: &str, request: &Request, write: &Write, now_ms: i64) -> Result<Value, ApiError> {
    let planned = write.plan(&state.dynamodb).map_err(Refusal::into_error)?;
    write.commit(state, region, &planned, now_ms);
    let mut output = json!({});
    member(&mut output, "Attributes", returned(request, write, &planned).as_ref());
    let sizes = [planned.old.as_ref(), planned.new.as_ref()];
    let units = write_units(sizes.into_iter().flatten().map(item_bytes).max().unwrap_or(0));
    capacity::report(&mut output, request.return_consumed_capacity.as_deref(), request.table(), units);
    Ok(output)
}

fn returned(request: &Request, write: &Write, planned: &Planned) -> Option<Item> {
    let updated = |item: &Option<Item>| match (&write.change, item) {
        (Change::Update(_, update), Some(item)) => {
            Some(project(item, &touched(update))).filter(|part| !part.is_empty())
        }
        _ => None,
    };
    match request.return_values.as_deref() {
        Some("ALL_OLD") => planned.old.clone(),
        Some("ALL_NEW") => planned.new.clone(),
        Some("UPDATED_OLD") => updated(&planned.old),
        Some("UPDATED_NEW") => updated(&planned.new),
        _ => None,
    }
}
