//! A message's way through a FIFO queue, over HTTP with AWS's SDK: send, receive, delete.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a benchmark that cannot run has nothing to report")]

use aws_config::{BehaviorVersion, Region};
use aws_credential_types::Credentials;
use aws_sdk_sqs::Client;
use aws_sdk_sqs::types::QueueAttributeName;
use divan::Bencher;
use localcloud::{Cloud, Options};
use std::sync::atomic::{AtomicU64, Ordering};
use tokio::runtime::Runtime;

fn main() {
    divan::main();
}

struct Setup {
    runtime: Runtime,
    cloud: Cloud,
    client: Client,
    url: String,
}

fn setup() -> Setup {
    let runtime = Runtime::new().unwrap();
    let (cloud, client, url) = runtime.block_on(async {
        let cloud = Cloud::start(Options::default()).await.unwrap();
        let config = aws_config::defaults(BehaviorVersion::latest())
            .endpoint_url(cloud.endpoint())
            .region(Region::new("us-east-1"))
            .credentials_provider(Credentials::new("AKIDLOCAL", "secret", None, None, "bench"))
            .load()
            .await;
        let client = Client::new(&config);
        let created = client.create_queue().queue_name("q.fifo").attributes(QueueAttributeName::FifoQueue, "true");
        let url = created.send().await.unwrap().queue_url.unwrap();
        (cloud, client, url)
    });
    Setup { runtime, cloud, client, url }
}

#[divan::bench]
fn send_receive_delete(bencher: Bencher<'_, '_>) {
    let Setup { runtime, cloud, client, url } = setup();
    let sent = AtomicU64::new(0);
    bencher.bench(|| {
        let id = sent.fetch_add(1, Ordering::Relaxed).to_string();
        runtime.block_on(async {
            let request = client.send_message().queue_url(&url).message_body("{}").message_group_id(&id);
            request.message_deduplication_id(&id).send().await.unwrap();
            let received = client.receive_message().queue_url(&url).send().await.unwrap();
            let handle = received.messages()[0].receipt_handle().unwrap();
            client.delete_message().queue_url(&url).receipt_handle(handle).send().await.unwrap();
        });
    });
    runtime.block_on(cloud.shutdown());
}
