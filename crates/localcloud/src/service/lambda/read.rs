//! Reading functions.

use super::input::{Input, page};
use super::names::FunctionRef;
use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use serde_json::{Value, json};

/// GetFunction.
pub(super) fn function(cloud: &Cloud, ctx: &Context, input: Input<'_>) -> Result<Value, ApiError> {
    let reference = FunctionRef::parse(input.required("FunctionName")?, input.text("Qualifier"))?;
    let (now_ms, endpoint) = (cloud.clock().now_ms(), cloud.endpoint());
    cloud.with(&ctx.region, |state| {
        let version = state.lambda.version(&ctx.region, &reference)?;
        let function = state.lambda.function(&ctx.region, &reference)?;
        let mut output = json!({
            "Configuration": version.render(now_ms),
            // Packages are kept unzipped only, so that nothing answers at this address.
            "Code": {"RepositoryType": "S3", "Location": format!("{endpoint}/packages/{}", version.code.sha256_base64)},
        });
        if !function.tags.is_empty() {
            output["Tags"] = json!(function.tags);
        }
        if let Some(reserved) = function.reserved_concurrency {
            output["Concurrency"] = json!({"ReservedConcurrentExecutions": reserved});
        }
        Ok(output)
    })
}

/// GetFunctionConfiguration.
pub(super) fn configuration(cloud: &Cloud, ctx: &Context, input: Input<'_>) -> Result<Value, ApiError> {
    let reference = FunctionRef::parse(input.required("FunctionName")?, input.text("Qualifier"))?;
    let now_ms = cloud.clock().now_ms();
    cloud.with(&ctx.region, |state| Ok(state.lambda.version(&ctx.region, &reference)?.render(now_ms)))
}

/// GetAccountSettings: the quotas that an account has by default (Lambda quotas); nothing enforces them here.
pub(super) fn account_settings(cloud: &Cloud, ctx: &Context) -> Value {
    let functions = cloud.with(&ctx.region, |state| state.lambda.functions.len());
    json!({
        "AccountLimit": {
            "TotalCodeSize": 80_530_636_800_i64,
            "CodeSizeUnzipped": 262_144_000,
            "CodeSizeZipped": 52_428_800,
            "ConcurrentExecutions": 1000,
            "UnreservedConcurrentExecutions": 1000,
        },
        "AccountUsage": { "TotalCodeSize": 0, "FunctionCount": functions },
    })
}

/// GetFunctionCodeSigningConfig: never any.
pub(super) fn code_signing(cloud: &Cloud, ctx: &Context, input: Input<'_>) -> Result<Value, ApiError> {
    let reference = FunctionRef::parse(input.required("FunctionName")?, None)?;
    cloud.with(&ctx.region, |state| state.lambda.function(&ctx.region, &reference).map(drop))?;
    Ok(json!({"FunctionName": reference.name}))
}

/// ListFunctions, in pages of at most 50; with `FunctionVersion: ALL` every version is an entry.
pub(super) fn list(cloud: &Cloud, ctx: &Context, input: Input<'_>) -> Result<Value, ApiError> {
    let all = input.text("FunctionVersion") == Some("ALL");
    let now_ms = cloud.clock().now_ms();
    let functions = cloud.with(&ctx.region, |state| {
        let mut found = Vec::new();
        for function in state.lambda.functions.values() {
            found.push(function.latest.render(now_ms));
            if all {
                found.extend(function.published.values().map(|version| version.render(now_ms)));
            }
        }
        found
    });
    let (functions, next) = page(functions, input, 50, 50)?;
    let mut output = json!({"Functions": functions});
    if let Some(next) = next {
        output["NextMarker"] = next.into();
    }
    Ok(output)
}
