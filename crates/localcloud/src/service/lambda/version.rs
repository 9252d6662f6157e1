//! Published versions.

use super::errors::{conflict, invalid, precondition};
use super::function::{Function, Version};
use super::input::{Input, page};
use super::names::FunctionRef;
use crate::cloud::{Cloud, Context, Origin};
use crate::error::ApiError;
use serde_json::{Value, json};
use std::sync::Arc;

/// PublishVersion. Without a change since the last one, the last one is the answer.
pub(super) fn publish(cloud: &Cloud, ctx: &Context, input: Input<'_>) -> Result<Value, ApiError> {
    let reference = FunctionRef::parse(input.required("FunctionName")?, None)?;
    let (revision, now_ms) = (cloud.uuid(), cloud.clock().now_ms());
    let output = cloud.with(&ctx.region, |state| {
        let function = state.lambda.function_mut(&ctx.region, &reference)?;
        let latest = &function.latest;
        if ctx.origin == Origin::Wire && !latest.is_active(now_ms) {
            return Err(conflict(format!(
                "The operation cannot be performed at this time. The function is currently in the following state: \
                 Pending ({})",
                latest.arn()
            )));
        }
        if let Some(expected) = input.text("CodeSha256").filter(|expected| *expected != latest.code.sha256_base64) {
            return Err(invalid(format!(
                "CodeSHA256 ({expected}) is different from current CodeSHA256 in $LATEST ({}). Please try again with \
                 the CodeSHA256 in $LATEST.",
                latest.code.sha256_base64
            )));
        }
        if input.text("RevisionId").is_some_and(|given| given != latest.revision) {
            return Err(precondition());
        }
        Ok(publish_latest(function, input.text("Description"), revision, now_ms).render(now_ms))
    })?;
    cloud.touch();
    Ok(output)
}

/// Makes a version of `$LATEST` as it is.
pub(super) fn publish_latest(
    function: &mut Function,
    description: Option<&str>,
    revision: String,
    now_ms: i64,
) -> Arc<Version> {
    let latest = &function.latest;
    let mut settings = latest.settings.clone();
    if let Some(description) = description.filter(|text| !text.is_empty()) {
        description.clone_into(&mut settings.description);
    }
    if let Some(last) = function.published.values().next_back() {
        let same_code = last.code.sha256_base64 == latest.code.sha256_base64;
        let same_settings = {
            let mut before = last.settings.clone();
            settings.description.clone_into(&mut before.description);
            before == settings
        };
        if same_code && same_settings {
            return Arc::clone(last);
        }
    }
    let number = function.next_version;
    function.next_version += 1;
    let version = Arc::new(Version {
        region: latest.region.clone(),
        name: latest.name.clone(),
        number: Some(number),
        settings,
        code: Arc::clone(&latest.code),
        modified_ms: now_ms,
        active_at_ms: latest.active_at_ms,
        revision,
    });
    function.published.insert(number, Arc::clone(&version));
    version
}

/// ListVersionsByFunction, `$LATEST` first.
pub(super) fn list(cloud: &Cloud, ctx: &Context, input: Input<'_>) -> Result<Value, ApiError> {
    let reference = FunctionRef::parse(input.required("FunctionName")?, None)?;
    let now_ms = cloud.clock().now_ms();
    let versions: Vec<Value> = cloud.with(&ctx.region, |state| {
        let function = state.lambda.function(&ctx.region, &reference)?;
        let mut latest = function.latest.render(now_ms);
        latest["FunctionArn"] = function.latest.qualified_arn().into();
        let published = function.published.values().map(|version| version.render(now_ms));
        Ok::<_, ApiError>(std::iter::once(latest).chain(published).collect())
    })?;
    let (versions, next) = page(versions, input, 50, 50)?;
    let mut output = json!({"Versions": versions});
    if let Some(next) = next {
        output["NextMarker"] = next.into();
    }
    Ok(output)
}
