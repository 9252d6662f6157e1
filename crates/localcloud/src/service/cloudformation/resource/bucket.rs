//! `AWS::S3::Bucket`.

use super::{Attributes, Failure, Work, attributes, tags};
use serde_json::{Value, json};

pub(super) async fn create(work: &Work<'_>) -> Result<String, Failure> {
    let name = work.physical_name();
    let mut input = json!({ "Bucket": name });
    if work.run.region() != "us-east-1" {
        input["CreateBucketConfiguration"] = json!({ "LocationConstraint": work.run.region() });
    }
    work.call("CreateBucket", input).await?;
    Ok(name)
}

pub(super) async fn settle(work: &Work<'_>, bucket: &str) -> Result<Attributes, Failure> {
    configure(work, bucket).await?;
    if !work.tags.is_empty() {
        work.call("PutBucketTagging", json!({ "Bucket": bucket, "Tagging": { "TagSet": tags::list(&work.tags) } }))
            .await?;
    }
    let region = work.run.region();
    Ok(attributes([
        ("Arn", format!("arn:aws:s3:::{bucket}").into()),
        ("DomainName", format!("{bucket}.s3.amazonaws.com").into()),
        ("DualStackDomainName", format!("{bucket}.s3.dualstack.{region}.amazonaws.com").into()),
        ("RegionalDomainName", format!("{bucket}.s3.{region}.amazonaws.com").into()),
        ("WebsiteURL", format!("http://{bucket}.s3-website-{region}.amazonaws.com").into()),
    ]))
}

/// What a bucket gets by calls of its own.
async fn configure(work: &Work<'_>, bucket: &str) -> Result<(), Failure> {
    if let Some(versioning) = work.property("VersioningConfiguration") {
        let input = json!({ "Bucket": bucket, "VersioningConfiguration": versioning });
        work.call("PutBucketVersioning", input).await?;
    }
    if let Some(block) = work.property("PublicAccessBlockConfiguration") {
        let input = json!({ "Bucket": bucket, "PublicAccessBlockConfiguration": block });
        work.call("PutPublicAccessBlock", input).await?;
    }
    if let Some(encryption) = work.property("BucketEncryption") {
        let input = json!({ "Bucket": bucket, "ServerSideEncryptionConfiguration": { "Rules": rules(encryption) } });
        work.call("PutBucketEncryption", input).await?;
    }
    if let Some(ownership) = work.property("OwnershipControls") {
        let input = json!({ "Bucket": bucket, "OwnershipControls": ownership });
        work.call("PutBucketOwnershipControls", input).await?;
    }
    if let Some(lifecycle) = work.property("LifecycleConfiguration") {
        let input = json!({ "Bucket": bucket, "LifecycleConfiguration": lifecycle });
        work.call("PutBucketLifecycleConfiguration", input).await?;
    }
    Ok(())
}

/// The template's encryption rules under the names of the S3 API.
fn rules(encryption: &Value) -> Value {
    let rules = encryption["ServerSideEncryptionConfiguration"].as_array().into_iter().flatten();
    let rule = |rule: &Value| {
        json!({
            "ApplyServerSideEncryptionByDefault": rule.get("ServerSideEncryptionByDefault"),
            "BucketKeyEnabled": rule.get("BucketKeyEnabled"),
        })
    };
    rules.map(rule).collect()
}

pub(super) async fn update(work: &Work<'_>, bucket: &str) -> Result<(), Failure> {
    if work.tags.is_empty() {
        work.call("DeleteBucketTagging", json!({ "Bucket": bucket })).await?;
    }
    Ok(())
}

pub(super) async fn delete(work: &Work<'_>, bucket: &str) -> Result<(), Failure> {
    work.call("DeleteBucket", json!({ "Bucket": bucket })).await.map(drop)
}

pub(super) async fn find(work: &Work<'_>, bucket: &str) -> Result<bool, Failure> {
    work.found("HeadBucket", json!({ "Bucket": bucket })).await
}
