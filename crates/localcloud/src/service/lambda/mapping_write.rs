//! Changing and deleting event source mappings.

use super::input::Input;
use super::mapping::{Mapping, MappingState};
use super::mapping_create::{check, rules};
use super::mapping_read::unknown;
use super::names::FunctionRef;
use crate::cloud::{Cloud, Context, Origin};
use crate::error::ApiError;
use serde_json::Value;

/// UpdateEventSourceMapping.
pub(super) async fn update(cloud: &Cloud, ctx: &Context, input: Input<'_>) -> Result<Value, ApiError> {
    let uuid = input.required("UUID")?;
    let (source, arn, function, version) = cloud.with(&ctx.region, |state| {
        let mapping = state.lambda.mappings.get(uuid).ok_or_else(|| unknown(uuid))?;
        let function = match input.text("FunctionName") {
            Some(name) => FunctionRef::parse(name, None)?,
            None => mapping.function.clone(),
        };
        let version = state.lambda.version(&ctx.region, &function)?.clone();
        Ok::<_, ApiError>((mapping.source, mapping.source_arn.clone(), function, version))
    })?;
    check(cloud, ctx, source, &arn, &function, &version).await?;
    let now_ms = cloud.clock().now_ms();
    change(cloud, ctx, uuid, |mapping| {
        mapping.rules = rules(source, input, Some(&mapping.rules))?;
        mapping.function = function;
        mapping.modified_ms = now_ms;
        let wanted = input.boolean("Enabled").unwrap_or(mapping.enabled);
        mapping.state = match (mapping.enabled, wanted) {
            (false, true) => MappingState::Enabling,
            (true, false) => MappingState::Disabling,
            (true, true) => MappingState::Updating,
            (false, false) => MappingState::Disabled,
        };
        mapping.enabled = wanted;
        Ok(())
    })
}

/// DeleteEventSourceMapping: answers `Deleting`; the mapping is gone a moment later.
pub(super) fn delete(cloud: &Cloud, ctx: &Context, input: Input<'_>) -> Result<Value, ApiError> {
    change(cloud, ctx, input.required("UUID")?, |mapping| {
        mapping.state = MappingState::Deleting;
        mapping.enabled = false;
        Ok(())
    })
}

fn change(
    cloud: &Cloud,
    ctx: &Context,
    uuid: &str,
    act: impl FnOnce(&mut Mapping) -> Result<(), ApiError>,
) -> Result<Value, ApiError> {
    let output = cloud.with(&ctx.region, |state| {
        let mapping = state.lambda.mappings.get_mut(uuid).ok_or_else(|| unknown(uuid))?;
        // CloudFormation would wait for the mapping to settle first; here it need not.
        let may_interrupt = ctx.origin == Origin::CloudFormation && mapping.state != MappingState::Deleting;
        if mapping.state.is_moving() && !may_interrupt {
            return Err(ApiError::bad(
                "ResourceInUseException",
                format!(
                    "Cannot update the event source mapping because it is in use. (state of {uuid}: {:?})",
                    mapping.state
                ),
            ));
        }
        act(mapping)?;
        mapping.reason = "USER_INITIATED";
        mapping.touch();
        Ok(mapping.render(&ctx.region))
    })?;
    cloud.touch();
    Ok(output)
}
