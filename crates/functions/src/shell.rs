//! The shell around the handlers: the only place that knows Lambda's runtime. Clients are made once per environment.

use crate::caller::{Caller, CallerError, conventional, durable};
use crate::config::{CallerConfig, ConfigError, ControllerConfig, Env, ProviderConfig, StepRetry};
use crate::controller::{self, Controller};
use crate::dynamo::{ControllerTables, JournalTable, ProviderTables};
use crate::event::{SqsEvent, StreamEvent};
use crate::ports::SystemClock;
use crate::provider::{self, PaymentProvider, Reply};
use crate::provider_client::{LambdaProvider, ProviderCall};
use aws_config::environment::{EnvironmentVariableCredentialsProvider, EnvironmentVariableRegionProvider};
use aws_config::{BehaviorVersion, SdkConfig};
use aws_durable_execution_sdk as sdk;
use lambda_runtime::{Diagnostic, Error, LambdaEvent, service_fn};
use serde_json::Value;
use std::str::FromStr;
use std::sync::Arc;

/// Which function this process is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The caller behind SQS redelivery.
    CallerConventional,
    /// The caller inside a durable execution.
    CallerDurable,
    /// The payment provider.
    Provider,
    /// The barrier's controller.
    Controller,
}

/// `_HANDLER` names no role.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no role of this binary; set the function's Handler to caller-conventional, caller-durable, provider or \
     controller"
)]
pub struct UnknownRole(String);

impl FromStr for Role {
    type Err = UnknownRole;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "caller-conventional" => Ok(Self::CallerConventional),
            "caller-durable" => Ok(Self::CallerDurable),
            "provider" => Ok(Self::Provider),
            "controller" => Ok(Self::Controller),
            other => Err(UnknownRole(other.to_owned())),
        }
    }
}

/// Runs the role that `_HANDLER` names until Lambda ends the environment.
///
/// # Errors
/// When the role is unknown, a setting is missing, or the runtime API fails.
pub async fn run() -> Result<(), Error> {
    let lookup = |name: &str| std::env::var(name).ok();
    let env = Env::new(&lookup);
    // Boxed, because the types of four runtimes nested in one future are too deep for the compiler.
    match env.text("_HANDLER")?.parse()? {
        Role::CallerConventional => Box::pin(conventional(&env)).await,
        Role::CallerDurable => Box::pin(durable(&env)).await,
        Role::Provider => Box::pin(provider(&env)).await,
        Role::Controller => Box::pin(controller(&env)).await,
    }
}

/// Structured logs to standard output, which Lambda ships to the function's log group.
pub fn log_to_stdout() {
    let level = std::env::var("AWS_LAMBDA_LOG_LEVEL").ok().and_then(|level| level.parse().ok());
    tracing_subscriber::fmt().json().with_max_level(level.unwrap_or(tracing::Level::INFO)).without_time().init();
}

/// Lambda puts credentials and region into the environment; no profile, SSO or instance metadata look-up may cost a
/// cold start, or a wrong account.
async fn sdk_config() -> SdkConfig {
    let loader = aws_config::defaults(BehaviorVersion::latest())
        .region(EnvironmentVariableRegionProvider::new())
        .credentials_provider(EnvironmentVariableCredentialsProvider::new());
    // An endpoint without TLS is an emulator's: reading the machine's root certificates would be half of a cold start
    // there, and its lack of certificates would end the process.
    let plain = std::env::var("AWS_ENDPOINT_URL").is_ok_and(|url| url.starts_with("http://"));
    let loader = if plain { loader.http_client(aws_smithy_http_client::Builder::new().build_http()) } else { loader };
    loader.load().await
}

type LambdaCaller = Caller<JournalTable, LambdaProvider, SystemClock>;

fn caller(env: &Env<'_>, sdk: &SdkConfig) -> Result<Arc<LambdaCaller>, ConfigError> {
    let config = CallerConfig::read(env)?;
    let journal = JournalTable::new(aws_sdk_dynamodb::Client::new(sdk), config.journal_table.clone());
    let provider = LambdaProvider::new(sdk, config.provider_function.clone());
    Ok(Arc::new(Caller { journal, provider, clock: SystemClock, config }))
}

async fn conventional(env: &Env<'_>) -> Result<(), Error> {
    let caller = caller(env, &sdk_config().await)?;
    let handler = |event: LambdaEvent<SqsEvent>| {
        let caller = Arc::clone(&caller);
        async move {
            let answer = conventional::handle(caller, &event.payload, &event.context.request_id).await;
            answer.map_err(|error| diagnostic(&error))
        }
    };
    lambda_runtime::run(service_fn(handler)).await
}

fn diagnostic(error: &CallerError) -> Diagnostic {
    tracing::error!(kind = error.kind(), %error, "the invocation fails");
    Diagnostic { error_type: error.kind().to_owned(), error_message: error.to_string() }
}

async fn durable(env: &Env<'_>) -> Result<(), Error> {
    let sdk = sdk_config().await;
    let (caller, retry) = (caller(env, &sdk)?, StepRetry::read(env)?);
    let options = sdk::Options::builder().sdk_config(sdk).build()?;
    let handler = move |event, ctx| durable::handle(Arc::clone(&caller), retry, event, ctx);
    sdk::run_with_options(handler, options).await
}

async fn provider(env: &Env<'_>) -> Result<(), Error> {
    let config = ProviderConfig::read(env)?;
    let client = aws_sdk_dynamodb::Client::new(&sdk_config().await);
    let ledger = ProviderTables {
        journal: JournalTable::new(client, config.journal_table.clone()),
        ledger_table: config.ledger_table.clone(),
        controller_journal_table: config.controller_journal_table.clone(),
    };
    let provider = PaymentProvider { ledger, clock: SystemClock, config };
    let handler = async |event: LambdaEvent<ProviderCall>| match provider::handle(
        &provider,
        &event.payload,
        &event.context.request_id,
    )
    .await
    {
        Ok(Reply::Answer(answer)) => Ok(answer),
        Ok(Reply::Crash) => {
            tracing::error!("the process ends after the commit, as CRASH_AFTER_COMMIT asks");
            std::process::exit(1)
        }
        Err(error) => Err(Error::from(error)),
    };
    lambda_runtime::run(service_fn(handler)).await
}

async fn controller(env: &Env<'_>) -> Result<(), Error> {
    let config = ControllerConfig::read(env)?;
    let client = aws_sdk_dynamodb::Client::new(&sdk_config().await);
    let store = ControllerTables {
        journal: JournalTable::new(client, config.journal_table.clone()),
        provider_journal_table: config.provider_journal_table.clone(),
    };
    let controller = Controller { store, clock: SystemClock, config };
    let handler = async |event: LambdaEvent<StreamEvent>| {
        controller::handle(&controller, &event.payload, &event.context.request_id).await?;
        Ok::<_, Error>(Value::Null)
    };
    lambda_runtime::run(service_fn(handler)).await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_role_is_refused_with_the_roles_there_are() {
        assert_eq!("provider".parse(), Ok(Role::Provider));
        let error = "bootstrap".parse::<Role>().unwrap_err().to_string();
        assert!(error.contains("`bootstrap`") && error.contains("caller-durable"), "{error}");
    }
}
