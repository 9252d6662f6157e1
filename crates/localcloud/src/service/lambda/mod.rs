//! Lambda's control plane. Its data plane is `crate::lambda`.

mod alias;
mod concurrency;
mod create;
mod delete;
pub(crate) mod errors;
mod executions;
pub(crate) mod function;
pub(crate) mod input;
mod invoke;
pub(crate) mod mapping;
mod mapping_create;
mod mapping_read;
mod mapping_write;
pub(crate) mod names;
mod package;
mod permission;
mod read;
mod settings;
mod tags;
mod update;
mod version;

use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use crate::lambda::code::Code;
use crate::lambda::durable::Executions;
use crate::lambda::pool::Pool;
use errors::function_missing;
use function::{Function, Version};
use input::Input;
use mapping::Mapping;
use names::FunctionRef;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

/// One region's state of this service.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) functions: BTreeMap<String, Function>,
    /// Event source mappings by UUID.
    pub(crate) mappings: BTreeMap<String, Mapping>,
    pub(crate) executions: Executions,
    pub(crate) pool: Pool,
    /// Unzipped packages by their digest, for as long as a version uses them.
    packages: BTreeMap<String, Weak<Code>>,
}

impl State {
    /// The version that a reference names.
    pub(crate) fn version(&self, region: &str, reference: &FunctionRef) -> Result<&Arc<Version>, ApiError> {
        let function = self.function(region, reference)?;
        function.version(reference.qualifier.as_deref()).ok_or_else(|| function_missing(&reference.arn(region)))
    }

    /// The function that a reference names; the qualifier is not looked at.
    fn function(&self, region: &str, reference: &FunctionRef) -> Result<&Function, ApiError> {
        self.functions.get(&reference.name).ok_or_else(|| function_missing(&reference.arn(region)))
    }

    fn function_mut(&mut self, region: &str, reference: &FunctionRef) -> Result<&mut Function, ApiError> {
        self.functions.get_mut(&reference.name).ok_or_else(|| function_missing(&reference.arn(region)))
    }

    /// Whether a version is still there, so that its environments are of use.
    pub(crate) fn holds(&self, version: &Version) -> bool {
        let Some(function) = self.functions.get(&version.name) else { return false };
        let mut all = std::iter::once(&function.latest).chain(function.published.values());
        all.any(|held| held.revision == version.revision)
    }
}

/// Answers one operation; input and output are in the service model's JSON form.
pub(crate) async fn call(cloud: &Cloud, ctx: &Context, operation: &str, input: Value) -> Result<Value, ApiError> {
    let input = Input(&input);
    match operation {
        "CreateFunction" => create::create(cloud, ctx, input).await,
        "UpdateFunctionCode" => update::code(cloud, ctx, input).await,
        "UpdateFunctionConfiguration" => update::configuration(cloud, ctx, input),
        "DeleteFunction" => delete::delete(cloud, ctx, input),
        "GetFunction" => read::function(cloud, ctx, input),
        "GetFunctionConfiguration" => read::configuration(cloud, ctx, input),
        "ListFunctions" => read::list(cloud, ctx, input),
        "GetFunctionCodeSigningConfig" => read::code_signing(cloud, ctx, input),
        "PublishVersion" => version::publish(cloud, ctx, input),
        "ListVersionsByFunction" => version::list(cloud, ctx, input),
        "CreateAlias" | "UpdateAlias" | "GetAlias" | "DeleteAlias" | "ListAliases" => {
            alias::call(cloud, ctx, operation, input)
        }
        "AddPermission" | "GetPolicy" | "RemovePermission" => permission::call(cloud, ctx, operation, input),
        "TagResource" | "UntagResource" | "ListTags" => tags::call(cloud, ctx, operation, input),
        "PutFunctionConcurrency" | "GetFunctionConcurrency" | "DeleteFunctionConcurrency" => {
            concurrency::call(cloud, ctx, operation, input)
        }
        "GetAccountSettings" => Ok(read::account_settings(cloud, ctx)),
        "Invoke" => invoke::invoke(cloud, ctx, input).await,
        "CreateEventSourceMapping" => mapping_create::create(cloud, ctx, input).await,
        "UpdateEventSourceMapping" => mapping_write::update(cloud, ctx, input).await,
        "DeleteEventSourceMapping" => mapping_write::delete(cloud, ctx, input),
        "GetEventSourceMapping" => mapping_read::get(cloud, ctx, input),
        "ListEventSourceMappings" => mapping_read::list(cloud, ctx, input),
        other => executions::call(cloud, ctx, other, input),
    }
}
