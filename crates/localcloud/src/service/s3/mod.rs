//! Simple Storage Service: buckets, versioned objects, multipart uploads.
//!
//! Buckets are global; each remembers its region.

mod bucket;
mod checksum;
mod config;
mod delete;
mod errors;
mod list;
mod object;
mod parts;
mod state;
mod upload;
mod versions;

#[cfg(test)]
mod tests;

pub(crate) use state::State;

use crate::cloud::{Cloud, Context, GLOBAL};
use crate::error::ApiError;
use crate::wire::Output;
use hyper::body::Bytes;
use serde::de::DeserializeOwned;
use serde_json::Value;

/// Answers one operation; input and output are in the service model's JSON form. Objects are not in it: see
/// [`call_with_body`].
pub(crate) async fn call(cloud: &Cloud, ctx: &Context, operation: &str, input: Value) -> Result<Value, ApiError> {
    Ok(call_with_body(cloud, ctx, operation, input, Bytes::new()).await?.value)
}

/// As [`call`], with the object itself beside its metadata, uncopied.
#[allow(clippy::unused_async)] // the form that all services have
pub(crate) async fn call_with_body(
    cloud: &Cloud,
    ctx: &Context,
    operation: &str,
    input: Value,
    body: Bytes,
) -> Result<Output, ApiError> {
    let value = match operation {
        "PutObject" => object::put(cloud, input, body),
        "GetObject" => return object::get(cloud, input),
        "HeadObject" => object::head(cloud, input),
        "DeleteObject" => delete::one(cloud, input),
        "DeleteObjects" => delete::several(cloud, input),
        "ListObjectsV2" => list::v2(cloud, input),
        "ListObjects" => list::v1(cloud, input),
        "ListObjectVersions" => versions::list(cloud, input),
        "CreateMultipartUpload" => upload::create(cloud, input),
        "UploadPart" => parts::put(cloud, input, body),
        "ListParts" => parts::list(cloud, input),
        "CompleteMultipartUpload" => parts::complete(cloud, input),
        "AbortMultipartUpload" => upload::abort(cloud, input),
        "ListMultipartUploads" => upload::list(cloud, input),
        "CreateBucket" => bucket::create(cloud, ctx, input),
        "HeadBucket" => bucket::head(cloud, input),
        "DeleteBucket" => bucket::delete(cloud, input),
        "ListBuckets" => Ok(bucket::list(cloud)),
        "GetBucketLocation" => bucket::location(cloud, input),
        operation => config::call(cloud, operation, input),
    };
    Ok(Output { value: value?, ..Output::default() })
}

/// An object's bytes, for functions' code.
pub(crate) fn object(cloud: &Cloud, bucket: &str, key: &str, version: Option<&str>) -> Result<Bytes, ApiError> {
    cloud.with(GLOBAL, |state| Ok(object::find(&state.s3, bucket, key, version)?.body.clone()))
}

fn parse<T: DeserializeOwned>(input: Value) -> Result<T, ApiError> {
    serde_json::from_value(input).map_err(|error| ApiError::bad("InvalidRequest", error.to_string()))
}
