//! A stack's way from CreateStack to DELETE_COMPLETE, over HTTP with AWS's SDK: four tables, four log groups, two
//! queues.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a benchmark that cannot run has nothing to report")]

use aws_config::{BehaviorVersion, Region};
use aws_credential_types::Credentials;
use aws_sdk_cloudformation::Client;
use divan::Bencher;
use localcloud::{Cloud, Options};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::runtime::Runtime;

fn main() {
    divan::main();
}

fn template() -> String {
    let mut text = "Resources:\n".to_owned();
    for n in 0..4 {
        text.push_str(&format!(
            "  Table{n}: {{Type: 'AWS::DynamoDB::Table', Properties: {{BillingMode: PAY_PER_REQUEST, \
             AttributeDefinitions: [{{AttributeName: id, AttributeType: S}}], \
             KeySchema: [{{AttributeName: id, KeyType: HASH}}]}}}}\n  \
             Group{n}: {{Type: 'AWS::Logs::LogGroup', DependsOn: Table{n}, Properties: {{RetentionInDays: 7}}}}\n"
        ));
    }
    text.push_str("  Dead: {Type: 'AWS::SQS::Queue', Properties: {FifoQueue: true}}\n");
    text.push_str("  Queue: {Type: 'AWS::SQS::Queue', Properties: {FifoQueue: true, RedrivePolicy: ");
    text.push_str("{deadLetterTargetArn: !GetAtt Dead.Arn, maxReceiveCount: 2}}}\n");
    text
}

#[divan::bench(sample_count = 20, sample_size = 1)]
fn create_and_delete(bencher: Bencher<'_, '_>) {
    let runtime = Runtime::new().unwrap();
    let (cloud, client) = runtime.block_on(async {
        let cloud = Cloud::start(Options::default()).await.unwrap();
        let config = aws_config::defaults(BehaviorVersion::latest())
            .endpoint_url(cloud.endpoint())
            .region(Region::new("us-east-1"))
            .credentials_provider(Credentials::new("AKIDLOCAL", "secret", None, None, "bench"))
            .load()
            .await;
        (cloud, Client::new(&config))
    });
    let (made, body) = (AtomicU64::new(0), template());
    bencher.bench(|| {
        let name = format!("stack-{}", made.fetch_add(1, Ordering::Relaxed));
        runtime.block_on(async {
            let created = client.create_stack().stack_name(name).template_body(&body).send().await.unwrap();
            let id = created.stack_id.unwrap();
            wait(&client, &id, "CREATE_COMPLETE").await;
            client.delete_stack().stack_name(&id).send().await.unwrap();
            wait(&client, &id, "DELETE_COMPLETE").await;
        });
    });
    runtime.block_on(cloud.shutdown());
}

async fn wait(client: &Client, id: &str, wanted: &str) {
    loop {
        let answer = client.describe_stacks().stack_name(id).send().await.unwrap();
        let status = answer.stacks()[0].stack_status().unwrap().as_str().to_owned();
        if status == wanted {
            return;
        }
        assert!(status.ends_with("_IN_PROGRESS"), "{status}");
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
}
