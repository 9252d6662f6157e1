//! Listing all versions and delete markers.

use super::list::MAX_KEYS;
use super::parse;
use super::state::{Bucket, Version};
use crate::cloud::{Cloud, GLOBAL};
use crate::error::ApiError;
use crate::time;
use crate::wire::uri;
use serde::Deserialize;
use serde_json::{Map, Value, json};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Input {
    bucket: String,
    #[serde(default)]
    prefix: String,
    max_keys: Option<usize>,
    key_marker: Option<String>,
    version_id_marker: Option<String>,
    encoding_type: Option<String>,
    delimiter: Option<String>,
}

/// By key, the newest version first ("ListObjectVersions", S3 API reference).
pub(super) fn list(cloud: &Cloud, input: Value) -> Result<Value, ApiError> {
    let input: Input = parse(input)?;
    if input.delimiter.as_deref().is_some_and(|delimiter| !delimiter.is_empty()) {
        return Err(ApiError::not_emulated("s3 ListObjectVersions with a delimiter"));
    }
    cloud.with(GLOBAL, |state| Ok(page(state.s3.bucket(&input.bucket)?, &input)))
}

fn page(bucket: &Bucket, input: &Input) -> Value {
    let limit = input.max_keys.unwrap_or(MAX_KEYS).min(MAX_KEYS);
    let all = bucket.objects.iter().filter(|(key, _)| key.starts_with(&input.prefix));
    let all = all.flat_map(|(key, versions)| {
        let newest = versions.len().saturating_sub(1);
        versions.iter().enumerate().rev().map(move |(at, version)| (key, version, at == newest))
    });
    let mut left = after_markers(all, input);
    let (mut versions, mut markers) = (Vec::new(), Vec::new());
    let mut last = None;
    for (key, version, is_latest) in left.by_ref().take(limit) {
        last = Some((key, &version.id));
        let list = if version.content.is_some() { &mut versions } else { &mut markers };
        list.push(entry(input, key, version, is_latest));
    }
    let more = left.next().is_some();
    let mut answer = json!({
        "Name": input.bucket, "Prefix": input.prefix, "MaxKeys": limit, "IsTruncated": more,
        "KeyMarker": input.key_marker, "VersionIdMarker": input.version_id_marker,
        "EncodingType": input.encoding_type, "Versions": versions, "DeleteMarkers": markers,
    });
    if let (true, Some((key, id))) = (more, last) {
        answer["NextKeyMarker"] = json!(shown(input, key));
        answer["NextVersionIdMarker"] = json!(id);
    }
    answer
}

/// What comes after the markers: without a version marker, everything of the key marker's key has been listed.
fn after_markers<'a>(
    all: impl Iterator<Item = (&'a String, &'a Version, bool)>,
    input: &Input,
) -> impl Iterator<Item = (&'a String, &'a Version, bool)> {
    let key_marker = input.key_marker.clone().unwrap_or_default();
    let version_marker = input.version_id_marker.clone().filter(|marker| !marker.is_empty());
    let mut passed = false;
    all.filter(move |(key, version, _)| {
        if key.as_str() != key_marker {
            return key.as_str() > key_marker.as_str();
        }
        let is_after = passed;
        passed |= version_marker.as_ref() == Some(&version.id);
        is_after
    })
}

fn entry(input: &Input, key: &str, version: &Version, is_latest: bool) -> Value {
    let mut entry = Map::from_iter([
        ("Key".to_owned(), json!(shown(input, key))),
        ("VersionId".to_owned(), json!(version.id)),
        ("IsLatest".to_owned(), json!(is_latest)),
        ("LastModified".to_owned(), time::epoch_seconds(version.modified_ms)),
    ]);
    if let Some(content) = &version.content {
        entry.insert("ETag".to_owned(), json!(content.checksums.etag));
        entry.insert("Size".to_owned(), json!(content.body.len()));
        entry.insert("StorageClass".to_owned(), json!("STANDARD"));
    }
    Value::Object(entry)
}

fn shown(input: &Input, key: &str) -> String {
    if input.encoding_type.as_deref() == Some("url") { uri::encode_path(key) } else { key.to_owned() }
}
