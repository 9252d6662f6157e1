//! Lambda functions: configuration, versions, aliases, invocation.

use super::budget::Lane;
use super::clients::Clients;
use super::listing::{Listing, PageCap, pages};
use super::outcome::{Failure, Outcome, require, settle};
use aws_sdk_lambda::primitives::Blob;
use aws_smithy_types::timeout::TimeoutConfig;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::time::Duration;

/// A function (or a version of it) as `GetFunctionConfiguration` shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// Name.
    pub name: String,
    /// ARN, with the version if one was asked for.
    pub arn: String,
    /// Version, `$LATEST` for the unpublished one.
    pub version: String,
    /// SHA-256 of the zip, base64, as the service computed it.
    pub code_sha256: String,
    /// Handler.
    pub handler: Option<String>,
    /// Timeout, seconds.
    pub timeout_s: u32,
    /// Durable execution timeout, seconds; absent for a function that is not durable.
    pub execution_timeout_s: Option<u32>,
    /// Days that durable executions are kept.
    pub retention_days: Option<u32>,
    /// Log group that the function writes to.
    pub log_group: Option<String>,
    /// Environment variables, sorted by name.
    pub environment: Vec<(String, String)>,
    /// `Active`, `Pending`, …
    pub state: Option<String>,
}

/// A published version's number and digest.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FunctionVersion {
    /// `$LATEST` or a number.
    pub version: String,
    /// ARN with the version.
    pub arn: String,
    /// SHA-256 of the zip, base64.
    pub code_sha256: Option<String>,
}

/// An alias and the version that it points to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alias {
    /// ARN.
    pub arn: String,
    /// Name.
    pub name: String,
    /// Version.
    pub version: String,
}

/// What came back from a synchronous invocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// Lambda request id.
    pub request_id: Option<String>,
    /// `Handled` or `Unhandled` when the function itself failed.
    pub function_error: Option<String>,
    /// Version that ran.
    pub executed_version: Option<String>,
    /// Durable execution that was started.
    pub durable_execution_arn: Option<String>,
    /// Answer.
    pub payload: Vec<u8>,
}

/// Configuration of a function, of its alias or of a version.
pub async fn configuration(clients: &Clients, function: &str, qualifier: Option<&str>) -> Outcome<Function> {
    const OPERATION: &str = "GetFunctionConfiguration";
    settle(async {
        let call = || {
            let call = clients.sdk().lambda.get_function_configuration().function_name(function);
            call.set_qualifier(qualifier.map(str::to_owned)).send()
        };
        let f = clients.read(Lane::LambdaControl, OPERATION, call).await?;
        let number = |n: i32| u32::try_from(n).ok();
        let durable = f.durable_config.as_ref();
        let variables = f.environment.and_then(|e| e.variables).unwrap_or_default();
        let mut environment: Vec<_> = variables.into_iter().collect();
        environment.sort();
        Ok(Function {
            name: require(OPERATION, "FunctionName", f.function_name)?,
            arn: require(OPERATION, "FunctionArn", f.function_arn)?,
            version: require(OPERATION, "Version", f.version)?,
            code_sha256: require(OPERATION, "CodeSha256", f.code_sha256)?,
            handler: f.handler,
            timeout_s: require(OPERATION, "Timeout", f.timeout.and_then(number))?,
            execution_timeout_s: durable.and_then(|d| d.execution_timeout).and_then(number),
            retention_days: durable.and_then(|d| d.retention_period_in_days).and_then(number),
            log_group: f.logging_config.and_then(|l| l.log_group),
            environment,
            state: f.state.map(|s| s.as_str().to_owned()),
        })
    })
    .await
}

/// Tags of a function or of an event source mapping, by ARN; versions and aliases have none.
pub async fn tags(clients: &Clients, arn: &str) -> Outcome<BTreeMap<String, String>> {
    settle(async {
        let call = || clients.sdk().lambda.list_tags().resource(arn).send();
        let answer = clients.read(Lane::LambdaControl, "ListTags", call).await?;
        Ok(answer.tags.unwrap_or_default().into_iter().collect())
    })
    .await
}

