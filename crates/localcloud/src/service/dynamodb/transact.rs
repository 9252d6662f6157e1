//! `TransactWriteItems` and `TransactGetItems`: all or nothing.

use super::batch::with_capacity;
use super::capacity::{self, read_units, write_units};
use super::invalid;
use super::request::{Request, read};
use super::value::{item_bytes, item_to_json};
use super::write::{Planned, Refusal, Write, key_of, member, stored};
use crate::error::ApiError;
use crate::service::State;
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;

/// "up to 100 … actions" of at most 4 MB (API reference, `TransactWriteItems`).
const MAX_ACTIONS: usize = 100;
const MAX_BYTES: usize = 4 * 1_048_576;

/// "A client request token is valid for 10 minutes after the first request that uses it is completed".
const TOKEN_MS: i64 = 10 * 60 * 1000;

/// Tokens of transactions that were made: when, and the digest of what they were.
#[derive(Debug, Default)]
pub(super) struct Tokens(BTreeMap<String, (i64, [u8; 32])>);

impl Tokens {
    /// Whether the same transaction was made under this token; an error if another one was.
    fn is_repeated(&mut self, token: &str, digest: [u8; 32], now_ms: i64) -> Result<bool, ApiError> {
        self.0.retain(|_, (made_ms, _)| now_ms < made_ms.saturating_add(TOKEN_MS));
        match self.0.get(token) {
            None => Ok(false),
            Some((_, known)) if *known == digest => Ok(true),
            Some(_) => Err(ApiError::bad(
                "IdempotentParameterMismatchException",
                "The request uses the same client token as a previous, but non-identical request. Do not reuse a client \
                 token with different requests, unless the requests are identical",
            )),
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Transaction {
    transact_items: Vec<Action>,
    client_request_token: Option<String>,
    return_consumed_capacity: Option<String>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Action {
    put: Option<Request>,
    update: Option<Request>,
    delete: Option<Request>,
    condition_check: Option<Request>,
    get: Option<Request>,
}

pub(super) fn write(state: &mut State, region: &str, input: Value, now_ms: i64) -> Result<Value, ApiError> {
    let digest: [u8; 32] = Sha256::digest(input["TransactItems"].to_string()).into();
    let transaction: Transaction = read(input)?;
    let token = transaction.client_request_token.as_deref();
    if token.is_some_and(|token| !(1..=36).contains(&token.len())) {
        return Err(invalid("1 validation error detected: clientRequestToken has 1 to 36 characters"));
    }
    let writes = read_writes(state, &transaction.transact_items, now_ms)?;
    if let Some(token) = token
        && state.dynamodb.tokens.is_repeated(token, digest, now_ms)?
    {
        return Ok(json!({}));
    }
    let planned = plan(state, &writes)?;
    for (write, planned) in writes.iter().zip(&planned) {
        write.commit(state, region, planned, now_ms);
    }
    if let Some(token) = token {
        state.dynamodb.tokens.0.insert(token.to_owned(), (now_ms, digest));
    }
    let capacity = writes.iter().zip(&planned).map(|(write, planned)| {
        // A transaction writes twice: it prepares and commits.
        capacity::one(&write.table, 2.0 * write_units(bytes_of(planned)))
    });
    Ok(with_capacity(json!({}), transaction.return_consumed_capacity.as_deref(), capacity.collect()))
}

fn read_writes(state: &State, actions: &[Action], now_ms: i64) -> Result<Vec<Write>, ApiError> {
    check_count(actions.len())?;
    let mut writes: Vec<Write> = Vec::new();
    for action in actions {
        let write = match (&action.put, &action.update, &action.delete, &action.condition_check) {
            (Some(put), None, None, None) => Write::put(&state.dynamodb, put, now_ms)?,
            (None, Some(update), None, None) => Write::update(&state.dynamodb, update, now_ms)?,
            (None, None, Some(delete), None) => Write::delete(&state.dynamodb, delete, now_ms)?,
            (None, None, None, Some(check)) => Write::check(&state.dynamodb, check, now_ms)?,
            _ => {
                return Err(invalid("TransactItems can only contain one of Check, Put, Update or Delete"));
            }
        };
        if writes.iter().any(|other| other.table == write.table && other.key == write.key) {
            return Err(invalid("Transaction request cannot include multiple operations on one item"));
        }
        writes.push(write);
    }
    Ok(writes)
}

/// Plans every action against the tables as they are; one that is refused cancels them all.
fn plan(state: &State, writes: &[Write]) -> Result<Vec<Planned>, ApiError> {
    let (mut planned, mut reasons) = (Vec::new(), Vec::new());
    for write in writes {
        reasons.push(match write.plan(&state.dynamodb) {
            Ok(plan) => {
                planned.push(plan);
                json!({ "Code": "None" })
            }
            Err(Refusal::Condition(item)) => {
                let mut reason =
                    json!({ "Code": "ConditionalCheckFailed", "Message": "The conditional request failed" });
                member(&mut reason, "Item", item.as_ref());
                reason
            }
            Err(Refusal::Error(error)) => json!({ "Code": "ValidationError", "Message": error.message }),
        });
    }
    if planned.len() < writes.len() {
        return Err(cancelled(reasons));
    }
    if planned.iter().map(bytes_of).sum::<usize>() > MAX_BYTES {
        return Err(invalid("Transaction request size exceeds the maximum of 4 MB"));
    }
    Ok(planned)
}

fn cancelled(reasons: Vec<Value>) -> ApiError {
    let codes: Vec<_> = reasons.iter().filter_map(|reason| reason["Code"].as_str()).collect();
    let mut error = ApiError::bad(
        "TransactionCanceledException",
        format!("Transaction cancelled, please refer cancellation reasons for specific reasons [{}]", codes.join(", ")),
    );
    error.details.insert("CancellationReasons".to_owned(), Value::Array(reasons));
    error
}

pub(super) fn get(state: &State, input: Value, now_ms: i64) -> Result<Value, ApiError> {
    let transaction: Transaction = read(input)?;
    check_count(transaction.transact_items.len())?;
    let (mut responses, mut capacity) = (Vec::new(), Vec::new());
    for action in &transaction.transact_items {
        let request = action.get.as_ref().ok_or_else(|| invalid("TransactItems can only contain Get"))?;
        let (key, _) = key_of(&state.dynamodb, request, now_ms)?;
        let mut placeholders = request.placeholders()?;
        let projection = request.projection(&mut placeholders)?;
        placeholders.finish()?;
        let item = stored(&state.dynamodb, request.table(), &key);
        capacity.push(capacity::one(request.table(), 2.0 * read_units(item.map_or(0, item_bytes), true)));
        responses.push(match (item, projection) {
            (None, _) => json!({}),
            (Some(item), None) => json!({ "Item": item_to_json(item) }),
            (Some(item), Some(projection)) => json!({ "Item": item_to_json(&projection.apply(item)) }),
        });
    }
    let output = json!({ "Responses": responses });
    Ok(with_capacity(output, transaction.return_consumed_capacity.as_deref(), capacity))
}

fn check_count(count: usize) -> Result<(), ApiError> {
    match count {
        1..=MAX_ACTIONS => Ok(()),
        _ => Err(invalid(format!("1 validation error detected: transactItems has 1 to {MAX_ACTIONS} members"))),
    }
}

fn bytes_of(planned: &Planned) -> usize {
    planned.new.as_ref().or(planned.old.as_ref()).map_or(0, item_bytes)
}
