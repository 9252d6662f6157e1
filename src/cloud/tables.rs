//! DynamoDB tables.

use super::budget::Lane;
use super::clients::Clients;
use super::listing::{Listing, PageCap, pages, token_digest};
use super::outcome::{Failure, Outcome, require, settle};
use aws_sdk_dynamodb::types::AttributeValue;
use evidence::trial::Page;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};

/// A table as `DescribeTable` shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    /// Name.
    pub name: String,
    /// ARN.
    pub arn: String,
    /// For example `ACTIVE` or `DELETING`.
    pub status: String,
    /// ARN of the newest stream.
    pub stream_arn: Option<String>,
    /// Whether the service refuses its deletion.
    pub deletion_protection: bool,
}

/// Every item of one partition, strongly consistent, in sort-key order, with the pages that they came on.
pub async fn query_partition<T: DeserializeOwned>(
    clients: &Clients,
    table: &str,
    key: &str,
    value: &str,
    cap: PageCap,
) -> Outcome<Listing<T>> {
    const OPERATION: &str = "Query";
    settle(async {
        let mut listing = Listing { items: Vec::new(), pages: Vec::new() };
        let mut start: Option<HashMap<String, AttributeValue>> = None;
        for number in 1..=cap.0 {
            let call = || {
                clients
                    .sdk()
                    .dynamodb
                    .query()
                    .table_name(table)
                    .consistent_read(true)
                    .key_condition_expression("#k = :v")
                    .expression_attribute_names("#k", key)
                    .expression_attribute_values(":v", AttributeValue::S(value.to_owned()))
                    .set_exclusive_start_key(start.clone())
                    .send()
            };
            let answer = clients.read(Lane::DynamoDbData, OPERATION, call).await?;
            let items = answer.items.unwrap_or_default();
            let next = answer.last_evaluated_key.filter(|key| !key.is_empty());
            listing.pages.push(Page {
                number,
                items: u32::try_from(items.len()).unwrap_or(u32::MAX),
                token: start.as_ref().map(key_digest),
                next: next.as_ref().map(key_digest),
            });
            for item in items {
                listing.items.push(decode(OPERATION, item)?);
            }
            if next.is_none() {
                return Ok(listing);
            }
            start = next;
        }
        Err(Failure::unknown(OPERATION, format!("more than {} pages, which is the page cap", cap.0)))
    })
    .await
}

/// Reads one table.
pub async fn describe(clients: &Clients, name: &str) -> Outcome<Table> {
    const OPERATION: &str = "DescribeTable";
    settle(async {
        let call = || clients.sdk().dynamodb.describe_table().table_name(name).send();
        let answer = clients.read(Lane::DynamoDbControl, OPERATION, call).await?;
        let table = require(OPERATION, "Table", answer.table)?;
        Ok(Table {
            name: require(OPERATION, "TableName", table.table_name)?,
            arn: require(OPERATION, "TableArn", table.table_arn)?,
            status: require(OPERATION, "TableStatus", table.table_status)?.as_str().to_owned(),
            stream_arn: table.latest_stream_arn,
            deletion_protection: table.deletion_protection_enabled.unwrap_or(false),
        })
    })
    .await
}

/// Names of the tables that start with `prefix`; `ListTables` has no filter, so all pages are read.
pub async fn list_by_prefix(clients: &Clients, prefix: &str, cap: PageCap) -> Outcome<Listing<String>> {
    const OPERATION: &str = "ListTables";
    settle(pages(OPERATION, cap, async |start: Option<String>| {
        let call =
            || clients.sdk().dynamodb.list_tables().limit(100).set_exclusive_start_table_name(start.clone()).send();
        let answer = clients.read(Lane::DynamoDbControl, OPERATION, call).await?;
        let names = answer.table_names.unwrap_or_default().into_iter().filter(|name| name.starts_with(prefix));
        Ok((names.collect(), answer.last_evaluated_table_name))
    }))
    .await
}

/// Tags of a table or stream, by ARN; eventually consistent.
pub async fn tags(clients: &Clients, arn: &str, cap: PageCap) -> Outcome<BTreeMap<String, String>> {
    const OPERATION: &str = "ListTagsOfResource";
    settle(async {
        let listing = pages(OPERATION, cap, async |token: Option<String>| {
            let call = || {
                clients.sdk().dynamodb.list_tags_of_resource().resource_arn(arn).set_next_token(token.clone()).send()
            };
            let answer = clients.read(Lane::DynamoDbTagRead, OPERATION, call).await?;
            let tags = answer.tags.unwrap_or_default().into_iter().map(|t| (t.key, t.value));
            Ok((tags.collect(), answer.next_token))
        })
        .await?;
        Ok(listing.items.into_iter().collect())
    })
    .await
}

fn decode<T: DeserializeOwned>(operation: &str, item: HashMap<String, AttributeValue>) -> Result<T, Failure> {
    functions::item::from_item(item)
        .map_err(|e| Failure::unknown(operation, format!("an item does not have the expected shape: {e}")))
}

/// Digest of a start key, whose members have no order of their own.
fn key_digest(key: &HashMap<String, AttributeValue>) -> String {
    let sorted: BTreeMap<_, _> = key.iter().map(|(name, value)| (name, format!("{value:?}"))).collect();
    token_digest(&format!("{sorted:?}"))
}
