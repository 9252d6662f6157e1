//! The tag index (Resource Groups Tagging API): a lead, never proof. It returns "tagged or previously tagged"
//! resources, lags behind deletions for hours, and knows no IAM roles.

use super::budget::Lane;
use super::clients::Clients;
use super::listing::{Listing, PageCap, pages};
use super::outcome::{Failure, Outcome, require};
use aws_sdk_resourcegroupstagging::types::TagFilter;
use std::sync::{Mutex, PoisonError};

/// Resources on one page (API reference: at most 100).
const PAGE: i32 = 100;
/// Times that a listing starts again after its token, which lives 15 minutes, has expired.
const RESTARTS: u32 = 2;

/// Tells the ARN of every resource of the region that carries `key` with `value`, page by page, and gives the pages
/// read. What was told before a failure stays told; after an expired token the walk begins again and tells it twice.
pub async fn each(
    clients: &Clients,
    key: &str,
    value: &str,
    cap: PageCap,
    tell: impl FnMut(&str),
) -> Outcome<Listing<()>> {
    let mut left = RESTARTS;
    let tell = Mutex::new(tell);
    loop {
        match walk(clients, key, value, cap, &tell).await {
            Err(Failure::Refused(refusal)) if refusal.code.contains("PaginationTokenExpired") && left > 0 => left -= 1,
            settled => return settled.into(),
        }
    }
}

async fn walk(
    clients: &Clients,
    key: &str,
    value: &str,
    cap: PageCap,
    tell: &Mutex<impl FnMut(&str)>,
) -> Result<Listing<()>, Failure> {
    const OPERATION: &str = "GetResources";
    pages(OPERATION, cap, async |token: Option<String>| {
        let call = || {
            let filter = TagFilter::builder().key(key).values(value).build();
            let call = clients.sdk().tagging.get_resources().tag_filters(filter).resources_per_page(PAGE);
            call.set_pagination_token(token.clone()).send()
        };
        let answer = clients.read(Lane::Tagging, OPERATION, call).await?;
        for resource in answer.resource_tag_mapping_list.unwrap_or_default() {
            let arn = require(OPERATION, "ResourceARN", resource.resource_arn)?;
            tell.lock().unwrap_or_else(PoisonError::into_inner)(&arn);
        }
        Ok((Vec::new(), answer.pagination_token))
    })
    .await
}
