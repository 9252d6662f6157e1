//! Outputs and exports.

use super::super::stack::{Output, Stack};
use super::super::template::{Inputs, OutputDefinition, Scope, invalid};
use super::Run;
use crate::error::ApiError;
use crate::service::State;

/// Evaluates all outputs and puts them on the stack.
pub(super) fn publish(run: &Run, inputs: &Inputs) -> Result<(), ApiError> {
    run.cloud.with(run.region(), |state| {
        let outputs = evaluate(state, run, inputs)?;
        for name in outputs.iter().filter_map(|output| output.export.as_ref()) {
            if let Some(owner) = state.cloudformation.exporter(name, &run.stack_id) {
                return Err(invalid(format!("Export with name {name} is already exported by stack {owner}.")));
            }
        }
        if let Some(stack) = state.cloudformation.find_mut(&run.stack_id) {
            stack.outputs = outputs;
        }
        Ok(())
    })
}

fn evaluate(state: &State, run: &Run, inputs: &Inputs) -> Result<Vec<Output>, ApiError> {
    let exports = state.cloudformation.exports();
    let Some(stack) = state.cloudformation.find(&run.stack_id) else { return Ok(Vec::new()) };
    let active = inputs.template.outputs.iter().filter(|(_, output)| inputs.holds(output.condition.as_ref()));
    active.map(|(key, definition)| output(stack, inputs, &exports, key, definition)).collect()
}

fn output(
    stack: &Stack,
    inputs: &Inputs,
    exports: &std::collections::BTreeMap<String, String>,
    key: &str,
    definition: &OutputDefinition,
) -> Result<Output, ApiError> {
    let scope = Scope { inputs, resources: &stack.resources, exports };
    let value = scope.scalar(&definition.value, &format!("the value of output {key}"))?;
    let export = match &definition.export {
        Some(name) => Some(scope.scalar(name, &format!("the export name of output {key}"))?),
        None => None,
    };
    Ok(Output { key: key.to_owned(), value, description: definition.description.clone(), export })
}
