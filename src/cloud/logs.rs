//! CloudWatch log groups.

use super::budget::Lane;
use super::clients::Clients;
use super::listing::{Listing, PageCap, pages};
use super::outcome::{Failure, Outcome, require, settle};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Groups on one page of `DescribeLogGroups` (CloudWatch Logs API reference: at most 50).
const PAGE: i32 = 50;

/// A log group.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LogGroup {
    /// Name.
    pub name: String,
    /// ARN as the service writes it.
    pub arn: Option<String>,
    /// Milliseconds since the epoch.
    pub created_at_ms: Option<i64>,
}

/// Groups whose name starts with `prefix`.
pub async fn list_by_prefix(clients: &Clients, prefix: &str, cap: PageCap) -> Outcome<Listing<LogGroup>> {
    const OPERATION: &str = "DescribeLogGroups";
    settle(pages(OPERATION, cap, async |token: Option<String>| {
        let call = || {
            let call = clients.sdk().logs.describe_log_groups().log_group_name_prefix(prefix).limit(PAGE);
            call.set_next_token(token.clone()).send()
        };
        let answer = clients.read(Lane::Logs, OPERATION, call).await?;
        let items = answer.log_groups.unwrap_or_default().into_iter().map(|g| {
            let name = require(OPERATION, "logGroupName", g.log_group_name)?;
            Ok(LogGroup { name, arn: g.log_group_arn.or(g.arn), created_at_ms: g.creation_time })
        });
        Ok((items.collect::<Result<Vec<_>, Failure>>()?, answer.next_token))
    }))
    .await
}

/// One group by its whole name; `None` if there is none. The service has no such call, so the prefix is used.
pub async fn find(clients: &Clients, name: &str, cap: PageCap) -> Outcome<Option<LogGroup>> {
    list_by_prefix(clients, name, cap).await.map(|listing| listing.items.into_iter().find(|group| group.name == name))
}

/// Tags of a group, by ARN; the operation takes it without the `:*` at the end (CloudWatch Logs API reference).
pub async fn tags(clients: &Clients, arn: &str) -> Outcome<BTreeMap<String, String>> {
    settle(async {
        let arn = arn.trim_end_matches(":*");
        let call = || clients.sdk().logs.list_tags_for_resource().resource_arn(arn).send();
        let answer = clients.read(Lane::Logs, "ListTagsForResource", call).await?;
        Ok(answer.tags.unwrap_or_default().into_iter().collect())
    })
    .await
}

/// Deletes a group that Lambda made by itself.
pub async fn delete(clients: &Clients, name: &str) -> Outcome<()> {
    let call = clients.sdk().logs.delete_log_group().log_group_name(name).send();
    settle(async { clients.write(Lane::Logs, "DeleteLogGroup", call).await.map(drop) }).await
}
