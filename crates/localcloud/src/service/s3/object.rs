//! Writing and reading objects.

use super::errors::{no_such_key, no_such_version, precondition};
use super::state::{Bucket, Content, State, Version};
use super::{checksum, parse};
use crate::cloud::{Cloud, GLOBAL};
use crate::error::ApiError;
use crate::time;
use crate::wire::Output;
use hyper::body::Bytes;
use serde::Deserialize;
use serde_json::{Map, Value, json};

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct PutInput {
    bucket: String,
    key: String,
    content_type: Option<String>,
    #[serde(default)]
    metadata: Map<String, Value>,
    if_none_match: Option<String>,
    #[serde(rename = "ChecksumCRC32")]
    crc32: Option<String>,
    #[serde(rename = "ChecksumSHA256")]
    sha256: Option<String>,
    copy_source: Option<String>,
}

/// Writes an object. With `IfNoneMatch: *` it is written only if there is none.
pub(super) fn put(cloud: &Cloud, input: Value, body: Bytes) -> Result<Value, ApiError> {
    let input: PutInput = parse(input)?;
    if input.copy_source.is_some() {
        return Err(ApiError::not_emulated("s3 CopyObject"));
    }
    let checksums = checksum::verify(&body, input.crc32.as_deref(), input.sha256.as_deref())?;
    let content_type = content_type(input.content_type);
    let mut answer = json!({
        "ETag": checksums.etag, "ChecksumCRC32": checksums.crc32, "ChecksumSHA256": checksums.sha256,
        "ChecksumType": "FULL_OBJECT", "ServerSideEncryption": "AES256",
    });
    let content = Content { body, content_type, metadata: input.metadata, checksums };
    let (id, now_ms) = (cloud.uuid().replace('-', ""), cloud.clock().now_ms());
    cloud.with(GLOBAL, |state| {
        let bucket = state.s3.bucket_mut(&input.bucket)?;
        check_absent(bucket, &input.key, input.if_none_match.as_deref())?;
        let id = bucket.push(&input.key, id, now_ms, Some(content));
        answer["VersionId"] = json!(bucket.shows_versions().then_some(id));
        Ok::<_, ApiError>(())
    })?;
    cloud.touch();
    Ok(answer)
}

/// The type that an object has if its writer named none.
pub(super) fn content_type(given: Option<String>) -> String {
    given.unwrap_or_else(|| "binary/octet-stream".to_owned())
}

/// `IfNoneMatch: *` refuses to write over an object.
pub(super) fn check_absent(bucket: &Bucket, key: &str, if_none_match: Option<&str>) -> Result<(), ApiError> {
    let is_there = bucket.objects.get(key).and_then(|v| v.last()).is_some_and(|v| v.content.is_some());
    if if_none_match == Some("*") && is_there { Err(precondition()) } else { Ok(()) }
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct GetInput {
    bucket: String,
    key: String,
    version_id: Option<String>,
    range: Option<String>,
}

pub(super) fn get(cloud: &Cloud, input: Value) -> Result<Output, ApiError> {
    let input: GetInput = parse(input)?;
    cloud.with(GLOBAL, |state| {
        let (version, shows_versions) = lookup(&state.s3, &input)?;
        let content = version.content.as_ref().ok_or_else(|| no_such_key(&input.key))?;
        let mut value = metadata(version, content, shows_versions);
        let mut body = content.body.clone();
        if let Some(range) = &input.range {
            let (first, last) = bounds(range, body.len())?;
            value["ContentRange"] = json!(format!("bytes {first}-{last}/{}", body.len()));
            // The checksum is the whole object's, which a client cannot compare with a part.
            value["ChecksumCRC32"] = Value::Null;
            value["ChecksumSHA256"] = Value::Null;
            body = body.slice(first..=last);
        }
        Ok(Output { value, body })
    })
}

pub(super) fn head(cloud: &Cloud, input: Value) -> Result<Value, ApiError> {
    let input: GetInput = parse(input)?;
    cloud.with(GLOBAL, |state| {
        let (version, shows_versions) = lookup(&state.s3, &input)?;
        let content = version.content.as_ref().ok_or_else(|| no_such_key(&input.key))?;
        Ok(metadata(version, content, shows_versions))
    })
}

fn lookup<'a>(state: &'a State, input: &GetInput) -> Result<(&'a Version, bool), ApiError> {
    let bucket = state.bucket(&input.bucket)?;
    Ok((find_version(state, &input.bucket, &input.key, input.version_id.as_deref())?, bucket.shows_versions()))
}

/// An object's content: of this version, or of the newest.
pub(super) fn find<'a>(
    state: &'a State,
    bucket: &str,
    key: &str,
    version: Option<&str>,
) -> Result<&'a Content, ApiError> {
    find_version(state, bucket, key, version)?.content.as_ref().ok_or_else(|| no_such_key(key))
}

fn find_version<'a>(state: &'a State, bucket: &str, key: &str, version: Option<&str>) -> Result<&'a Version, ApiError> {
    let versions = state.bucket(bucket)?.objects.get(key).ok_or_else(|| no_such_key(key))?;
    match version {
        Some(id) => versions.iter().find(|version| version.id == id).ok_or_else(|| no_such_version(key)),
        None => versions.last().ok_or_else(|| no_such_key(key)),
    }
}

fn metadata(version: &Version, content: &Content, shows_versions: bool) -> Value {
    json!({
        "AcceptRanges": "bytes",
        "ChecksumCRC32": content.checksums.crc32,
        "ChecksumSHA256": content.checksums.sha256,
        "ChecksumType": "FULL_OBJECT",
        "ContentLength": content.body.len(),
        "ContentType": content.content_type,
        "ETag": content.checksums.etag,
        "LastModified": time::epoch_seconds(version.modified_ms),
        "Metadata": content.metadata,
        "ServerSideEncryption": "AES256",
        "VersionId": shows_versions.then_some(&version.id),
    })
}

/// First and last byte of a range: `bytes=a-b`, `bytes=a-` or `bytes=-n` (RFC 9110, section 14.1.2).
fn bounds(range: &str, length: usize) -> Result<(usize, usize), ApiError> {
    let invalid = || ApiError::new(416, "InvalidRange", "The requested range is not satisfiable");
    let (first, last) = range.strip_prefix("bytes=").and_then(|r| r.split_once('-')).ok_or_else(invalid)?;
    let number = |text: &str| text.parse::<usize>().map_err(|_| invalid());
    let end = length.checked_sub(1).ok_or_else(invalid)?;
    let (first, last) = match (first, last) {
        ("", n) => (length.saturating_sub(number(n)?), end),
        (first, "") => (number(first)?, end),
        (first, last) => (number(first)?, number(last)?.min(end)),
    };
    if first > last { Err(invalid()) } else { Ok((first, last)) }
}
