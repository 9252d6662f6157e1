//! `GetResources`, `GetTagKeys` and `GetTagValues`.

use super::arn::Arn;
use super::index::{Entry, View};
use super::{Tags, invalid};
use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use crate::fault::Effect;
use crate::service::{Service, input};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// "Pagination tokens are valid for a maximum of 15 minutes" (API reference, `PaginationTokenExpiredException`).
const TOKEN_MS: i64 = 15 * 60 * 1000;

/// Entries that one page looks at; like the service, a page may hold less than asked for while more remain.
const SCANNED_PER_PAGE: usize = 10_000;

/// Keys or values in one page.
const NAMES_PER_PAGE: usize = 1000;

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct GetResources {
    pagination_token: Option<String>,
    tag_filters: Vec<TagFilter>,
    resources_per_page: Option<usize>,
    tags_per_page: Option<usize>,
    resource_type_filters: Vec<String>,
    include_compliance_details: bool,
    exclude_compliant_resources: bool,
    #[serde(rename = "ResourceARNList")]
    resource_arn_list: Option<Vec<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "PascalCase", default)]
struct TagFilter {
    key: String,
    values: Vec<String>,
}

impl TagFilter {
    fn matches(&self, tags: &Tags) -> bool {
        tags.get(&self.key).is_some_and(|value| self.values.is_empty() || self.values.contains(value))
    }
}

impl GetResources {
    fn check(&self) -> Result<usize, ApiError> {
        if self.include_compliance_details || self.exclude_compliant_resources || self.tags_per_page.is_some() {
            return Err(ApiError::not_emulated("tagging GetResources by compliance or by tags per page"));
        }
        if self.tag_filters.len() > 50 || self.tag_filters.iter().any(|f| f.key.is_empty() || f.values.len() > 20) {
            return Err(invalid("TagFilters take at most 50 keys, each with at most 20 values"));
        }
        if self.resource_type_filters.len() > 100 {
            return Err(invalid("ResourceTypeFilters take at most 100 types"));
        }
        match self.resources_per_page.unwrap_or(100) {
            size @ 1..=100 => Ok(size),
            size => Err(invalid(format!("ResourcesPerPage is {size}; it has to be from 1 to 100"))),
        }
    }

    fn matches(&self, arn: &str, entry: &Entry) -> bool {
        let kinds = &self.resource_type_filters;
        let kind = || Arn::parse(arn).is_some_and(|arn| kinds.iter().any(|filter| arn.matches(filter)));
        self.tag_filters.iter().all(|filter| filter.matches(&entry.tags)) && (kinds.is_empty() || kind())
    }
}

pub(super) fn resources(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let input: GetResources = input::read(input, "InvalidParameterException")?;
    let size = input.check()?;
    let now_ms = cloud.clock().now_ms();
    let stale = is_stale(cloud, "GetResources");
    cloud.with(&ctx.region, |state| {
        let view = state.tagging.view(now_ms, cloud.tag_lag(), stale);
        match &input.resource_arn_list {
            Some(arns) => listed(view, &input, arns),
            None => page(view, &input, size, now_ms),
        }
    })
}

/// Whether a fault lets this call see the index as it was before the last deletions.
fn is_stale(cloud: &Cloud, operation: &str) -> bool {
    cloud.faults().next(Service::Tagging, operation).contains(&Effect::StaleTagIndex)
}

/// ARNs that are not known are left out without a word.
fn listed(view: View<'_>, input: &GetResources, arns: &[String]) -> Result<Value, ApiError> {
    let alone = input.pagination_token.as_ref().is_none_or(String::is_empty)
        && input.tag_filters.is_empty()
        && input.resource_type_filters.is_empty()
        && input.resources_per_page.is_none();
    if !alone || arns.is_empty() || arns.len() > 100 {
        return Err(invalid("ResourceARNList takes 1 to 100 ARNs and no other parameter"));
    }
    let found: Vec<Value> =
        arns.iter().filter_map(|arn| view.get(arn).map(|entry| mapping(arn, &entry.tags))).collect();
    Ok(json!({ "PaginationToken": "", "ResourceTagMappingList": found }))
}

