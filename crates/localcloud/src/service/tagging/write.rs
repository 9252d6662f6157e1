//! `TagResources` and `UntagResources`: handed on to the services that own the resources.

use super::arn::Arn;
use super::{Tags, invalid};
use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use crate::service::{Service, input};
use serde::Deserialize;
use serde_json::{Map, Value, json};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Write {
    #[serde(rename = "ResourceARNList")]
    resource_arn_list: Vec<String>,
    #[serde(default)]
    tags: Tags,
    #[serde(default)]
    tag_keys: Vec<String>,
}

enum Change<'a> {
    Set(&'a Tags),
    Remove(&'a [String]),
}

pub(super) async fn tag(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let input: Write = input::read(input, "InvalidParameterException")?;
    if input.tags.is_empty() || input.tags.keys().any(|key| key.starts_with("aws:")) {
        return Err(invalid("Tags have to be there, and none may start with aws:"));
    }
    each(cloud, ctx, &input.resource_arn_list, &Change::Set(&input.tags)).await
}

pub(super) async fn untag(cloud: &Cloud, ctx: &Context, input: Value) -> Result<Value, ApiError> {
    let input: Write = input::read(input, "InvalidParameterException")?;
    if input.tag_keys.is_empty() {
        return Err(invalid("TagKeys have to be there"));
    }
    each(cloud, ctx, &input.resource_arn_list, &Change::Remove(&input.tag_keys)).await
}

async fn each(cloud: &Cloud, ctx: &Context, arns: &[String], change: &Change<'_>) -> Result<Value, ApiError> {
    if arns.is_empty() || arns.len() > 20 {
        return Err(invalid("ResourceARNList takes 1 to 20 ARNs"));
    }
    let mut failed = Map::new();
    for arn in arns {
        if let Err(error) = one(cloud, ctx, arn, change).await {
            let failure = json!({ "StatusCode": error.status, "ErrorCode": error.code, "ErrorMessage": error.message });
            failed.insert(arn.clone(), failure);
        }
    }
    Ok(json!({ "FailedResourcesMap": failed }))
}

async fn one(cloud: &Cloud, ctx: &Context, text: &str, change: &Change<'_>) -> Result<(), ApiError> {
    let unknown = || invalid(format!("{text} is not the ARN of a resource that can be tagged here"));
    let arn = Arn::parse(text).filter(|arn| arn.is_covered()).ok_or_else(unknown)?;
    let call = |service, operation, input| cloud.call(ctx, service, operation, input);
    match (arn.service, change) {
        ("dynamodb", Change::Set(tags)) => {
            call(Service::DynamoDb, "TagResource", json!({ "ResourceArn": text, "Tags": list(tags) })).await
        }
        ("dynamodb", Change::Remove(keys)) => {
            call(Service::DynamoDb, "UntagResource", json!({ "ResourceArn": text, "TagKeys": keys })).await
        }
        ("logs", Change::Set(tags)) => {
            call(Service::Logs, "TagResource", json!({ "resourceArn": text, "tags": tags })).await
        }
        ("logs", Change::Remove(keys)) => {
            call(Service::Logs, "UntagResource", json!({ "resourceArn": text, "tagKeys": keys })).await
        }
        ("lambda", Change::Set(tags)) => {
            call(Service::Lambda, "TagResource", json!({ "Resource": text, "Tags": tags })).await
        }
        ("lambda", Change::Remove(keys)) => {
            call(Service::Lambda, "UntagResource", json!({ "Resource": text, "TagKeys": keys })).await
        }
        ("sqs", change) => queue(cloud, ctx, arn.name(), change).await,
        ("s3", change) => bucket(cloud, ctx, arn.name(), change).await,
        _ => Err(unknown()),
    }
    .map(drop)
}

async fn queue(cloud: &Cloud, ctx: &Context, name: &str, change: &Change<'_>) -> Result<Value, ApiError> {
    let found = cloud.call(ctx, Service::Sqs, "GetQueueUrl", json!({ "QueueName": name })).await?;
    let url = &found["QueueUrl"];
    match change {
        Change::Set(tags) => cloud.call(ctx, Service::Sqs, "TagQueue", json!({ "QueueUrl": url, "Tags": tags })).await,
        Change::Remove(keys) => {
            cloud.call(ctx, Service::Sqs, "UntagQueue", json!({ "QueueUrl": url, "TagKeys": keys })).await
        }
    }
}

/// S3 replaces the whole set, so it is read first.
async fn bucket(cloud: &Cloud, ctx: &Context, name: &str, change: &Change<'_>) -> Result<Value, ApiError> {
    let mut tags = match cloud.call(ctx, Service::S3, "GetBucketTagging", json!({ "Bucket": name })).await {
        Ok(found) => found["TagSet"].as_array().into_iter().flatten().filter_map(pair).collect(),
        Err(error) if error.code == "NoSuchTagSet" => Tags::new(),
        Err(error) => return Err(error),
    };
    match change {
        Change::Set(new) => tags.extend(new.iter().map(|(key, value)| (key.clone(), value.clone()))),
        Change::Remove(keys) => tags.retain(|key, _| !keys.contains(key)),
    }
    let input = json!({ "Bucket": name, "Tagging": { "TagSet": list(&tags) } });
    cloud.call(ctx, Service::S3, "PutBucketTagging", input).await
}

fn pair(tag: &Value) -> Option<(String, String)> {
    Some((tag["Key"].as_str()?.to_owned(), tag["Value"].as_str()?.to_owned()))
}

fn list(tags: &Tags) -> Vec<Value> {
    tags.iter().map(|(key, value)| json!({ "Key": key, "Value": value })).collect()
}
