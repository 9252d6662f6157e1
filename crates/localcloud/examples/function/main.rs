//! Functions for the crate's own tests; the role comes from `_HANDLER`. Not part of any product.

mod durable_cases;
mod durable_extra;
mod plain;

use aws_durable_execution_sdk as durable;
use serde_json::Value;

#[tokio::main]
async fn main() -> Result<(), lambda_runtime::Error> {
    tracing_subscriber::fmt().with_ansi(false).with_target(false).with_writer(std::io::stdout).init();
    let role = std::env::var("_HANDLER").unwrap_or_default();
    match role.strip_prefix("plain-") {
        Some(role) => plain::run(role.to_owned()).await,
        None => {
            durable::run(move |event: Value, ctx: durable::DurableContext| {
                let role = role.clone();
                async move { durable_cases::handle(&role, event, &ctx).await }
            })
            .await
        }
    }
}
