//! DeleteFunction.

use super::errors::{conflict, function_missing, invalid};
use super::input::Input;
use super::names::{FunctionRef, LATEST, function_arn};
use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use crate::service::tagging;
use serde_json::{Value, json};

/// Deletes a version, or the function with its versions, aliases and executions. Event source mappings stay.
pub(super) fn delete(cloud: &Cloud, ctx: &Context, input: Input<'_>) -> Result<Value, ApiError> {
    let reference = FunctionRef::parse(input.required("FunctionName")?, input.text("Qualifier"))?;
    let now_ms = cloud.clock().now_ms();
    cloud.with(&ctx.region, |state| match reference.qualifier.as_deref() {
        None => {
            let function = state.lambda.functions.remove(&reference.name);
            let function = function.ok_or_else(|| function_missing(&reference.arn(&ctx.region)))?;
            state.lambda.pool.retire(&function.latest.revision);
            for version in function.published.values() {
                state.lambda.pool.retire(&version.revision);
            }
            state.lambda.executions.forget_function(&reference.name, now_ms);
            tagging::deleted(state, &function_arn(&ctx.region, &reference.name), now_ms);
            Ok(())
        }
        Some(LATEST) => Err(invalid("$LATEST version cannot be deleted without deleting the function.")),
        Some(qualifier) => {
            let function = state.lambda.function_mut(&ctx.region, &reference)?;
            let number = qualifier.parse::<u64>();
            let number = number.map_err(|_| invalid("Deletion of aliases is not currently supported."))?;
            if function.aliases.values().any(|alias| alias.version == number) {
                return Err(conflict(format!(
                    "Version of function {} cannot be deleted because it is pointed to by an alias",
                    reference.name
                )));
            }
            if let Some(version) = function.published.remove(&number) {
                state.lambda.pool.retire(&version.revision);
            }
            Ok(())
        }
    })?;
    cloud.touch();
    Ok(json!({}))
}
