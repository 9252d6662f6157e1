//! Creating, finding and deleting buckets.

use super::errors::{exists, no_such_bucket, not_empty};
use super::parse;
use super::state::{Bucket, Versioning};
use crate::cloud::{ACCOUNT, Cloud, Context, GLOBAL};
use crate::error::ApiError;
use crate::service::tagging;
use crate::time;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Inputs that name a bucket.
#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct OfBucket {
    pub(super) bucket: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct CreateInput {
    bucket: String,
    create_bucket_configuration: Option<Value>,
}

/// Creates a bucket, in the region asked for or else that of the call.
pub(super) fn create(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let input: CreateInput = parse(input)?;
    check_name(&input.bucket)?;
    let constraint = input.create_bucket_configuration.as_ref().and_then(|c| c.get("LocationConstraint"));
    let region = constraint.and_then(Value::as_str).filter(|r| !r.is_empty()).unwrap_or(&ctx.region).to_owned();
    let created_ms = cloud.clock().now_ms();
    cloud.with(GLOBAL, |state| {
        if state.s3.buckets.contains_key(&input.bucket) {
            return Err(exists());
        }
        let bucket = Bucket {
            region,
            created_ms,
            versioning: Versioning::Never,
            tags: BTreeMap::new(),
            config: BTreeMap::new(),
            objects: BTreeMap::new(),
            uploads: BTreeMap::new(),
        };
        state.s3.buckets.insert(input.bucket.clone(), bucket);
        Ok(())
    })?;
    Ok(json!({ "Location": format!("/{}", input.bucket), "BucketArn": arn(&input.bucket) }))
}

/// "Bucket naming rules" (S3 user guide), as far as clients get them wrong.
fn check_name(name: &str) -> Result<(), ApiError> {
    let legal = name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'.');
    let ends = [name.bytes().next(), name.bytes().last()];
    let ends_legal = ends.iter().flatten().all(u8::is_ascii_alphanumeric);
    if (3..=63).contains(&name.len()) && legal && ends_legal && !name.contains("..") {
        return Ok(());
    }
    Err(ApiError::bad("InvalidBucketName", "The specified bucket is not valid."))
}

pub(super) fn arn(bucket: &str) -> String {
    format!("arn:aws:s3:::{bucket}")
}

pub(super) fn head(cloud: &Cloud, input: Value) -> Result<Value, ApiError> {
    let input: OfBucket = parse(input)?;
    cloud.with(GLOBAL, |state| {
        let bucket = state.s3.bucket(&input.bucket)?;
        Ok(json!({ "BucketRegion": bucket.region, "BucketArn": arn(&input.bucket) }))
    })
}

/// The constraint; buckets of us-east-1 have none ("GetBucketLocation", S3 API reference).
pub(super) fn location(cloud: &Cloud, input: Value) -> Result<Value, ApiError> {
    let input: OfBucket = parse(input)?;
    cloud.with(GLOBAL, |state| {
        let region = &state.s3.bucket(&input.bucket)?.region;
        Ok(if region == "us-east-1" { json!({}) } else { json!({ "LocationConstraint": region }) })
    })
}

pub(super) fn delete(cloud: &Cloud, input: Value) -> Result<Value, ApiError> {
    let input: OfBucket = parse(input)?;
    let region = cloud.with(GLOBAL, |state| {
        if !state.s3.bucket(&input.bucket)?.objects.is_empty() {
            return Err(not_empty());
        }
        state.s3.buckets.remove(&input.bucket).map(|bucket| bucket.region).ok_or_else(|| no_such_bucket(&input.bucket))
    })?;
    let now_ms = cloud.clock().now_ms();
    cloud.with(&region, |state| tagging::deleted(state, &arn(&input.bucket), now_ms));
    Ok(json!({}))
}

pub(super) fn list(cloud: &Cloud) -> Value {
    let buckets: Vec<Value> = cloud.with(GLOBAL, |state| {
        let buckets = state.s3.buckets.iter();
        buckets
            .map(|(name, bucket)| {
                json!({
                    "Name": name,
                    "BucketRegion": bucket.region,
                    "CreationDate": time::epoch_seconds(bucket.created_ms),
                })
            })
            .collect()
    });
    json!({ "Buckets": buckets, "Owner": { "ID": ACCOUNT } })
}
