//! Durable handlers, named after the cases of the public conformance suite that they are equivalent to.

use aws_durable_execution_sdk::builders::RetryStrategyConfig;
use aws_durable_execution_sdk::serdes::SerdesContext;
use aws_durable_execution_sdk::{
    BoxError, DurableContext, RetryDecision, Serdes, StepContext, StepError, StepSemantics, TypedError,
};
use serde_json::{Value, json};
use std::error::Error;
use std::time::Duration;

type Outcome = Result<Value, BoxError>;

/// Serves one case.
pub(crate) async fn handle(role: &str, event: Value, ctx: &DurableContext) -> Outcome {
    match role {
        "step/1-1" => Ok(json!(ctx.step(move |_| greet(event)).await?)),
        "step/1-2" => Ok(json!(ctx.step(move |_| greet(event)).name("custom_step_name").await?)),
        "step/1-3" => {
            let first: String = ctx.step(|_| async { Ok("first".to_owned()) }).await?;
            Ok(json!(ctx.step(move |_| async move { Ok(format!("{first}_second")) }).await?))
        }
        "step/1-4" => Ok(ctx.step(move |_| complex(event)).await?),
        "step/1-5" => {
            ctx.step(|_| async { Ok(()) }).await?;
            Ok(Value::Null)
        }
        "step/1-6" => Ok(json!(ctx.step(move |_| async move { Ok(text(&event)) }).serdes(Uppercase).await?)),
        "step/1-7" => Ok(json!(ctx.step(move |_| logged_greeting(event)).await?)),
        "step/1-8" => step_then_wait(ctx, "computed", 2).await,
        "step/1-9" => step_then_wait(ctx, "cached_value", 1).await,
        "step/1-10" => replayed_failure(ctx).await,
        "step/1-11" => {
            let step = ctx.step(|step| fail_before(step, 2, "Operation succeeded"));
            Ok(json!(step.retry_strategy_config(fixed(3)).await?))
        }
        "step/1-13" => Ok(json!(ctx.step(|step| fail_before(step, 3, "done")).await?)),
        "step/1-15" => Ok(json!(ctx.step(transient).retry_strategy(retry_transient).await?)),
        "step/1-17" => crash(ctx, &text(&event), 1, "never").await,
        "step/1-18" => crash(ctx, &text(&event), 2, "succeeded on second attempt").await,
        "wait/2-1" => wait(ctx, 2, None, Value::Null).await,
        "wait/2-2" => wait(ctx, 2, Some("custom_wait_name"), Value::Null).await,
        "wait/2-3" => {
            wait(ctx, 2, Some("wait-1"), Value::Null).await?;
            wait(ctx, 2, Some("wait-2"), json!({"completedWaits": 2})).await
        }
        "wait/2-4" => wait(ctx, 60, None, Value::Null).await,
        "wait/2-5" => wait(ctx, 3600, None, Value::Null).await,
        other => crate::durable_extra::handle(other, event, ctx).await,
    }
}

fn text(event: &Value) -> String {
    event.as_str().unwrap_or_default().to_owned()
}

async fn greet(event: Value) -> Result<String, BoxError> {
    Ok(format!("Hello, {}!", text(&event)))
}

async fn logged_greeting(event: Value) -> Result<String, BoxError> {
    let name = text(&event);
    tracing::info!("Greeting step started for: {name}");
    let greeting = format!("Hello, {name}!");
    tracing::info!("Greeting step completed with: {greeting}");
    Ok(greeting)
}

async fn complex(event: Value) -> Outcome {
    let count = event["tags"].as_array().map_or(0, Vec::len);
    Ok(json!({"user": {"name": event["name"], "tags": event["tags"]}, "count": count}))
}

struct Uppercase;

impl Serdes<String> for Uppercase {
    async fn serialize(&self, value: String, _context: SerdesContext) -> Result<String, BoxError> {
        Ok(value.to_uppercase())
    }

    async fn deserialize(&self, wire: String, _context: SerdesContext) -> Result<String, BoxError> {
        Ok(wire)
    }
}

async fn step_then_wait(ctx: &DurableContext, value: &'static str, seconds: u64) -> Outcome {
    let result: String = ctx.step(move |_| async move { Ok(value.to_owned()) }).await?;
    ctx.wait(Duration::from_secs(seconds)).await?;
    Ok(json!(result))
}

async fn replayed_failure(ctx: &DurableContext) -> Outcome {
    let failed: Result<(), _> = ctx
        .step(|_| async {
            println!("step executed");
            Err::<(), BoxError>("permanent".into())
        })
        .retry_strategy(|_, _| RetryDecision::Stop)
        .await;
    ctx.wait(Duration::from_secs(1)).await?;
    Ok(json!(failed.is_err()))
}

fn fixed(attempts: u32) -> RetryStrategyConfig {
    RetryStrategyConfig::builder().max_attempts(attempts).initial_delay(Duration::from_secs(1)).build()
}

async fn fail_before(step: StepContext, attempt: u32, value: &str) -> Result<String, BoxError> {
    if step.attempt() < attempt { Err("not yet".into()) } else { Ok(value.to_owned()) }
}

#[derive(Debug)]
struct TransientError;

impl std::fmt::Display for TransientError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("temporary failure")
    }
}

impl Error for TransientError {}

async fn transient(step: StepContext) -> Result<String, BoxError> {
    if step.attempt() < 2 { Err(Box::new(TypedError::new(TransientError))) } else { Ok("recovered".to_owned()) }
}

fn retry_transient(error: &StepError, _attempt: u32) -> RetryDecision {
    let source = error.source().and_then(|source| source.downcast_ref::<TypedError>());
    match source {
        Some(typed) if typed.error_type() == "TransientError" => RetryDecision::Retry { delay: Duration::from_secs(1) },
        _ => RetryDecision::Stop,
    }
}

async fn crash(ctx: &DurableContext, input: &str, attempts: u32, value: &'static str) -> Outcome {
    let input = input.to_owned();
    let step = ctx.step(move |step| async move {
        tracing::info!("{input}");
        if step.attempt() < 2 {
            std::process::exit(1);
        }
        Ok(value.to_owned())
    });
    let step = step.name("at_most_once_flaky_step").semantics(StepSemantics::AtMostOncePerRetry);
    let retry = move |_: &StepError, attempt| match attempt < attempts {
        true => RetryDecision::Retry { delay: Duration::from_secs(1) },
        false => RetryDecision::Stop,
    };
    Ok(json!(step.retry_strategy(retry).await?))
}

async fn wait(ctx: &DurableContext, seconds: u64, name: Option<&str>, value: Value) -> Outcome {
    let wait = ctx.wait(Duration::from_secs(seconds));
    match name {
        Some(name) => wait.name(name).await?,
        None => wait.await?,
    }
    Ok(value)
}
