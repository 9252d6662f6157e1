//! DynamoDB: tables, items, queries and transactions.

use crate::support::{Local, start};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::ProvideErrorMetadata;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::{
    AttributeDefinition, AttributeValue, BillingMode, ConditionCheck, Get, KeySchemaElement, KeyType,
    KeysAndAttributes, Put, PutRequest, ReturnValue, ReturnValuesOnConditionCheckFailure, ScalarAttributeType, Select,
    TableStatus, TransactGetItem, TransactWriteItem, WriteRequest,
};
use std::collections::HashMap;
use std::time::Duration;

pub(crate) fn text(text: impl Into<String>) -> AttributeValue {
    AttributeValue::S(text.into())
}

fn number(text: impl std::fmt::Display) -> AttributeValue {
    AttributeValue::N(format!("{text}"))
}

fn key(pk: &str, sk: &str) -> HashMap<String, AttributeValue> {
    HashMap::from([("pk".to_owned(), text(pk)), ("sk".to_owned(), text(sk))])
}

/// Makes a table with string keys `pk` and `sk` and lets the clock pass its creation.
pub(crate) async fn table(local: &Local, name: &str) -> Client {
    let client = Client::new(&local.config);
    request(&client, name).send().await.unwrap();
    local.cloud.clock().advance(Duration::from_secs(1));
    client
}

pub(crate) fn request(
    client: &Client,
    name: &str,
) -> aws_sdk_dynamodb::operation::create_table::builders::CreateTableFluentBuilder {
    let attribute = |name: &str| {
        AttributeDefinition::builder().attribute_name(name).attribute_type(ScalarAttributeType::S).build().unwrap()
    };
    let element = |name: &str, kind| KeySchemaElement::builder().attribute_name(name).key_type(kind).build().unwrap();
    client
        .create_table()
        .table_name(name)
        .billing_mode(BillingMode::PayPerRequest)
        .attribute_definitions(attribute("pk"))
        .attribute_definitions(attribute("sk"))
        .key_schema(element("pk", KeyType::Hash))
        .key_schema(element("sk", KeyType::Range))
}

fn put(name: &str, pk: &str, sk: &str) -> Put {
    Put::builder().table_name(name).set_item(Some(key(pk, sk))).build().unwrap()
}

fn action(put: Put) -> TransactWriteItem {
    TransactWriteItem::builder().put(put).build()
}

