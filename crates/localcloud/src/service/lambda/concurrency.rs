//! Reserved concurrency.

use super::errors::invalid;
use super::input::Input;
use super::names::FunctionRef;
use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use serde_json::{Value, json};

/// Answers PutFunctionConcurrency, GetFunctionConcurrency or DeleteFunctionConcurrency.
pub(super) fn call(cloud: &Cloud, ctx: &Context, operation: &str, input: Input<'_>) -> Result<Value, ApiError> {
    let reference = FunctionRef::parse(input.required("FunctionName")?, None)?;
    let asked = input.bounded("ReservedConcurrentExecutions", 0, 1000)?;
    cloud.with(&ctx.region, |state| {
        let function = state.lambda.function_mut(&ctx.region, &reference)?;
        match operation {
            "PutFunctionConcurrency" => {
                let asked = asked.ok_or_else(|| invalid("ReservedConcurrentExecutions is required"))?;
                function.reserved_concurrency = usize::try_from(asked).ok();
            }
            "DeleteFunctionConcurrency" => function.reserved_concurrency = None,
            _ => {}
        }
        Ok(match function.reserved_concurrency {
            Some(reserved) if operation != "DeleteFunctionConcurrency" => {
                json!({"ReservedConcurrentExecutions": reserved})
            }
            _ => json!({}),
        })
    })
}
