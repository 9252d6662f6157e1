//! All stacks of a region.

use super::record::Tags;
use super::stack::{OperationKind, Stack};
use super::template::{Scope, imports, text};
use crate::error::ApiError;
use serde_json::Value;
use std::collections::BTreeMap;

/// One region's stacks, deleted ones included.
#[derive(Debug, Default)]
pub(crate) struct State {
    stacks: Vec<Stack>,
    tokens: BTreeMap<String, TokenUse>,
}

/// Who has used a client request token.
#[derive(Clone, Debug)]
struct TokenUse {
    kind: OperationKind,
    stack_id: String,
    operation_id: String,
}

impl State {
    /// All stacks, newest first.
    pub(crate) fn stacks(&self) -> impl Iterator<Item = &Stack> {
        self.stacks.iter().rev()
    }

    /// Adds a stack.
    pub(crate) fn add(&mut self, stack: Stack) {
        self.stacks.push(stack);
    }

    /// A stack by its id, or a live one by its name.
    pub(crate) fn find(&self, name_or_id: &str) -> Option<&Stack> {
        self.stacks().find(|stack| stack.id == name_or_id || (stack.is_live() && stack.name == name_or_id))
    }

    /// As [`State::find`], to change it.
    pub(crate) fn find_mut(&mut self, name_or_id: &str) -> Option<&mut Stack> {
        let fits = |stack: &&mut Stack| stack.id == name_or_id || (stack.is_live() && stack.name == name_or_id);
        self.stacks.iter_mut().rev().find(fits)
    }

    /// Exports of live stacks, by name.
    pub(crate) fn exports(&self) -> BTreeMap<String, String> {
        let outputs = self.stacks.iter().filter(|stack| stack.is_live()).flat_map(|stack| &stack.outputs);
        outputs.filter_map(|output| Some((output.export.clone()?, output.value.clone()))).collect()
    }

    /// The name of another live stack that exports `name`.
    pub(crate) fn exporter(&self, name: &str, except: &str) -> Option<&str> {
        let others = self.stacks.iter().filter(|stack| stack.is_live() && stack.id != except);
        let mut exporting =
            others.filter(|stack| stack.outputs.iter().any(|output| output.export.as_deref() == Some(name)));
        exporting.next().map(|stack| stack.name.as_str())
    }

    /// The first of `exports` that another stack imports, with that stack's name.
    pub(crate) fn export_in_use<'a>(&self, stack_id: &str, exports: &'a [String]) -> Option<(&'a str, &str)> {
        let all = self.exports();
        let others = self.stacks.iter().filter(|stack| stack.is_live() && stack.id != stack_id);
        others.into_iter().find_map(|stack| {
            let imported = imported(stack, &all);
            let used = exports.iter().find(|export| imported.contains(export))?;
            Some((used.as_str(), stack.name.as_str()))
        })
    }

    /// The operation that an earlier request with this token has started: the same request again is answered as
    /// the first was, another one is refused.
    pub(crate) fn repeated(
        &self,
        token: Option<&str>,
        kind: OperationKind,
        name_or_id: &str,
    ) -> Result<Option<(String, String)>, ApiError> {
        let Some(seen) = token.and_then(|token| self.tokens.get(token)) else { return Ok(None) };
        let same_stack = self
            .stacks
            .iter()
            .any(|stack| stack.id == seen.stack_id && (stack.id == name_or_id || stack.name == name_or_id));
        if seen.kind == kind && same_stack {
            return Ok(Some((seen.stack_id.clone(), seen.operation_id.clone())));
        }
        Err(ApiError::bad(
            "TokenAlreadyExistsException",
            format!("ClientRequestToken [{}] is already in use by another operation", token.unwrap_or_default()),
        ))
    }

    /// Remembers a token.
    pub(crate) fn remember(&mut self, token: Option<&str>, kind: OperationKind, stack_id: &str, operation_id: &str) {
        if let Some(token) = token {
            let seen = TokenUse { kind, stack_id: stack_id.to_owned(), operation_id: operation_id.to_owned() };
            self.tokens.insert(token.to_owned(), seen);
        }
    }
}

/// Names of exports that a stack imports, resolved with its own parameters and resources.
fn imported(stack: &Stack, exports: &BTreeMap<String, String>) -> Vec<String> {
    let Some(inputs) = &stack.inputs else { return Vec::new() };
    let scope = Scope { inputs, resources: &stack.resources, exports };
    let active = inputs.active().filter_map(|name| inputs.template.resources.get(name));
    let properties = active.flat_map(|definition| definition.properties.values());
    let outputs = inputs.template.outputs.values().map(|output| &output.value);
    let arguments = properties.chain(outputs).flat_map(imports);
    let name = |argument: &Value| scope.evaluate(argument).ok().flatten().as_ref().and_then(text);
    arguments.filter_map(name).collect()
}

/// Tags of a stack and a resource's own; the resource's win.
pub(crate) fn merged(stack: &Tags, own: &Tags) -> Tags {
    stack.iter().chain(own).map(|(key, value)| (key.clone(), value.clone())).collect()
}