fn page(view: View<'_>, input: &GetResources, size: usize, now_ms: i64) -> Result<Value, ApiError> {
    let after = position(input.pagination_token.as_deref(), now_ms)?;
    let mut found = Vec::new();
    let mut entries = view.after(after.as_deref()).peekable();
    let mut last = None;
    for (scanned, (arn, entry)) in entries.by_ref().enumerate() {
        if input.matches(arn, entry) {
            found.push(mapping(arn, &entry.tags));
        }
        last = Some(arn);
        if found.len() == size || scanned + 1 == SCANNED_PER_PAGE {
            break;
        }
    }
    let more = last.filter(|_| entries.peek().is_some());
    let token = more.map_or_else(String::new, |arn| input::token(&[&now_ms.to_string(), arn]));
    Ok(json!({ "PaginationToken": token, "ResourceTagMappingList": found }))
}

/// Where a page starts: after the last entry of the page before.
fn position(token: Option<&str>, now_ms: i64) -> Result<Option<String>, ApiError> {
    let Some(token) = token.filter(|token| !token.is_empty()) else { return Ok(None) };
    let refused = || invalid("the PaginationToken is not one of this operation");
    let [issued, after] = input::open_token::<2>(token).ok_or_else(refused)?;
    let issued: i64 = issued.parse().map_err(|_| refused())?;
    if now_ms.saturating_sub(issued) > TOKEN_MS {
        return Err(ApiError::bad(
            "PaginationTokenExpiredException",
            "A PaginationToken is valid for a maximum of 15 minutes",
        ));
    }
    Ok(Some(after))
}

fn mapping(arn: &str, tags: &Tags) -> Value {
    let tags: Vec<Value> = tags.iter().map(|(key, value)| json!({ "Key": key, "Value": value })).collect();
    json!({ "ResourceARN": arn, "Tags": tags })
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct GetNames {
    pagination_token: Option<String>,
    #[serde(default)]
    key: String,
}

pub(super) fn keys(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    names(cloud, ctx, input, "TagKeys", |_, entry| entry.tags.keys().cloned().collect())
}

pub(super) fn values(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    names(cloud, ctx, input, "TagValues", |input, entry| entry.tags.get(&input.key).cloned().into_iter().collect())
}

fn names(
    cloud: &Cloud,
    ctx: &Context,
    input: Value,
    member: &str,
    of: impl Fn(&GetNames, &Entry) -> Vec<String>,
) -> Result<Value, ApiError> {
    let input: GetNames = input::read(input, "InvalidParameterException")?;
    let now_ms = cloud.clock().now_ms();
    let after = position(input.pagination_token.as_deref(), now_ms)?.unwrap_or_default();
    let all: BTreeSet<String> = cloud.with(&ctx.region, |state| {
        let view = state.tagging.view(now_ms, cloud.tag_lag(), false);
        view.after(None).flat_map(|(_, entry)| of(&input, entry)).collect()
    });
    let mut rest = all.into_iter().filter(|name| after.is_empty() || *name > after);
    let page: Vec<String> = rest.by_ref().take(NAMES_PER_PAGE).collect();
    let more = page.last().filter(|_| rest.next().is_some());
    let token = more.map_or_else(String::new, |name| input::token(&[&now_ms.to_string(), name]));
    Ok(json!({ "PaginationToken": token, member: page }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::service::tagging::State;
    use std::time::Duration;

    /// Every entry once, however many there are; pages stay short where few match.
    #[test]
    fn a_hundred_thousand_resources_are_paged() {
        let mut state = State::default();
        for n in 0..100_000 {
            let rare = if n % 997 == 0 { "yes" } else { "no" };
            let tags = Tags::from([("rare".to_owned(), rare.to_owned())]);
            state.put(&format!("arn:aws:sqs:us-east-1:000000000000:q-{n:06}"), &tags);
        }
        let mut all = |mut input: GetResources| {
            let (mut arns, mut pages) = (Vec::new(), 0);
            loop {
                let view = state.view(0, Duration::ZERO, false);
                let page = page(view, &input, 100, 0).unwrap();
                let found = page["ResourceTagMappingList"].as_array().unwrap().iter();
                arns.extend(found.map(|mapping| mapping["ResourceARN"].as_str().unwrap().to_owned()));
                pages += 1;
                match page["PaginationToken"].as_str().unwrap() {
                    "" => return (arns, pages),
                    token => input.pagination_token = Some(token.to_owned()),
                }
            }
        };
        let (arns, pages) = all(GetResources::default());
        assert_eq!((arns.len(), pages), (100_000, 1000));
        assert!(arns.is_sorted());
        let rare = TagFilter { key: "rare".to_owned(), values: vec!["yes".to_owned()] };
        let (arns, pages) = all(GetResources { tag_filters: vec![rare], ..GetResources::default() });
        assert_eq!(arns.len(), 101);
        assert!((10..=12).contains(&pages), "{pages}");
    }
}
