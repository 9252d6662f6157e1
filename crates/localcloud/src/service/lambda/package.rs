//! Deployment packages, from an S3 object or from the request itself.

use super::errors::invalid;
use super::input::Input;
use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use crate::lambda::code::{self, Code, CodeError};
use crate::service::s3;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::body::Bytes;
use std::sync::{Arc, Weak};

/// Largest package in the request ("Lambda quotas": 50 MB); S3 objects are bounded by their unzipped size.
const ZIP_LIMIT: usize = 50 * 1024 * 1024;

/// The package that `Code` (or the input of `UpdateFunctionCode`) names, unzipped once per digest.
pub(super) async fn load(cloud: &Cloud, ctx: &Context, source: Input<'_>) -> Result<Arc<Code>, ApiError> {
    let zip = bytes(cloud, source)?;
    let unzip = move || {
        let digest = code::digest(&zip);
        (digest, zip)
    };
    let (digest, zip) = blocking(unzip).await?;
    let known = |state: &mut crate::service::State| state.lambda.packages.get(&digest).and_then(Weak::upgrade);
    if let Some(known) = cloud.with(&ctx.region, known) {
        return Ok(known);
    }
    let fresh = blocking(move || code::unzip(&zip)).await?.map_err(|error| match error {
        CodeError::Zip | CodeError::TooLarge => invalid(error.to_string()),
        CodeError::Disk(_) => ApiError::new(500, "ServiceException", error.to_string()),
    })?;
    let fresh = Arc::new(fresh);
    cloud.with(&ctx.region, |state| {
        let packages = &mut state.lambda.packages;
        packages.retain(|_, package| package.strong_count() > 0);
        packages.insert(fresh.sha256_base64.clone(), Arc::downgrade(&fresh));
    });
    Ok(fresh)
}

fn bytes(cloud: &Cloud, source: Input<'_>) -> Result<Bytes, ApiError> {
    if let Some(text) = source.text("ZipFile") {
        let zip = STANDARD.decode(text).map_err(|_| invalid("Could not unzip uploaded file: it is not base64."))?;
        if zip.len() > ZIP_LIMIT {
            return Err(ApiError::new(413, "RequestTooLargeException", "Request must be smaller than 50 MB"));
        }
        return Ok(zip.into());
    }
    if source.get("ImageUri").is_some() {
        return Err(ApiError::not_emulated("functions from container images"));
    }
    let (Some(bucket), Some(key)) = (source.text("S3Bucket"), source.text("S3Key")) else {
        return Err(invalid("Please provide a source for function code."));
    };
    s3::object(cloud, bucket, key, source.text("S3ObjectVersion")).map_err(|refused| {
        invalid(format!(
            "Error occurred while GetObject. S3 Error Code: {}. S3 Error Message: {}",
            refused.code, refused.message
        ))
    })
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Result<T, ApiError> {
    let ended = tokio::task::spawn_blocking(work).await;
    ended.map_err(|error| ApiError::new(500, "ServiceException", format!("unzipping did not end: {error}")))
}