#[tokio::test]
async fn a_table_comes_and_goes() {
    let local = start().await;
    let client = Client::new(&local.config);
    let created = request(&client, "life").send().await.unwrap().table_description.unwrap();
    assert_eq!(created.table_status, Some(TableStatus::Creating));
    assert_eq!(created.table_arn.as_deref(), Some("arn:aws:dynamodb:us-east-1:000000000000:table/life"));
    let early = client.delete_table().table_name("life").send().await.unwrap_err();
    assert_eq!(early.code(), Some("ResourceInUseException"));
    let twice = request(&client, "life").send().await.unwrap_err();
    assert_eq!(twice.message(), Some("Table already exists: life"));
    local.cloud.clock().advance(Duration::from_secs(1));
    let described = client.describe_table().table_name("life").send().await.unwrap().table.unwrap();
    assert_eq!(described.table_status, Some(TableStatus::Active));
    let deleted = client.delete_table().table_name("life").send().await.unwrap().table_description.unwrap();
    assert_eq!(deleted.table_status, Some(TableStatus::Deleting));
    local.cloud.clock().advance(Duration::from_secs(1));
    let gone = client.describe_table().table_name("life").send().await.unwrap_err();
    assert_eq!(gone.code(), Some("ResourceNotFoundException"));
    assert_eq!(gone.message(), Some("Requested resource not found: Table: life not found"));
    let read = client.get_item().table_name("life").set_key(Some(key("a", "b"))).send().await.unwrap_err();
    assert_eq!(read.message(), Some("Requested resource not found"));
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn tables_are_listed_in_pages_and_protected_ones_stay() {
    let local = start().await;
    let client = Client::new(&local.config);
    for n in 0..5 {
        request(&client, &format!("table-{n}")).deletion_protection_enabled(n == 0).send().await.unwrap();
    }
    local.cloud.clock().advance(Duration::from_secs(1));
    let pages = client.list_tables().limit(2).into_paginator().items().send().collect::<Result<Vec<_>, _>>().await;
    assert_eq!(pages.unwrap(), ["table-0", "table-1", "table-2", "table-3", "table-4"]);
    let refused = client.delete_table().table_name("table-0").send().await.unwrap_err();
    assert_eq!(refused.code(), Some("ValidationException"));
    client.update_table().table_name("table-0").deletion_protection_enabled(false).send().await.unwrap();
    client.delete_table().table_name("table-0").send().await.unwrap();
    let backups = client.describe_continuous_backups().table_name("table-1").send().await.unwrap();
    assert!(backups.continuous_backups_description.is_some());
    let ttl = client.describe_time_to_live().table_name("table-1").send().await.unwrap();
    assert!(ttl.time_to_live_description.is_some());
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn items_change_only_under_their_conditions() {
    let local = start().await;
    let client = table(&local, "items").await;
    let put = || {
        let item = client.put_item().table_name("items").set_item(Some(key("a", "1"))).item("n", number("100.00"));
        item.condition_expression("attribute_not_exists(pk)")
    };
    put().send().await.unwrap();
    let refused = put()
        .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld)
        .send()
        .await
        .unwrap_err()
        .into_service_error();
    let aws_sdk_dynamodb::operation::put_item::PutItemError::ConditionalCheckFailedException(refused) = refused else {
        panic!("{refused:?}");
    };
    assert_eq!(refused.message.as_deref(), Some("The conditional request failed"));
    assert_eq!(refused.item.unwrap()["n"], number("100"));

    let updated = client
        .update_item()
        .table_name("items")
        .set_key(Some(key("a", "1")))
        .update_expression("SET #n = #n + :one, #s = if_not_exists(#s, :up)")
        .condition_expression("#n = :n")
        .expression_attribute_names("#n", "n")
        .expression_attribute_names("#s", "status")
        .expression_attribute_values(":one", number("0.01"))
        .expression_attribute_values(":n", number(100))
        .expression_attribute_values(":up", text("up"))
        .return_values(ReturnValue::UpdatedNew)
        .send()
        .await
        .unwrap();
    let expected = HashMap::from([("n".to_owned(), number("100.01")), ("status".to_owned(), text("up"))]);
    assert_eq!(updated.attributes, Some(expected));

    let read = client.get_item().table_name("items").set_key(Some(key("a", "1"))).consistent_read(true);
    let read = read.projection_expression("n").send().await.unwrap();
    assert_eq!(read.item, Some(HashMap::from([("n".to_owned(), number("100.01"))])));

    let deleted = client.delete_item().table_name("items").set_key(Some(key("a", "1")));
    let deleted = deleted.return_values(ReturnValue::AllOld).send().await.unwrap();
    assert_eq!(deleted.attributes.unwrap()["status"], text("up"));
    let read = client.get_item().table_name("items").set_key(Some(key("a", "1"))).send().await.unwrap();
    assert_eq!(read.item, None);
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn keys_that_do_not_fit_are_refused() {
    let local = start().await;
    let client = table(&local, "keys").await;
    let get = |key| client.get_item().table_name("keys").set_key(Some(key)).send();
    let short = HashMap::from([("pk".to_owned(), text("a"))]);
    assert_eq!(get(short).await.unwrap_err().message(), Some("The provided key element does not match the schema"));
    let missing = client.put_item().table_name("keys").item("pk", text("a")).send().await.unwrap_err();
    assert_eq!(missing.message(), Some("One or more parameter values were invalid: Missing the key sk in the item"));
    let wrong = client.put_item().table_name("keys").item("pk", number(1)).item("sk", text("a"));
    assert_eq!(
        wrong.send().await.unwrap_err().message(),
        Some("One or more parameter values were invalid: Type mismatch for key pk expected: S actual: N")
    );
    let key_update = client.update_item().table_name("keys").set_key(Some(key("a", "b")));
    let key_update = key_update.update_expression("SET sk = :a").expression_attribute_values(":a", text("c"));
    assert_eq!(key_update.send().await.unwrap_err().code(), Some("ValidationException"));
    let large = client.put_item().table_name("keys").set_item(Some(key("a", "b"))).item("x", text("x".repeat(410_000)));
    assert_eq!(large.send().await.unwrap_err().message(), Some("Item size has exceeded the maximum allowed size"));
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn queries_page_in_both_directions() {
    let local = start().await;
    let client = table(&local, "pages").await;
    for n in 0..25 {
        let item = client.put_item().table_name("pages").set_item(Some(key("p", &format!("{n:03}"))));
        item.item("even", AttributeValue::Bool(n % 2 == 0)).send().await.unwrap();
        client.put_item().table_name("pages").set_item(Some(key("q", &format!("{n:03}")))).send().await.unwrap();
    }
    let query = || {
        let query = client.query().table_name("pages").key_condition_expression("pk = :p");
        query.expression_attribute_values(":p", text("p")).consistent_read(true)
    };
    let keys = |items: Vec<HashMap<String, AttributeValue>>| {
        items.iter().map(|item| item["sk"].as_s().unwrap().clone()).collect::<Vec<_>>()
    };
    let all = query().limit(7).into_paginator().items().send().collect::<Result<Vec<_>, _>>().await.unwrap();
    assert_eq!(keys(all), (0..25).map(|n| format!("{n:03}")).collect::<Vec<_>>());
    let back = query().limit(4).scan_index_forward(false).into_paginator().items().send();
    let back = keys(back.collect::<Result<Vec<_>, _>>().await.unwrap());
    assert_eq!(back, (0..25).rev().map(|n| format!("{n:03}")).collect::<Vec<_>>());
    let between = query().key_condition_expression("pk = :p AND sk BETWEEN :a AND :b");
    let between = between.expression_attribute_values(":a", text("003")).expression_attribute_values(":b", text("005"));
    assert_eq!(keys(between.send().await.unwrap().items.unwrap()), ["003", "004", "005"]);
    let filtered = query().filter_expression("even = :true").limit(5);
    let filtered = filtered.expression_attribute_values(":true", AttributeValue::Bool(true)).send().await.unwrap();
    assert_eq!((filtered.count, filtered.scanned_count), (3, 5));
    assert!(filtered.last_evaluated_key.is_some());
    let counted = query().select(Select::Count).send().await.unwrap();
    assert_eq!((counted.count, counted.items), (25, None));
    let scanned = client.scan().table_name("pages").limit(9).into_paginator().items().send();
    assert_eq!(scanned.collect::<Result<Vec<_>, _>>().await.unwrap().len(), 50);
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn a_page_ends_at_a_megabyte() {
    let local = start().await;
    let client = table(&local, "large").await;
    for n in 0..10 {
        let item = client.put_item().table_name("large").set_item(Some(key("p", &n.to_string())));
        item.item("x", text("x".repeat(300_000))).send().await.unwrap();
    }
    let scan = client.scan().table_name("large").send().await.unwrap();
    assert_eq!(scan.count, 4);
    assert!(scan.last_evaluated_key.is_some());
    let keys = KeysAndAttributes::builder().set_keys(Some((0..10).map(|n| key("p", &n.to_string())).collect())).build();
    let batch = client.batch_get_item().request_items("large", keys.unwrap()).send().await.unwrap();
    assert_eq!(batch.responses.unwrap()["large"].len(), 10);
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn batches_write_and_read() {
    let local = start().await;
    let client = table(&local, "batch").await;
    let write = |n: usize| {
        let put = PutRequest::builder().set_item(Some(key("p", &n.to_string()))).build().unwrap();
        WriteRequest::builder().put_request(put).build()
    };
    let written = client.batch_write_item().request_items("batch", (0..25).map(write).collect()).send().await.unwrap();
    assert!(written.unprocessed_items.unwrap().is_empty());
    let twice = client.batch_write_item().request_items("batch", vec![write(1), write(1)]).send().await.unwrap_err();
    assert_eq!(twice.message(), Some("Provided list of item keys contains duplicates"));
    assert_eq!(client.scan().table_name("batch").send().await.unwrap().count, 25);
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn a_transaction_is_made_whole_or_not_at_all() {
    let local = start().await;
    let client = table(&local, "ledger").await;
    let fresh = || {
        let put = Put::builder().table_name("ledger").set_item(Some(key("t", "1")));
        action(put.condition_expression("attribute_not_exists(pk)").build().unwrap())
    };
    client
        .transact_write_items()
        .transact_items(fresh())
        .transact_items(action(put("ledger", "t", "2")))
        .send()
        .await
        .unwrap();
    let failed = client
        .transact_write_items()
        .transact_items(action(put("ledger", "t", "3")))
        .transact_items(fresh())
        .send()
        .await
        .unwrap_err()
        .into_service_error();
    let TransactWriteItemsError::TransactionCanceledException(failed) = failed else { panic!("{failed:?}") };
    assert_eq!(
        failed.message.as_deref(),
        Some(
            "Transaction cancelled, please refer cancellation reasons for specific reasons [None, ConditionalCheckFailed]"
        )
    );
    let codes: Vec<_> = failed.cancellation_reasons.unwrap().into_iter().map(|reason| reason.code.unwrap()).collect();
    assert_eq!(codes, ["None", "ConditionalCheckFailed"]);

    let get = |sk| {
        TransactGetItem::builder()
            .get(Get::builder().table_name("ledger").set_key(Some(key("t", sk))).build().unwrap())
            .build()
    };
    let read = client.transact_get_items().transact_items(get("1")).transact_items(get("3")).send().await.unwrap();
    let there: Vec<_> = read.responses.unwrap().into_iter().map(|response| response.item.is_some()).collect();
    assert_eq!(there, [true, false]);

    let check = ConditionCheck::builder().table_name("ledger").set_key(Some(key("t", "9")));
    let check = check.condition_expression("attribute_not_exists(pk)").build().unwrap();
    let checked =
        client.transact_write_items().transact_items(TransactWriteItem::builder().condition_check(check).build());
    checked.transact_items(action(put("ledger", "t", "4"))).send().await.unwrap();
    let twice = client.transact_write_items().transact_items(fresh()).transact_items(fresh()).send().await.unwrap_err();
    assert_eq!(twice.message(), Some("Transaction request cannot include multiple operations on one item"));
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn a_transaction_token_counts_for_ten_minutes() {
    let local = start().await;
    let client = table(&local, "tokens").await;
    let write = |sk: &str| {
        client.transact_write_items().client_request_token("t").transact_items(action(put("tokens", "p", sk)))
    };
    write("1").send().await.unwrap();
    client.delete_item().table_name("tokens").set_key(Some(key("p", "1"))).send().await.unwrap();
    write("1").send().await.unwrap();
    assert_eq!(client.scan().table_name("tokens").send().await.unwrap().count, 0, "a repeated token writes nothing");
    let other = write("2").send().await.unwrap_err();
    assert_eq!(other.code(), Some("IdempotentParameterMismatchException"));
    local.cloud.clock().advance(Duration::from_secs(10 * 60 + 1));
    write("2").send().await.unwrap();
    assert_eq!(client.scan().table_name("tokens").send().await.unwrap().count, 1);
    local.cloud.shutdown().await;
}

#[tokio::test]
async fn what_is_not_emulated_says_so() {
    let local = start().await;
    let client = table(&local, "plain").await;
    let index = client.query().table_name("plain").index_name("i").key_condition_expression("pk = :p");
    let index = index.expression_attribute_values(":p", text("p")).send().await.unwrap_err();
    assert_eq!(index.code(), Some("NotEmulated"));
    assert!(index.message().unwrap().contains("dynamodb Query with IndexName"), "{index:?}");
    local.cloud.shutdown().await;
}
