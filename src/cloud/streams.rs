//! DynamoDB streams. There is no call that deletes one: a deleted table's stream stays `DISABLED` and readable for
//! 24 hours (DynamoDB developer guide, "Change data capture for DynamoDB Streams").

use super::budget::Lane;
use super::clients::Clients;
use super::listing::{Listing, PageCap, pages};
use super::millis;
use super::outcome::{Failure, Outcome, require, settle};
use aws_sdk_dynamodb::types::Tag;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A stream as `DescribeStream` shows it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stream {
    /// Stream ARN.
    pub arn: String,
    /// Table that it belongs or belonged to.
    pub table: String,
    /// `ENABLING`, `ENABLED`, `DISABLING` or `DISABLED`.
    pub status: String,
    /// Milliseconds since the epoch.
    pub created_at_ms: Option<i64>,
}

/// ARNs of the streams of a table, or of every table. The result is filtered here: not every endpoint does.
pub async fn list(clients: &Clients, table: Option<&str>, cap: PageCap) -> Outcome<Listing<String>> {
    const OPERATION: &str = "ListStreams";
    settle(pages(OPERATION, cap, async |start: Option<String>| {
        let call = || {
            let call = clients.sdk().streams.list_streams().set_table_name(table.map(str::to_owned)).limit(100);
            call.set_exclusive_start_stream_arn(start.clone()).send()
        };
        let answer = clients.read(Lane::ListStreams, OPERATION, call).await?;
        let arns =
            answer.streams.unwrap_or_default().into_iter().map(|s| require(OPERATION, "StreamArn", s.stream_arn));
        let mut arns = arns.collect::<Result<Vec<_>, Failure>>()?;
        arns.retain(|arn| table.is_none_or(|table| table_of(arn) == Some(table)));
        Ok((arns, answer.last_evaluated_stream_arn))
    }))
    .await
}

/// Reads one stream.
pub async fn describe(clients: &Clients, arn: &str) -> Outcome<Stream> {
    const OPERATION: &str = "DescribeStream";
    settle(async {
        let call = || clients.sdk().streams.describe_stream().stream_arn(arn).limit(1).send();
        let answer = clients.read(Lane::DescribeStream, OPERATION, call).await?;
        let stream = require(OPERATION, "StreamDescription", answer.stream_description)?;
        let named = stream.table_name.or_else(|| table_of(arn).map(str::to_owned));
        Ok(Stream {
            arn: stream.stream_arn.unwrap_or_else(|| arn.to_owned()),
            table: require(OPERATION, "TableName", named)?,
            status: require(OPERATION, "StreamStatus", stream.stream_status)?.as_str().to_owned(),
            created_at_ms: stream.creation_request_date_time.as_ref().map(millis),
        })
    })
    .await
}

/// Tags a stream (or a table) by ARN; streams do not inherit their table's tags (DynamoDB developer guide, ABAC for
/// streams). Tagging the same again changes nothing, but the call still leaves once.
pub async fn tag(clients: &Clients, arn: &str, tags: &BTreeMap<String, String>) -> Outcome<()> {
    settle(async {
        let tags = tags.iter().map(|(key, value)| Tag::builder().key(key).value(value).build());
        let tags = tags.collect::<Result<Vec<_>, _>>().map_err(|e| Failure::unknown("TagResource", e.to_string()))?;
        let call = clients.sdk().dynamodb.tag_resource().resource_arn(arn).set_tags(Some(tags));
        clients.write(Lane::DynamoDbTagWrite, "TagResource", call.send()).await.map(drop)
    })
    .await
}

/// Table name in a stream ARN (`…:table/NAME/stream/LABEL`).
#[must_use]
pub fn table_of(arn: &str) -> Option<&str> {
    let resource = arn.splitn(6, ':').nth(5)?;
    let mut parts = resource.split('/');
    (parts.next() == Some("table")).then(|| parts.next()).flatten()
}

#[cfg(test)]
mod tests {
    use super::table_of;

    #[test]
    fn the_table_is_in_the_arn() {
        let arn = "arn:aws:dynamodb:us-east-1:123456789012:table/assay-x-journal/stream/2026-11-30T20:00:00.000";
        assert_eq!(table_of(arn), Some("assay-x-journal"));
        assert_eq!(table_of("arn:aws:sqs:us-east-1:123456789012:q"), None);
    }
}
