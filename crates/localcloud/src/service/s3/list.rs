//! Listing what is there now.

use super::parse;
use super::state::{Bucket, Content, Version};
use crate::cloud::{Cloud, GLOBAL};
use crate::error::ApiError;
use crate::time;
use crate::wire::uri;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// "ListObjectsV2" (S3 API reference): at most so many keys in a page.
pub(super) const MAX_KEYS: usize = 1000;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Input {
    bucket: String,
    #[serde(default)]
    prefix: String,
    #[serde(default)]
    delimiter: String,
    max_keys: Option<usize>,
    continuation_token: Option<String>,
    start_after: Option<String>,
    marker: Option<String>,
    encoding_type: Option<String>,
}

struct Page {
    contents: Vec<Value>,
    prefixes: Vec<Value>,
    /// The last key or prefix of a page that others follow.
    next: Option<String>,
}

pub(super) fn v2(cloud: &Cloud, input: Value) -> Result<Value, ApiError> {
    let input: Input = parse(input)?;
    let after = input.continuation_token.as_deref().or(input.start_after.as_deref()).unwrap_or_default();
    let page = page(cloud, &input, after)?;
    Ok(json!({
        "Name": input.bucket,
        "Prefix": encoded(&input, &input.prefix),
        "Delimiter": some(&input.delimiter),
        "MaxKeys": input.max_keys.unwrap_or(MAX_KEYS),
        "EncodingType": input.encoding_type,
        "KeyCount": page.contents.len() + page.prefixes.len(),
        "IsTruncated": page.next.is_some(),
        "ContinuationToken": input.continuation_token,
        "NextContinuationToken": page.next,
        "Contents": page.contents,
        "CommonPrefixes": page.prefixes,
    }))
}

pub(super) fn v1(cloud: &Cloud, input: Value) -> Result<Value, ApiError> {
    let input: Input = parse(input)?;
    let page = page(cloud, &input, input.marker.as_deref().unwrap_or_default())?;
    let next = page.next.as_ref().filter(|_| !input.delimiter.is_empty());
    Ok(json!({
        "Name": input.bucket,
        "Prefix": encoded(&input, &input.prefix),
        "Delimiter": some(&input.delimiter),
        "Marker": encoded(&input, input.marker.as_deref().unwrap_or_default()),
        "MaxKeys": input.max_keys.unwrap_or(MAX_KEYS),
        "EncodingType": input.encoding_type,
        "IsTruncated": page.next.is_some(),
        "NextMarker": next.map(|next| encoded(&input, next)),
        "Contents": page.contents,
        "CommonPrefixes": page.prefixes,
    }))
}

fn page(cloud: &Cloud, input: &Input, after: &str) -> Result<Page, ApiError> {
    cloud.with(GLOBAL, |state| Ok(collect(state.s3.bucket(&input.bucket)?, input, after)))
}

fn collect(bucket: &Bucket, input: &Input, after: &str) -> Page {
    let limit = input.max_keys.unwrap_or(MAX_KEYS).min(MAX_KEYS);
    let mut page = Page { contents: Vec::new(), prefixes: Vec::new(), next: None };
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut last = String::new();
    for (key, version, content) in bucket.current().filter(|(key, ..)| key.starts_with(&input.prefix)) {
        let group = common_prefix(key, input);
        let place = group.unwrap_or(key);
        if place <= after || group.is_some_and(|group| seen.contains(group)) {
            continue;
        }
        if page.contents.len() + page.prefixes.len() >= limit {
            page.next = Some(last).filter(|_| limit > 0);
            break;
        }
        place.clone_into(&mut last);
        match group {
            Some(group) => {
                seen.insert(group);
                page.prefixes.push(json!({ "Prefix": encoded(input, group) }));
            }
            None => page.contents.push(entry(&encoded(input, key), version, content)),
        }
    }
    page
}

fn common_prefix<'a>(key: &'a str, input: &Input) -> Option<&'a str> {
    if input.delimiter.is_empty() {
        return None;
    }
    let rest = key.get(input.prefix.len()..)?;
    let end = rest.find(&input.delimiter)? + input.prefix.len() + input.delimiter.len();
    key.get(..end)
}

fn entry(key: &str, version: &Version, content: &Content) -> Value {
    json!({
        "Key": key,
        "LastModified": time::epoch_seconds(version.modified_ms),
        "ETag": content.checksums.etag,
        "ChecksumAlgorithm": ["CRC32"],
        "ChecksumType": "FULL_OBJECT",
        "Size": content.body.len(),
        "StorageClass": "STANDARD",
    })
}

/// Keys may hold what XML cannot; clients can ask for them percent-encoded.
fn encoded(input: &Input, text: &str) -> String {
    if input.encoding_type.as_deref() == Some("url") { uri::encode_path(text) } else { text.to_owned() }
}

fn some(text: &str) -> Option<&str> {
    Some(text).filter(|text| !text.is_empty())
}
