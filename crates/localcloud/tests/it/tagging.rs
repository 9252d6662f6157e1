//! The tag index.

use crate::dynamodb::request;
use crate::support::{Local, start, start_with};
use aws_sdk_resourcegroupstagging::Client;
use aws_sdk_resourcegroupstagging::error::ProvideErrorMetadata;
use aws_sdk_resourcegroupstagging::types::TagFilter;
use localcloud::Options;
use localcloud::fault::Script;
use std::time::Duration;

const HOUR: Duration = Duration::from_secs(3600);

fn filter(key: &str, values: &[&str]) -> TagFilter {
    let values = values.iter().map(|value| (*value).to_owned()).collect();
    TagFilter::builder().key(key).set_values(Some(values)).build()
}

/// Log groups `g-000` and so on, each with the tags `n` (its number) and `parity`.
async fn groups(local: &Local, count: usize) -> aws_sdk_cloudwatchlogs::Client {
    let logs = aws_sdk_cloudwatchlogs::Client::new(&local.config);
    for n in 0..count {
        let parity = if n % 2 == 0 { "even" } else { "odd" };
        let create = logs.create_log_group().log_group_name(format!("g-{n:03}"));
        create.tags("n", n.to_string()).tags("parity", parity).send().await.unwrap();
    }
    logs
}

async fn arns(client: &Client, filters: Vec<TagFilter>) -> Vec<String> {
    let pages = client.get_resources().set_tag_filters(Some(filters)).into_paginator().items().send();
    let found = pages.collect::<Result<Vec<_>, _>>().await.unwrap();
    found.into_iter().map(|mapping| mapping.resource_arn.unwrap()).collect()
}

