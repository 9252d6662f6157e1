//! Tags of functions and event source mappings.

use super::errors::{function_missing, invalid, missing};
use super::input::Input;
use super::names::FunctionRef;
use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use crate::service::{State, tagging};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Answers TagResource, UntagResource or ListTags.
pub(super) fn call(cloud: &Cloud, ctx: &Context, operation: &str, input: Input<'_>) -> Result<Value, ApiError> {
    let arn = input.required("Resource")?;
    let output = cloud.with(&ctx.region, |state| {
        let tags = find(state, &ctx.region, arn)?;
        match operation {
            "TagResource" => tags.extend(input.texts("Tags")),
            "UntagResource" => {
                let keys = input.list("TagKeys");
                tags.retain(|key, _| !keys.contains(key));
            }
            _ => return Ok(json!({"Tags": tags})),
        }
        let tags = tags.clone();
        tagging::put(state, arn, &tags);
        Ok(json!({}))
    })?;
    if operation != "ListTags" {
        cloud.touch();
    }
    Ok(output)
}

fn find<'a>(state: &'a mut State, region: &str, arn: &str) -> Result<&'a mut BTreeMap<String, String>, ApiError> {
    if let Some((_, uuid)) = arn.split_once(":event-source-mapping:") {
        let mapping = state.lambda.mappings.get_mut(uuid);
        return mapping.map(|mapping| &mut mapping.tags).ok_or_else(|| missing(format!("Resource not found: {arn}")));
    }
    if !arn.starts_with("arn:") {
        return Err(invalid(format!("Invalid resource ARN: {arn}")));
    }
    let reference = FunctionRef::parse(arn, None)?;
    if reference.qualifier.is_some() {
        return Err(invalid("Tags on function aliases and versions are not supported. Please specify a function ARN."));
    }
    let function = state.lambda.functions.get_mut(&reference.name);
    function.map(|function| &mut function.tags).ok_or_else(|| function_missing(&reference.arn(region)))
}