/// Every version of a function, `$LATEST` first.
pub async fn versions(clients: &Clients, function: &str, cap: PageCap) -> Outcome<Listing<FunctionVersion>> {
    const OPERATION: &str = "ListVersionsByFunction";
    settle(pages(OPERATION, cap, async |marker: Option<String>| {
        let call = || {
            let call = clients.sdk().lambda.list_versions_by_function().function_name(function);
            call.set_marker(marker.clone()).send()
        };
        let answer = clients.read(Lane::LambdaControl, OPERATION, call).await?;
        let items = answer.versions.unwrap_or_default().into_iter().map(|v| {
            Ok(FunctionVersion {
                version: require(OPERATION, "Version", v.version)?,
                arn: require(OPERATION, "FunctionArn", v.function_arn)?,
                code_sha256: v.code_sha256,
            })
        });
        Ok((items.collect::<Result<Vec<_>, Failure>>()?, answer.next_marker))
    }))
    .await
}

/// Every alias of a function.
pub async fn aliases(clients: &Clients, function: &str, cap: PageCap) -> Outcome<Listing<Alias>> {
    const OPERATION: &str = "ListAliases";
    settle(pages(OPERATION, cap, async |marker: Option<String>| {
        let call = || clients.sdk().lambda.list_aliases().function_name(function).set_marker(marker.clone()).send();
        let answer = clients.read(Lane::LambdaControl, OPERATION, call).await?;
        let items = answer.aliases.unwrap_or_default().into_iter().map(|a| {
            Ok(Alias {
                arn: require(OPERATION, "AliasArn", a.alias_arn)?,
                name: require(OPERATION, "Name", a.name)?,
                version: require(OPERATION, "FunctionVersion", a.function_version)?,
            })
        });
        Ok((items.collect::<Result<Vec<_>, Failure>>()?, answer.next_marker))
    }))
    .await
}

/// Names of the functions that start with `prefix`; `ListFunctions` has no filter, so all pages are read.
pub async fn list_by_prefix(clients: &Clients, prefix: &str, cap: PageCap) -> Outcome<Listing<String>> {
    const OPERATION: &str = "ListFunctions";
    settle(pages(OPERATION, cap, async |marker: Option<String>| {
        let call = || clients.sdk().lambda.list_functions().set_marker(marker.clone()).send();
        let answer = clients.read(Lane::LambdaControl, OPERATION, call).await?;
        let names = answer.functions.unwrap_or_default().into_iter().filter_map(|f| f.function_name);
        Ok((names.filter(|name| name.starts_with(prefix)).collect(), answer.next_marker))
    }))
    .await
}

/// Invokes synchronously and leaves once; a timeout leaves the outcome unknown, for the function may have run.
pub async fn invoke(clients: &Clients, function: &str, payload: Vec<u8>, timeout: Duration) -> Outcome<Invocation> {
    let timeouts = TimeoutConfig::builder()
        .connect_timeout(clients.tuning().connect_timeout)
        .read_timeout(timeout)
        .operation_attempt_timeout(timeout)
        .operation_timeout(timeout)
        .build();
    let call = clients
        .sdk()
        .lambda
        .invoke()
        .function_name(function)
        .payload(Blob::new(payload))
        .customize()
        .config_override(aws_sdk_lambda::config::Builder::new().timeout_config(timeouts));
    settle(async {
        let answer = clients.write(Lane::LambdaInvoke, "Invoke", call.send()).await?;
        Ok(Invocation {
            request_id: aws_types::request_id::RequestId::request_id(&answer).map(str::to_owned),
            function_error: answer.function_error,
            executed_version: answer.executed_version,
            durable_execution_arn: answer.durable_execution_arn,
            payload: answer.payload.map(Blob::into_inner).unwrap_or_default(),
        })
    })
    .await
}
