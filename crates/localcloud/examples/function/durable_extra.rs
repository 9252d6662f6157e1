//! Durable handlers for what the conformance cases leave out.

use aws_durable_execution_sdk::{BoxError, DurableContext, RetryDecision};
use serde_json::{Value, json};
use std::time::Duration;

/// Serves one case.
pub(crate) async fn handle(role: &str, event: Value, ctx: &DurableContext) -> Result<Value, BoxError> {
    match role {
        // The study's shape: one step, two attempts, a delay between them.
        "retry-60" => {
            let body = event["Records"][0]["body"].as_str().unwrap_or_default().to_owned();
            let step = ctx.step(move |step| async move {
                match body.as_str() {
                    "always" => Err("refused".into()),
                    "once" if step.attempt() < 2 => Err("timeout".into()),
                    _ => Ok(json!({"attempt": step.attempt()})),
                }
            });
            let retry = |_: &_, attempt| match attempt < 2 {
                true => RetryDecision::Retry { delay: Duration::from_secs(60) },
                false => RetryDecision::Stop,
            };
            Ok(step.name("refund-attempt").retry_strategy(retry).await?)
        }
        "fail" => Err("the handler failed".into()),
        "callback" => {
            let callback = ctx.create_callback::<Value>().name("approval").await?;
            println!("callback id {}", callback.id());
            Ok(callback.result().await?)
        }
        "invoke" => {
            let target = event["target"].as_str().unwrap_or_default().to_owned();
            Ok(ctx.invoke::<Value, Value>(target, json!({"from": "parent"})).await?)
        }
        "child" => {
            let child = ctx.run_in_child_context(|child| async move {
                let value: i64 = child.step(|_| async { Ok(20) }).await?;
                child.wait(Duration::from_secs(1)).await?;
                Ok(value + 1)
            });
            Ok(json!(child.name("inner").await?))
        }
        "sleep" => {
            tokio::time::sleep(Duration::from_secs(60)).await;
            Ok(Value::Null)
        }
        other => Err(format!("there is no handler {other}").into()),
    }
}
