//! DynamoDB Streams: records, and the life of a stream after its table.

use crate::dynamodb::{request, table, text};
use crate::support::{Local, start};
use aws_sdk_dynamodb::types::{StreamSpecification, StreamViewType, Tag};
use aws_sdk_dynamodbstreams::Client;
use aws_sdk_dynamodbstreams::error::ProvideErrorMetadata;
use aws_sdk_dynamodbstreams::types::{OperationType, Record, ShardIteratorType, StreamStatus};
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 3600);

fn specification() -> StreamSpecification {
    StreamSpecification::builder()
        .stream_enabled(true)
        .stream_view_type(StreamViewType::NewAndOldImages)
        .build()
        .unwrap()
}

/// Makes a table with a stream; answers the stream's ARN.
async fn streamed(local: &Local, name: &str) -> (aws_sdk_dynamodb::Client, String) {
    let tables = aws_sdk_dynamodb::Client::new(&local.config);
    let created = request(&tables, name).stream_specification(specification()).send().await.unwrap();
    local.cloud.clock().advance(Duration::from_secs(1));
    (tables, created.table_description.unwrap().latest_stream_arn.unwrap())
}

async fn put(tables: &aws_sdk_dynamodb::Client, name: &str, sk: &str, value: &str) {
    let item = tables.put_item().table_name(name).item("pk", text("p")).item("sk", text(sk));
    item.item("value", text(value)).send().await.unwrap();
}

async fn iterator(streams: &Client, arn: &str, kind: ShardIteratorType) -> String {
    let described = streams.describe_stream().stream_arn(arn).send().await.unwrap().stream_description.unwrap();
    let shard = described.shards.unwrap().remove(0).shard_id.unwrap();
    let request = streams.get_shard_iterator().stream_arn(arn).shard_id(shard).shard_iterator_type(kind);
    request.send().await.unwrap().shard_iterator.unwrap()
}

async fn read(streams: &Client, iterator: &str) -> (Vec<Record>, Option<String>) {
    let answer = streams.get_records().shard_iterator(iterator).send().await.unwrap();
    (answer.records.unwrap_or_default(), answer.next_shard_iterator)
}

async fn listed(streams: &Client, table: &str) -> Vec<String> {
    let found = streams.list_streams().table_name(table).send().await.unwrap().streams.unwrap();
    found.into_iter().map(|stream| stream.stream_arn.unwrap()).collect()
}

