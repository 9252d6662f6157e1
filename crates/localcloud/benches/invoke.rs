//! A warm invocation, over HTTP with AWS's SDK: what the cloud adds to a function that does nothing.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a benchmark that cannot run has nothing to report")]

use aws_config::{BehaviorVersion, Region};
use aws_credential_types::Credentials;
use aws_sdk_lambda::Client;
use aws_sdk_lambda::primitives::Blob;
use aws_sdk_lambda::types::{DurableConfig, FunctionCode, Runtime as LambdaRuntime};
use divan::Bencher;
use localcloud::{Cloud, Options};
use std::io::{Cursor, Write};
use std::process::Command;
use tokio::runtime::Runtime;

fn main() {
    divan::main();
}

struct Setup {
    runtime: Runtime,
    cloud: Cloud,
    client: Client,
}

/// The package of `examples/function`, as the tests use it.
fn package() -> Vec<u8> {
    let own = std::env::current_exe().unwrap();
    let binary = own.parent().unwrap().parent().unwrap().join("examples/function");
    if !binary.exists() {
        let arguments = ["build", "--release", "--quiet", "-p", "localcloud", "--example", "function"];
        assert!(Command::new(env!("CARGO")).args(arguments).status().unwrap().success());
    }
    let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let options = zip::write::SimpleFileOptions::default().unix_permissions(0o755);
    writer.start_file("bootstrap", options).unwrap();
    writeln!(writer, "#!/bin/sh\nexec {}", binary.display()).unwrap();
    writer.finish().unwrap().into_inner()
}

fn setup(handler: &str, is_durable: bool) -> Setup {
    let runtime = Runtime::new().unwrap();
    let (cloud, client) = runtime.block_on(async {
        let cloud = Cloud::start(Options::default()).await.unwrap();
        let config = aws_config::defaults(BehaviorVersion::latest())
            .endpoint_url(cloud.endpoint())
            .region(Region::new("us-east-1"))
            .credentials_provider(Credentials::new("AKIDLOCAL", "secret", None, None, "bench"))
            .load()
            .await;
        let client = Client::new(&config);
        let durable = DurableConfig::builder().execution_timeout(300).retention_period_in_days(1).build();
        let request = client.create_function().function_name("f").runtime(LambdaRuntime::Providedal2023);
        let request = request.role("arn:aws:iam::000000000000:role/r").handler(handler).timeout(30);
        let request = request.set_durable_config(is_durable.then_some(durable)).publish(true);
        request.code(FunctionCode::builder().zip_file(Blob::new(package())).build()).send().await.unwrap();
        invoke(&client).await;
        (cloud, client)
    });
    Setup { runtime, cloud, client }
}

async fn invoke(client: &Client) {
    let output = client.invoke().function_name("f:1").payload(Blob::new("\"x\"")).send().await.unwrap();
    assert_eq!(output.function_error(), None);
}

/// What any call costs, to be taken off the others.
#[divan::bench(args = ["plain-silent"])]
fn call_without_a_function(bencher: Bencher<'_, '_>, handler: &str) {
    let Setup { runtime, cloud, client } = setup(handler, false);
    bencher.bench(|| runtime.block_on(client.get_function_concurrency().function_name("f").send()).unwrap());
    runtime.block_on(cloud.shutdown());
}

#[divan::bench(args = ["plain-silent"])]
fn warm_invocation(bencher: Bencher<'_, '_>, handler: &str) {
    let Setup { runtime, cloud, client } = setup(handler, false);
    bencher.bench(|| runtime.block_on(invoke(&client)));
    runtime.block_on(cloud.shutdown());
}

/// One invocation, two checkpoints.
#[divan::bench(args = ["step/1-1"])]
fn durable_execution_of_one_step(bencher: Bencher<'_, '_>, handler: &str) {
    let Setup { runtime, cloud, client } = setup(handler, true);
    bencher.bench(|| runtime.block_on(invoke(&client)));
    runtime.block_on(cloud.shutdown());
}
