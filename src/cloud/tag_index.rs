//! The tag index (Resource Groups Tagging API): a lead, never proof. It returns "tagged or previously tagged"
//! resources, lags behind deletions for hours, and knows no IAM roles.

use super::budget::Lane;
use super::clients::Clients;
use super::listing::{Listing, PageCap, pages};
use super::outcome::{Failure, Outcome, require};
use aws_sdk_resourcegroupstagging::types::TagFilter;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Resources on one page (API reference: at most 100).
const PAGE: i32 = 100;
/// Times that a listing starts again after its token, which lives 15 minutes, has expired.
const RESTARTS: u32 = 2;

/// A resource that the index lists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Indexed {
    /// ARN.
    pub arn: String,
    /// Tags as the index remembers them.
    pub tags: BTreeMap<String, String>,
}

/// Resources of the region that carry `key` with `value`.
pub async fn list(clients: &Clients, key: &str, value: &str, cap: PageCap) -> Outcome<Listing<Indexed>> {
    let mut left = RESTARTS;
    loop {
        match walk(clients, key, value, cap).await {
            Err(Failure::Refused(refusal)) if refusal.code.contains("PaginationTokenExpired") && left > 0 => left -= 1,
            settled => return settled.into(),
        }
    }
}

async fn walk(clients: &Clients, key: &str, value: &str, cap: PageCap) -> Result<Listing<Indexed>, Failure> {
    const OPERATION: &str = "GetResources";
    pages(OPERATION, cap, async |token: Option<String>| {
        let call = || {
            let filter = TagFilter::builder().key(key).values(value).build();
            let call = clients.sdk().tagging.get_resources().tag_filters(filter).resources_per_page(PAGE);
            call.set_pagination_token(token.clone()).send()
        };
        let answer = clients.read(Lane::Tagging, OPERATION, call).await?;
        let items = answer.resource_tag_mapping_list.unwrap_or_default().into_iter().map(|r| {
            let tags = r.tags.unwrap_or_default().into_iter().map(|t| (t.key, t.value)).collect();
            Ok(Indexed { arn: require(OPERATION, "ResourceARN", r.resource_arn)?, tags })
        });
        Ok((items.collect::<Result<Vec<_>, Failure>>()?, answer.pagination_token))
    })
    .await
}
