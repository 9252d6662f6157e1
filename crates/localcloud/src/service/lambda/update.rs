//! UpdateFunctionCode and UpdateFunctionConfiguration: both replace `$LATEST`.

use super::errors::precondition;
use super::function::Version;
use super::input::Input;
use super::names::FunctionRef;
use super::{package, settings, version};
use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use crate::lambda::code::Code;
use serde_json::Value;
use std::sync::Arc;

/// Puts other code under `$LATEST`.
pub(super) async fn code(cloud: &Cloud, ctx: &Context, input: Input<'_>) -> Result<Value, ApiError> {
    let reference = FunctionRef::parse(input.required("FunctionName")?, None)?;
    cloud.with(&ctx.region, |state| state.lambda.function(&ctx.region, &reference).map(drop))?;
    let code = package::load(cloud, ctx, input).await?;
    let replaced = replace(cloud, ctx, &reference, input, |latest| Ok(changed(latest, Some(code), None)))?;
    if !input.boolean("Publish").unwrap_or(false) {
        return Ok(replaced);
    }
    let (revision, now_ms) = (cloud.uuid(), cloud.clock().now_ms());
    cloud.with(&ctx.region, |state| {
        let function = state.lambda.function_mut(&ctx.region, &reference)?;
        Ok(version::publish_latest(function, None, revision, now_ms).render(now_ms))
    })
}

/// Changes settings of `$LATEST`.
pub(super) fn configuration(cloud: &Cloud, ctx: &Context, input: Input<'_>) -> Result<Value, ApiError> {
    let reference = FunctionRef::parse(input.required("FunctionName")?, None)?;
    replace(cloud, ctx, &reference, input, |latest| {
        let mut settings = latest.settings.clone();
        settings::change(&mut settings, input)?;
        Ok(changed(latest, None, Some(settings)))
    })
}

fn changed(latest: &Version, code: Option<Arc<Code>>, settings: Option<super::function::Settings>) -> Version {
    Version {
        region: latest.region.clone(),
        name: latest.name.clone(),
        number: None,
        settings: settings.unwrap_or_else(|| latest.settings.clone()),
        code: code.unwrap_or_else(|| Arc::clone(&latest.code)),
        modified_ms: latest.modified_ms,
        active_at_ms: latest.active_at_ms,
        revision: String::new(),
    }
}

fn replace(
    cloud: &Cloud,
    ctx: &Context,
    reference: &FunctionRef,
    input: Input<'_>,
    change: impl FnOnce(&Version) -> Result<Version, ApiError>,
) -> Result<Value, ApiError> {
    let (revision, now_ms) = (cloud.uuid(), cloud.clock().now_ms());
    let output = cloud.with(&ctx.region, |state| {
        let function = state.lambda.function_mut(&ctx.region, reference)?;
        if input.text("RevisionId").is_some_and(|given| given != function.latest.revision) {
            return Err(precondition());
        }
        let mut next = change(&function.latest)?;
        next.modified_ms = now_ms;
        next.revision = revision;
        let output = next.render(now_ms);
        let before = std::mem::replace(&mut function.latest, Arc::new(next));
        state.lambda.pool.retire(&before.revision);
        Ok(output)
    })?;
    cloud.touch();
    Ok(output)
}
