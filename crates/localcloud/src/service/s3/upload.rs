//! Multipart uploads in progress, which cost money and hide from object listings.

use super::errors::no_such_upload;
use super::state::Upload;
use super::{object, parse};
use crate::cloud::{ACCOUNT, Cloud, GLOBAL};
use crate::error::ApiError;
use crate::time;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Input {
    bucket: String,
    key: String,
    upload_id: Option<String>,
    content_type: Option<String>,
    #[serde(default)]
    metadata: Map<String, Value>,
}

pub(super) fn create(cloud: &Cloud, input: Value) -> Result<Value, ApiError> {
    let input: Input = parse(input)?;
    let id = cloud.uuid().replace('-', "");
    let upload = Upload {
        began_ms: cloud.clock().now_ms(),
        content_type: object::content_type(input.content_type),
        metadata: input.metadata,
        parts: BTreeMap::new(),
    };
    cloud.with(GLOBAL, |state| {
        let bucket = state.s3.bucket_mut(&input.bucket)?;
        bucket.uploads.insert((input.key.clone(), id.clone()), upload);
        Ok(json!({ "Bucket": input.bucket, "Key": input.key, "UploadId": id }))
    })
}

pub(super) fn abort(cloud: &Cloud, input: Value) -> Result<Value, ApiError> {
    let input: Input = parse(input)?;
    cloud.with(GLOBAL, |state| {
        let bucket = state.s3.bucket_mut(&input.bucket)?;
        let upload = (input.key, input.upload_id.unwrap_or_default());
        bucket.uploads.remove(&upload).map(|_| json!({})).ok_or_else(no_such_upload)
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ListInput {
    bucket: String,
    #[serde(default)]
    prefix: String,
    max_uploads: Option<usize>,
    key_marker: Option<String>,
    upload_id_marker: Option<String>,
}

pub(super) fn list(cloud: &Cloud, input: Value) -> Result<Value, ApiError> {
    let input: ListInput = parse(input)?;
    let limit = input.max_uploads.unwrap_or(1000).min(1000);
    let after = (input.key_marker.clone().unwrap_or_default(), input.upload_id_marker.clone().unwrap_or_default());
    cloud.with(GLOBAL, |state| {
        let uploads = state.s3.bucket(&input.bucket)?.uploads.iter();
        let mut found: Vec<_> = uploads
            .filter(|((key, id), _)| key.starts_with(&input.prefix) && (key, id) > (&after.0, &after.1))
            .collect();
        let more = found.len() > limit;
        found.truncate(limit);
        let last = found.last().filter(|_| more).map(|(upload, _)| (*upload).clone());
        let shown: Vec<Value> = found
            .iter()
            .map(|((key, id), upload)| {
                json!({
                    "Key": key, "UploadId": id, "Initiated": time::epoch_seconds(upload.began_ms),
                    "StorageClass": "STANDARD", "Owner": { "ID": ACCOUNT },
                })
            })
            .collect();
        Ok(json!({
            "Bucket": input.bucket, "Prefix": input.prefix, "MaxUploads": limit, "IsTruncated": more,
            "NextKeyMarker": last.as_ref().map(|(key, _)| key), "NextUploadIdMarker": last.as_ref().map(|(_, id)| id),
            "Uploads": shown,
        }))
    })
}