#[tokio::test]
async fn each_change_of_an_item_has_a_record() {
    let local = start().await;
    let (tables, arn) = streamed(&local, "records").await;
    let streams = Client::new(&local.config);
    put(&tables, "records", "1", "a").await;
    put(&tables, "records", "1", "a").await;
    put(&tables, "records", "1", "b").await;
    let latest = iterator(&streams, &arn, ShardIteratorType::Latest).await;
    let delete = tables.delete_item().table_name("records").key("pk", text("p")).key("sk", text("1"));
    delete.send().await.unwrap();
    let (records, next) = read(&streams, &iterator(&streams, &arn, ShardIteratorType::TrimHorizon).await).await;
    let names: Vec<_> = records.iter().map(|record| record.event_name.clone().unwrap()).collect();
    assert_eq!(names, [OperationType::Insert, OperationType::Modify, OperationType::Remove], "an equal put has none");
    let numbers: Vec<_> = records.iter().map(|r| r.dynamodb.clone().unwrap().sequence_number.unwrap()).collect();
    assert!(numbers.is_sorted() && numbers[0].len() == 21, "{numbers:?}");
    let change = records[1].dynamodb.clone().unwrap();
    assert_eq!(change.new_image.unwrap()["value"].as_s().unwrap(), "b");
    assert_eq!(change.old_image.unwrap()["value"].as_s().unwrap(), "a");
    assert_eq!(change.keys.unwrap().len(), 2);
    assert_eq!(read(&streams, &latest).await.0.len(), 1);
    let (nothing, _) = read(&streams, &next.unwrap()).await;
    assert!(nothing.is_empty());
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn a_deleted_tables_stream_stays_for_a_day() {
    let local = start().await;
    let (tables, arn) = streamed(&local, "residue").await;
    let streams = Client::new(&local.config);
    put(&tables, "residue", "1", "a").await;
    let tag = Tag::builder().key("run").value("r1").build().unwrap();
    tables.tag_resource().resource_arn(&arn).tags(tag).send().await.unwrap();
    tables.delete_table().table_name("residue").send().await.unwrap();

    local.cloud.clock().advance(DAY - Duration::from_secs(60));
    assert_eq!(listed(&streams, "residue").await, std::slice::from_ref(&arn));
    let described = streams.describe_stream().stream_arn(&arn).send().await.unwrap().stream_description.unwrap();
    assert_eq!(described.stream_status, Some(StreamStatus::Disabled));
    let tags = tables.list_tags_of_resource().resource_arn(&arn).send().await.unwrap().tags.unwrap();
    assert_eq!((tags[0].key.as_str(), tags[0].value.as_str()), ("run", "r1"));
    let (records, next) = read(&streams, &iterator(&streams, &arn, ShardIteratorType::TrimHorizon).await).await;
    assert_eq!((records.len(), next), (1, None), "a closed shard ends");

    let (_, second) = streamed(&local, "residue").await;
    assert_ne!(second, arn);
    assert_eq!(listed(&streams, "residue").await, [arn.clone(), second.clone()]);

    local.cloud.clock().advance(Duration::from_secs(120));
    assert_eq!(listed(&streams, "residue").await, [second]);
    let gone = streams.describe_stream().stream_arn(&arn).send().await.unwrap_err();
    assert_eq!(gone.code(), Some("ResourceNotFoundException"));
    let gone = tables.list_tags_of_resource().resource_arn(&arn).send().await.unwrap_err();
    assert_eq!(gone.code(), Some("ResourceNotFoundException"));
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn a_stream_can_be_switched_off_and_on() {
    let local = start().await;
    let (tables, first) = streamed(&local, "switch").await;
    let off = StreamSpecification::builder().stream_enabled(false).build().unwrap();
    let update = |specification| tables.update_table().table_name("switch").stream_specification(specification).send();
    let updated = update(off).await.unwrap().table_description.unwrap();
    assert_eq!((updated.stream_specification, updated.latest_stream_arn.as_ref()), (None, Some(&first)));
    let updated = update(specification()).await.unwrap().table_description.unwrap();
    let second = updated.latest_stream_arn.unwrap();
    assert_eq!(update(specification()).await.unwrap_err().code(), Some("ValidationException"));
    let streams = Client::new(&local.config);
    put(&tables, "switch", "1", "a").await;
    let (old, _) = read(&streams, &iterator(&streams, &first, ShardIteratorType::TrimHorizon).await).await;
    let (new, _) = read(&streams, &iterator(&streams, &second, ShardIteratorType::TrimHorizon).await).await;
    assert_eq!((old.len(), new.len()), (0, 1));
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn iterators_expire_and_old_records_are_trimmed() {
    let local = start().await;
    let (tables, arn) = streamed(&local, "old").await;
    let streams = Client::new(&local.config);
    put(&tables, "old", "1", "a").await;
    let horizon = iterator(&streams, &arn, ShardIteratorType::TrimHorizon).await;
    let (records, _) = read(&streams, &horizon).await;
    let first = records[0].dynamodb.clone().unwrap().sequence_number.unwrap();
    local.cloud.clock().advance(Duration::from_secs(15 * 60 + 1));
    let expired = streams.get_records().shard_iterator(horizon).send().await.unwrap_err();
    assert_eq!(expired.code(), Some("ExpiredIteratorException"));
    local.cloud.clock().advance(DAY);
    put(&tables, "old", "2", "b").await;
    let described = streams.describe_stream().stream_arn(&arn).send().await.unwrap().stream_description.unwrap();
    let shard = described.shards.unwrap().remove(0).shard_id.unwrap();
    let at = streams.get_shard_iterator().stream_arn(&arn).shard_id(shard).sequence_number(first);
    let trimmed = at.shard_iterator_type(ShardIteratorType::AtSequenceNumber).send().await.unwrap_err();
    assert_eq!(trimmed.code(), Some("TrimmedDataAccessException"));
    let (records, _) = read(&streams, &iterator(&streams, &arn, ShardIteratorType::TrimHorizon).await).await;
    assert_eq!(records.len(), 1);
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn a_table_without_stream_has_none() {
    let local = start().await;
    table(&local, "quiet").await;
    assert!(listed(&Client::new(&local.config), "quiet").await.is_empty());
    local.cloud.shutdown().await;
}
