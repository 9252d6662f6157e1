//! Starting operations: they take a stack over and move it to their first status.

use super::super::engine::Run;
use super::super::stack::{Operation, OperationKind, Stack};
use super::super::state::State;
use super::super::status::Status;
use crate::cloud::{Cloud, Context};
use crate::fault::Effect;
use std::sync::Arc;

/// What an operation begins with.
pub(super) struct Beginning<'a> {
    pub(super) kind: OperationKind,
    pub(super) token: Option<&'a str>,
    pub(super) status: Status,
    pub(super) effects: Vec<Effect>,
}

/// Registers the operation as the stack's last one and moves the stack. The caller spawns the run's task.
pub(super) fn begin(
    cloud: &Cloud,
    ctx: &Context,
    state: &mut State,
    stack_id: &str,
    beginning: Beginning<'_>,
) -> Option<Arc<Run>> {
    let operation = Operation { id: cloud.uuid(), kind: beginning.kind, token: beginning.token.map(str::to_owned) };
    state.remember(beginning.token, beginning.kind, stack_id, &operation.id);
    let stack = state.find_mut(stack_id)?;
    stack.operations.push(operation.clone());
    stack.busy.insert(operation.id.clone());
    stack.detailed = None;
    let reason = Some("User Initiated".to_owned());
    stack.enter(&operation, cloud.uuid(), cloud.clock().now_ms(), beginning.status, reason);
    let names = (stack.id.as_str(), stack.name.as_str());
    Some(Arc::new(Run::new(cloud, &ctx.region, names, operation, beginning.effects)))
}

/// A change of mind about which stack a token may name: the id of the live stack, or the name as it is.
pub(super) fn id_of(state: &State, name_or_id: &str) -> String {
    state.find(name_or_id).map_or_else(|| name_or_id.to_owned(), |stack: &Stack| stack.id.clone())
}
