//! `BatchGetItem` and `BatchWriteItem`.

use super::capacity::{self, read_units, write_units};
use super::invalid;
use super::request::{Request, read, table_name};
use super::value::{Item, item_bytes, item_to_json};
use super::write::{Refusal, Write, key_of, stored};
use crate::error::ApiError;
use crate::service::State;
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// "up to 16 MB of data, which can contain as many as 100 items" (API reference, `BatchGetItem`).
const GET_BYTES: usize = 16 * 1_048_576;
const GET_KEYS: usize = 100;

/// "as many as 25 item put or delete operations" (API reference, `BatchWriteItem`).
const WRITES: usize = 25;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Batch<T> {
    request_items: std::collections::BTreeMap<String, T>,
    return_consumed_capacity: Option<String>,
}

pub(super) fn get(state: &State, input: Value, now_ms: i64) -> Result<Value, ApiError> {
    let batch: Batch<Value> = read(input)?;
    let total: usize = batch.request_items.values().map(|one| one["Keys"].as_array().map_or(0, Vec::len)).sum();
    if !(1..=GET_KEYS).contains(&total) {
        return Err(invalid("Too many items requested for the BatchGetItem call"));
    }
    let (mut responses, mut unprocessed, mut capacity) = (Map::new(), Map::new(), Vec::new());
    let mut bytes = 0;
    for (name, mut one) in batch.request_items {
        super::request::refuse_unemulated("BatchGetItem", &one)?;
        let keys = one["Keys"].take();
        let keys = keys.as_array().map(Vec::as_slice).unwrap_or_default();
        one["TableName"] = json!(name);
        let mut request: Request = read(one.clone())?;
        let (mut found, mut left, mut seen, mut units) = (Vec::new(), Vec::new(), Vec::new(), 0.0);
        let mut placeholders = request.placeholders()?;
        let projection = request.projection(&mut placeholders)?;
        placeholders.finish()?;
        for key in keys {
            request.key = Some(key.clone());
            let (parsed, _) = key_of(&state.dynamodb, &request, now_ms)?;
            if seen.contains(&parsed) {
                return Err(invalid("Provided list of item keys contains duplicates"));
            }
            let item = stored(&state.dynamodb, request.table(), &parsed);
            seen.push(parsed);
            units += read_units(item.map_or(0, item_bytes), request.consistent_read);
            bytes += item.map_or(0, item_bytes);
            match item {
                Some(_) if bytes > GET_BYTES => left.push(key.clone()),
                Some(item) => {
                    let part: Option<Item> = projection.as_ref().map(|projection| projection.apply(item));
                    found.push(item_to_json(part.as_ref().unwrap_or(item)));
                }
                None => {}
            }
        }
        capacity.push(capacity::one(table_name(&name), units));
        if !left.is_empty() {
            one["Keys"] = json!(left);
            if let Some(members) = one.as_object_mut() {
                members.remove("TableName");
            }
            unprocessed.insert(name.clone(), one);
        }
        responses.insert(name, json!(found));
    }
    let output = json!({ "Responses": responses, "UnprocessedKeys": unprocessed });
    Ok(with_capacity(output, batch.return_consumed_capacity.as_deref(), capacity))
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct WriteRequest {
    put_request: Option<Value>,
    delete_request: Option<Value>,
}

pub(super) fn write(state: &mut State, region: &str, input: Value, now_ms: i64) -> Result<Value, ApiError> {
    let batch: Batch<Vec<WriteRequest>> = read(input)?;
    let total: usize = batch.request_items.values().map(Vec::len).sum();
    if !(1..=WRITES).contains(&total) {
        return Err(invalid("Too many items requested for the BatchWriteItem call"));
    }
    let mut writes: Vec<Write> = Vec::new();
    for (name, requests) in batch.request_items {
        for one in requests {
            let write = read_write(state, &name, one, now_ms)?;
            if writes.iter().any(|other| other.table == write.table && other.key == write.key) {
                return Err(invalid("Provided list of item keys contains duplicates"));
            }
            writes.push(write);
        }
    }
    let mut capacity = Vec::new();
    for write in &writes {
        let planned = write.plan(&state.dynamodb).map_err(Refusal::into_error)?;
        write.commit(state, region, &planned, now_ms);
        let bytes = planned.new.as_ref().or(planned.old.as_ref()).map_or(0, item_bytes);
        capacity.push(capacity::one(&write.table, write_units(bytes)));
    }
    Ok(with_capacity(json!({ "UnprocessedItems": {} }), batch.return_consumed_capacity.as_deref(), capacity))
}

fn read_write(state: &State, name: &str, one: WriteRequest, now_ms: i64) -> Result<Write, ApiError> {
    let request = |mut members: Value| {
        members["TableName"] = json!(name);
        read::<Request>(members)
    };
    match (one.put_request, one.delete_request) {
        (Some(put), None) => Write::put(&state.dynamodb, &request(put)?, now_ms),
        (None, Some(delete)) => Write::delete(&state.dynamodb, &request(delete)?, now_ms),
        _ => Err(invalid("Supplied AttributeValue has to have exactly one of PutRequest and DeleteRequest")),
    }
}

pub(super) fn with_capacity(mut output: Value, wanted: Option<&str>, capacity: Vec<Value>) -> Value {
    if matches!(wanted, Some("TOTAL" | "INDEXES")) {
        output["ConsumedCapacity"] = Value::Array(capacity);
    }
    output
}