#[tokio::test]
async fn filters_are_anded_and_their_values_ored() {
    let local = start().await;
    groups(&local, 6).await;
    let client = Client::new(&local.config);
    assert_eq!(arns(&client, vec![]).await.len(), 6);
    assert_eq!(arns(&client, vec![filter("parity", &[])]).await.len(), 6);
    assert_eq!(arns(&client, vec![filter("n", &["1", "2", "9"])]).await.len(), 2);
    let both = arns(&client, vec![filter("n", &["1", "2"]), filter("parity", &["even"])]).await;
    assert_eq!(both, ["arn:aws:logs:us-east-1:000000000000:log-group:g-002"]);
    let kind = client.get_resources().resource_type_filters("dynamodb:table").send().await.unwrap();
    assert!(kind.resource_tag_mapping_list.unwrap().is_empty());
    let keys = client.get_tag_keys().send().await.unwrap().tag_keys.unwrap();
    assert_eq!(keys, ["n", "parity"]);
    let values = client.get_tag_values().key("parity").send().await.unwrap().tag_values.unwrap();
    assert_eq!(values, ["even", "odd"]);
    let named = client.get_resources().resource_arn_list(&both[0]).resource_arn_list("arn:aws:sqs:us-east-1:0:none");
    assert_eq!(named.send().await.unwrap().resource_tag_mapping_list.unwrap().len(), 1);
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn pages_have_tokens_that_live_for_fifteen_minutes() {
    let local = start().await;
    groups(&local, 25).await;
    let client = Client::new(&local.config);
    let first = client.get_resources().resources_per_page(10).send().await.unwrap();
    assert_eq!(first.resource_tag_mapping_list.unwrap().len(), 10);
    let token = first.pagination_token.unwrap();
    let second = client.get_resources().resources_per_page(100).pagination_token(&token).send().await.unwrap();
    assert_eq!(second.resource_tag_mapping_list.unwrap().len(), 15);
    assert_eq!(second.pagination_token.as_deref(), Some(""));
    local.cloud.clock().advance(Duration::from_secs(15 * 60 + 1));
    let expired = client.get_resources().resources_per_page(100).pagination_token(token).send().await.unwrap_err();
    assert_eq!(expired.code(), Some("PaginationTokenExpiredException"));
    let many = client.get_resources().resources_per_page(101).send().await.unwrap_err();
    assert_eq!(many.code(), Some("InvalidParameterException"));
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn deleted_resources_linger_and_untagged_ones_stay() {
    let local = start().await;
    let logs = groups(&local, 2).await;
    let client = Client::new(&local.config);
    logs.delete_log_group().log_group_name("g-000").send().await.unwrap();
    assert_eq!(arns(&client, vec![filter("n", &[])]).await.len(), 2, "the index does not know yet");
    local.cloud.clock().advance(HOUR);
    let left = arns(&client, vec![]).await;
    assert_eq!(left, ["arn:aws:logs:us-east-1:000000000000:log-group:g-001"]);
    let untagged = client.untag_resources().resource_arn_list(&left[0]).tag_keys("n").tag_keys("parity");
    assert!(untagged.send().await.unwrap().failed_resources_map.unwrap().is_empty());
    assert_eq!(arns(&client, vec![]).await, left, "previously tagged resources are listed");
    assert!(arns(&client, vec![filter("n", &[])]).await.is_empty());
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn streams_are_indexed_apart_from_their_tables() {
    let local = start().await;
    let tables = aws_sdk_dynamodb::Client::new(&local.config);
    let tag = aws_sdk_dynamodb::types::Tag::builder().key("run").value("r1").build().unwrap();
    let stream = aws_sdk_dynamodb::types::StreamSpecification::builder().stream_enabled(true);
    let stream = stream.stream_view_type(aws_sdk_dynamodb::types::StreamViewType::NewImage).build().unwrap();
    let created = request(&tables, "indexed").tags(tag).stream_specification(stream).send().await.unwrap();
    let table = created.table_description.unwrap();
    let (table_arn, stream_arn) = (table.table_arn.unwrap(), table.latest_stream_arn.unwrap());
    let client = Client::new(&local.config);
    assert_eq!(
        arns(&client, vec![]).await,
        std::slice::from_ref(&table_arn),
        "a stream does not have its table's tags"
    );
    let tagged = client.tag_resources().resource_arn_list(&stream_arn).tags("run", "r1").send().await.unwrap();
    assert!(tagged.failed_resources_map.unwrap().is_empty());
    assert_eq!(arns(&client, vec![filter("run", &["r1"])]).await, [table_arn, stream_arn.clone()]);
    local.cloud.clock().advance(Duration::from_secs(1));
    tables.delete_table().table_name("indexed").send().await.unwrap();
    local.cloud.clock().advance(2 * HOUR);
    assert_eq!(arns(&client, vec![]).await, [stream_arn], "the stream outlives its table");
    local.cloud.clock().advance(24 * HOUR);
    assert!(arns(&client, vec![]).await.is_empty());
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn roles_cannot_be_tagged_here() {
    let local = start().await;
    let client = Client::new(&local.config);
    let role = "arn:aws:iam::000000000000:role/OrganizationAccountAccessRole";
    let tagged = client.tag_resources().resource_arn_list(role).tags("a", "b").send().await.unwrap();
    let failed = tagged.failed_resources_map.unwrap();
    assert_eq!(failed[role].status_code, 400);
    assert!(arns(&client, vec![]).await.is_empty());
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn a_fault_makes_one_answer_stale_and_the_lag_can_be_chosen() {
    let rules = "rules:\n  - {service: tagging, operation: GetResources, when: {nth: 2}, effect: stale_tag_index}\n";
    let faults = Some(Script::from_yaml("faults.yaml", rules).unwrap());
    let options = Options { faults, tag_lag: Some(Duration::from_secs(5)), ..Options::default() };
    let local = start_with(options).await;
    let logs = groups(&local, 1).await;
    let client = Client::new(&local.config);
    logs.delete_log_group().log_group_name("g-000").send().await.unwrap();
    local.cloud.clock().advance(Duration::from_secs(6));
    let mut seen = Vec::new();
    for _ in 0..3 {
        seen.push(client.get_resources().send().await.unwrap().resource_tag_mapping_list.unwrap().len());
    }
    assert_eq!(seen, [0, 1, 0]);
    local.cloud.shutdown().await;
}
