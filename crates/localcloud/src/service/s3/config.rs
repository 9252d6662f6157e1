//! Configurations of buckets: versioning and tags mean something here, the others are kept and answered.

use super::bucket::{OfBucket, arn};
use super::parse;
use super::state::Versioning;
use crate::cloud::{Cloud, GLOBAL};
use crate::error::ApiError;
use crate::service::tagging;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// A configuration that is only kept.
struct Kept {
    /// End of the operations' names, and the member of input and output.
    name: &'static str,
    member: &'static str,
    /// Error of asking for one that is not there.
    missing: (&'static str, &'static str),
}

const KEPT: [Kept; 5] = [
    Kept {
        name: "BucketOwnershipControls",
        member: "OwnershipControls",
        missing: ("OwnershipControlsNotFoundError", "The bucket ownership controls were not found"),
    },
    Kept {
        name: "PublicAccessBlock",
        member: "PublicAccessBlockConfiguration",
        missing: ("NoSuchPublicAccessBlockConfiguration", "The public access block configuration was not found"),
    },
    Kept {
        name: "BucketEncryption",
        member: "ServerSideEncryptionConfiguration",
        missing: (
            "ServerSideEncryptionConfigurationNotFoundError",
            "The server side encryption configuration was not found",
        ),
    },
    Kept {
        name: "BucketPolicy",
        member: "Policy",
        missing: ("NoSuchBucketPolicy", "The bucket policy does not exist"),
    },
    Kept {
        name: "BucketLifecycleConfiguration",
        member: "LifecycleConfiguration",
        missing: ("NoSuchLifecycleConfiguration", "The lifecycle configuration does not exist"),
    },
];

/// Operations on configurations.
pub(super) fn call(cloud: &Cloud, operation: &str, input: Value) -> Result<Value, ApiError> {
    match operation {
        "PutBucketVersioning" => put_versioning(cloud, &input),
        "GetBucketVersioning" => get_versioning(cloud, input),
        "PutBucketTagging" => set_tags(cloud, &input, &tags(&input)?),
        "GetBucketTagging" => get_tags(cloud, input),
        "DeleteBucketTagging" => set_tags(cloud, &input, &BTreeMap::new()),
        "DeleteBucketLifecycle" => kept(cloud, "DeleteBucketLifecycleConfiguration", input),
        operation => kept(cloud, operation, input),
    }
}

fn kept(cloud: &Cloud, operation: &str, mut input: Value) -> Result<Value, ApiError> {
    let not_emulated = || ApiError::not_emulated(format!("s3 {operation}"));
    let kept = KEPT.iter().find(|kept| operation.ends_with(kept.name)).ok_or_else(not_emulated)?;
    let value = input.get_mut(kept.member).map_or(Value::Null, Value::take);
    let name: OfBucket = parse(input)?;
    cloud.with(GLOBAL, |state| {
        let bucket = state.s3.bucket_mut(&name.bucket)?;
        match operation.strip_suffix(kept.name) {
            Some("Put") => drop(bucket.config.insert(kept.name, value)),
            Some("Delete") => drop(bucket.config.remove(kept.name)),
            Some("Get") => {
                let found = bucket.config.get(kept.name).cloned().or_else(|| default_of(kept.name));
                let (code, message) = kept.missing;
                let found = found.ok_or_else(|| ApiError::new(404, code, message))?;
                return Ok(json!({ kept.member: found }));
            }
            _ => return Err(not_emulated()),
        }
        Ok(json!({}))
    })
}

/// Every bucket is encrypted with keys of S3 ("Setting default server-side encryption", S3 user guide).
fn default_of(name: &str) -> Option<Value> {
    let rule = json!({ "ApplyServerSideEncryptionByDefault": { "SSEAlgorithm": "AES256" }, "BucketKeyEnabled": false });
    (name == "BucketEncryption").then(|| json!({ "Rules": [rule] }))
}

fn put_versioning(cloud: &Cloud, input: &Value) -> Result<Value, ApiError> {
    let status = input.get("VersioningConfiguration").and_then(|c| c.get("Status")).and_then(Value::as_str);
    let versioning = match status {
        Some("Enabled") => Versioning::Enabled,
        Some("Suspended") => Versioning::Suspended,
        _ => return Err(ApiError::bad("IllegalVersioningConfigurationException", "Status is Enabled or Suspended")),
    };
    let name: OfBucket = parse(input.clone())?;
    cloud.with(GLOBAL, |state| {
        state.s3.bucket_mut(&name.bucket)?.versioning = versioning;
        Ok(json!({}))
    })
}

fn get_versioning(cloud: &Cloud, input: Value) -> Result<Value, ApiError> {
    let name: OfBucket = parse(input)?;
    cloud.with(GLOBAL, |state| {
        Ok(match state.s3.bucket(&name.bucket)?.versioning {
            Versioning::Never => json!({}),
            Versioning::Enabled => json!({ "Status": "Enabled" }),
            Versioning::Suspended => json!({ "Status": "Suspended" }),
        })
    })
}

fn tags(input: &Value) -> Result<BTreeMap<String, String>, ApiError> {
    let malformed = || ApiError::bad("MalformedXML", "The tag set is not well-formed");
    let set = input.get("Tagging").and_then(|tagging| tagging.get("TagSet")).and_then(Value::as_array);
    set.into_iter()
        .flatten()
        .map(|tag| {
            let text = |name: &str| tag.get(name).and_then(Value::as_str).map(str::to_owned);
            Ok((text("Key").ok_or_else(malformed)?, text("Value").ok_or_else(malformed)?))
        })
        .collect()
}

fn set_tags(cloud: &Cloud, input: &Value, tags: &BTreeMap<String, String>) -> Result<Value, ApiError> {
    let name: OfBucket = parse(input.clone())?;
    let region = cloud.with(GLOBAL, |state| {
        let bucket = state.s3.bucket_mut(&name.bucket)?;
        bucket.tags.clone_from(tags);
        Ok::<_, ApiError>(bucket.region.clone())
    })?;
    cloud.with(&region, |state| tagging::put(state, &arn(&name.bucket), tags));
    Ok(json!({}))
}

fn get_tags(cloud: &Cloud, input: Value) -> Result<Value, ApiError> {
    let name: OfBucket = parse(input)?;
    cloud.with(GLOBAL, |state| {
        let tags = &state.s3.bucket(&name.bucket)?.tags;
        if tags.is_empty() {
            return Err(ApiError::new(404, "NoSuchTagSet", "The TagSet does not exist"));
        }
        let set: Vec<Value> = tags.iter().map(|(key, value)| json!({ "Key": key, "Value": value })).collect();
        Ok(json!({ "TagSet": set }))
    })
}
