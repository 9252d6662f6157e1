//! Deleting objects: without versioning they are gone, with it a delete marker covers them ("Working with delete
//! markers", S3 user guide).

use super::parse;
use super::state::{Bucket, Versioning};
use crate::cloud::{Cloud, GLOBAL};
use crate::error::ApiError;
use serde::Deserialize;
use serde_json::{Value, json};

/// "DeleteObjects" (S3 API reference): at most so many keys.
const MAX_KEYS: usize = 1000;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct OneInput {
    bucket: String,
    key: String,
    version_id: Option<String>,
}

pub(super) fn one(cloud: &Cloud, input: Value) -> Result<Value, ApiError> {
    let input: OneInput = parse(input)?;
    let (id, now_ms) = (cloud.uuid().replace('-', ""), cloud.clock().now_ms());
    cloud.with(GLOBAL, |state| {
        let bucket = state.s3.bucket_mut(&input.bucket)?;
        let outcome = delete(bucket, &input.key, input.version_id.as_deref(), id, now_ms);
        Ok(json!({ "DeleteMarker": outcome.marker.then_some(true), "VersionId": outcome.version }))
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct SeveralInput {
    bucket: String,
    delete: Keys,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Keys {
    #[serde(default)]
    objects: Vec<Key>,
    quiet: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Key {
    key: String,
    version_id: Option<String>,
}

pub(super) fn several(cloud: &Cloud, input: Value) -> Result<Value, ApiError> {
    let input: SeveralInput = parse(input)?;
    if input.delete.objects.is_empty() || input.delete.objects.len() > MAX_KEYS {
        return Err(ApiError::bad("MalformedXML", "between 1 and 1000 objects can be deleted at once"));
    }
    let quiet = matches!(&input.delete.quiet, Some(Value::Bool(true))) || input.delete.quiet == Some(json!("true"));
    let now_ms = cloud.clock().now_ms();
    let mut deleted = Vec::new();
    cloud.with(GLOBAL, |state| {
        let bucket = state.s3.bucket_mut(&input.bucket)?;
        for Key { key, version_id } in input.delete.objects {
            let id = cloud.uuid().replace('-', "");
            let outcome = delete(bucket, &key, version_id.as_deref(), id, now_ms);
            let marker_id = outcome.marker.then_some(outcome.version);
            deleted.push(json!({
                "Key": key, "VersionId": version_id,
                "DeleteMarker": outcome.marker.then_some(true), "DeleteMarkerVersionId": marker_id,
            }));
        }
        Ok::<_, ApiError>(())
    })?;
    Ok(json!({ "Deleted": if quiet { Vec::new() } else { deleted }, "Errors": [] }))
}

struct Outcome {
    /// A delete marker was made or removed.
    marker: bool,
    version: Option<String>,
}

fn delete(bucket: &mut Bucket, key: &str, version: Option<&str>, fresh_id: String, now_ms: i64) -> Outcome {
    if let Some(id) = version {
        let removed = bucket.remove(key, id);
        let marker = removed.is_some_and(|version| version.content.is_none());
        return Outcome { marker, version: Some(id.to_owned()) };
    }
    if bucket.versioning == Versioning::Never {
        bucket.objects.remove(key);
        return Outcome { marker: false, version: None };
    }
    let id = bucket.push(key, fresh_id, now_ms, None);
    Outcome { marker: true, version: Some(id) }
}
