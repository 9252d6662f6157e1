//! DynamoDB: tables without secondary indexes, their items, transactions and tags.

mod batch;
mod capacity;
mod control;
mod expression;
mod item;
mod key;
mod number;
mod query;
mod request;
mod settings;
mod table;
mod tags;
mod transact;
mod value;
mod write;

use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use serde_json::Value;
use std::collections::BTreeMap;
use table::Table;

/// One region's tables by name, and the tokens of its transactions.
#[derive(Debug, Default)]
pub(crate) struct State {
    tables: BTreeMap<String, Table>,
    tokens: transact::Tokens,
}

impl State {
    /// Forgets tables whose deletion is through.
    fn settle(&mut self, now_ms: i64) {
        self.tables.retain(|_, table| !table.is_gone(now_ms));
    }
}

/// Answers one operation; input and output are in the service model's JSON form.
pub(crate) async fn call(cloud: &Cloud, ctx: &Context, operation: &str, input: Value) -> Result<Value, ApiError> {
    let answer = dispatch(cloud, ctx, operation, input);
    if is_change(operation) && answer.is_ok() {
        cloud.touch();
    }
    answer
}

fn dispatch(cloud: &Cloud, ctx: &Context, operation: &str, input: Value) -> Result<Value, ApiError> {
    request::refuse_unemulated(operation, &input)?;
    let now_ms = cloud.clock().now_ms();
    let region = ctx.region.as_str();
    cloud.with(region, |state| {
        state.dynamodb.settle(now_ms);
        match operation {
            "CreateTable" => control::create(state, region, input, now_ms),
            "DescribeTable" => control::describe(state, region, input, now_ms),
            "UpdateTable" => control::update(state, region, input, now_ms),
            "DeleteTable" => control::delete(state, region, input, now_ms),
            "ListTables" => control::list(state, input),
            "DescribeContinuousBackups" => settings::describe_backups(state, input),
            "UpdateContinuousBackups" => settings::update_backups(state, input),
            "DescribeTimeToLive" => settings::describe_ttl(state, input),
            "UpdateTimeToLive" => settings::update_ttl(state, input),
            "TagResource" => tags::tag(state, region, input, now_ms),
            "UntagResource" => tags::untag(state, region, input, now_ms),
            "ListTagsOfResource" => tags::list(state, input, now_ms),
            "GetItem" => item::get(state, input, now_ms),
            "PutItem" => item::put(state, region, input, now_ms),
            "UpdateItem" => item::update(state, region, input, now_ms),
            "DeleteItem" => item::delete(state, region, input, now_ms),
            "Query" => query::query(state, input, now_ms),
            "Scan" => query::scan(state, input, now_ms),
            "BatchGetItem" => batch::get(state, input, now_ms),
            "BatchWriteItem" => batch::write(state, region, input, now_ms),
            "TransactGetItems" => transact::get(state, input, now_ms),
            "TransactWriteItems" => transact::write(state, region, input, now_ms),
            _ => Err(ApiError::not_emulated(format!("dynamodb {operation}"))),
        }
    })
}

/// Whether somebody may wait for what the operation does: stream pollers and waiters.
fn is_change(operation: &str) -> bool {
    let reads = ["Get", "Describe", "List", "Query", "Scan", "BatchGet", "TransactGet"];
    !reads.iter().any(|read| operation.starts_with(read))
}

fn invalid(message: impl Into<String>) -> ApiError {
    ApiError::bad("ValidationException", message)
}
