//! The binary that Lambda starts, for every role.

#[tokio::main]
async fn main() -> Result<(), lambda_runtime::Error> {
    functions::shell::log_to_stdout();
    functions::shell::run().await.inspect_err(|error| tracing::error!(%error, "the function cannot run"))
}
