//! Reading event source mappings.

use super::errors::missing;
use super::input::{Input, page};
use super::names::FunctionRef;
use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use serde_json::{Value, json};

/// GetEventSourceMapping.
pub(super) fn get(cloud: &Cloud, ctx: &Context, input: Input<'_>) -> Result<Value, ApiError> {
    let uuid = input.required("UUID")?;
    cloud.with(&ctx.region, |state| {
        let mapping = state.lambda.mappings.get(uuid);
        mapping.map(|mapping| mapping.render(&ctx.region)).ok_or_else(|| unknown(uuid))
    })
}

/// The error for a mapping that is not there.
pub(super) fn unknown(uuid: &str) -> ApiError {
    missing(format!("The resource you requested does not exist. (event source mapping {uuid})"))
}

/// ListEventSourceMappings by source, by function, both or neither; at most 100 a page.
pub(super) fn list(cloud: &Cloud, ctx: &Context, input: Input<'_>) -> Result<Value, ApiError> {
    let function = input.text("FunctionName").map(|name| FunctionRef::parse(name, None)).transpose()?;
    let source = input.text("EventSourceArn");
    let found: Vec<Value> = cloud.with(&ctx.region, |state| {
        let wanted = state.lambda.mappings.values().filter(|mapping| {
            source.is_none_or(|arn| arn == mapping.source_arn)
                && function.as_ref().is_none_or(|function| mapping.is_of(&ctx.region, function))
        });
        wanted.map(|mapping| mapping.render(&ctx.region)).collect()
    });
    let (mappings, next) = page(found, input, 100, 100)?;
    let mut output = json!({"EventSourceMappings": mappings});
    if let Some(next) = next {
        output["NextMarker"] = next.into();
    }
    Ok(output)
}
