//! CreateFunction.

use super::errors::conflict;
use super::function::{Function, Version};
use super::input::Input;
use super::names::{FunctionRef, function_arn};
use super::{package, settings, version};
use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use crate::service::tagging;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;

/// How long a new function is Pending, by the cloud's clock.
const PENDING_MS: i64 = 20;

/// Creates a function and, with `Publish`, its first version.
pub(super) async fn create(cloud: &Cloud, ctx: &Context, input: Input<'_>) -> Result<Value, ApiError> {
    let reference = FunctionRef::parse(input.required("FunctionName")?, None)?;
    let exists = |state: &mut crate::service::State| state.lambda.functions.contains_key(&reference.name);
    if cloud.with(&ctx.region, exists) {
        return Err(already(&reference.name));
    }
    if input.text("PackageType").is_some_and(|kind| kind != "Zip") {
        return Err(ApiError::not_emulated("functions from container images"));
    }
    let settings = settings::new(input)?;
    let tags = input.texts("Tags");
    let source = input.nested("Code").unwrap_or(Input(&Value::Null));
    let code = package::load(cloud, ctx, source).await?;
    let now_ms = cloud.clock().now_ms();
    let latest = Arc::new(Version {
        region: ctx.region.clone(),
        name: reference.name.clone(),
        number: None,
        settings,
        code,
        modified_ms: now_ms,
        active_at_ms: now_ms.saturating_add(PENDING_MS),
        revision: cloud.uuid(),
    });
    let publish = input.boolean("Publish").unwrap_or(false).then(|| cloud.uuid());
    let output = cloud.with(&ctx.region, |state| {
        if state.lambda.functions.contains_key(&reference.name) {
            return Err(already(&reference.name));
        }
        let mut function = Function {
            latest: Arc::clone(&latest),
            published: BTreeMap::new(),
            next_version: 1,
            aliases: BTreeMap::new(),
            tags: tags.clone(),
            permissions: Vec::new(),
            reserved_concurrency: None,
        };
        let shown = match publish {
            Some(revision) => version::publish_latest(&mut function, None, revision, now_ms),
            None => latest,
        };
        state.lambda.functions.insert(reference.name.clone(), function);
        tagging::put(state, &function_arn(&ctx.region, &reference.name), &tags);
        Ok(shown.render(now_ms))
    })?;
    cloud.touch();
    Ok(output)
}

fn already(name: &str) -> ApiError {
    conflict(format!("Function already exist: {name}"))
}
