//! CloudFormation: stacks of resources, made and deleted through the other services' own operations.
//!
//! A request is checked and answered at once; what it starts goes on in the background and tells about itself in
//! events, as in AWS. One operation owns a stack at a time: the last one in its list. A later operation that may
//! take over (a delete during a creation) waits until the earlier one's task has noticed.

mod change_set;
mod engine;
mod event;
mod input;
mod naming;
mod operation;
mod page;
mod plan;
mod record;
mod resource;
mod schema;
mod stack;
mod state;
mod status;
mod template;

pub(crate) use state::State;

use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use serde_json::Value;

/// Answers one operation; input and output are in the service model's JSON form.
pub(crate) async fn call(cloud: &Cloud, ctx: &Context, operation: &str, input: Value) -> Result<Value, ApiError> {
    operation::call(cloud, ctx, operation, &input)
}
