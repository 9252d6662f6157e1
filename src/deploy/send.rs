//! What goes through S3: long templates and artifacts, under keys that hold their digest.

use super::prepare::Prepared;
use super::stop;
use crate::cloud::stacks::Template;
use crate::cloud::{Clients, buckets};
use crate::exit::Failure;

/// Where CloudFormation fetches an object from.
#[must_use]
pub fn template_url(clients: &Clients, bucket: &str, key: &str) -> String {
    match clients.endpoint().url() {
        Some(endpoint) => format!("{}/{bucket}/{key}", endpoint.trim_end_matches('/')),
        None => format!("https://{bucket}.s3.{}.amazonaws.com/{key}", clients.region()),
    }
}

/// Uploads what has to be uploaded and gives the template as it is sent.
pub(super) async fn upload(clients: &Clients, request: &Prepared) -> Result<Template, Failure> {
    if let (Some((key, bytes)), Some(bucket)) = (&request.artifact, &request.bucket) {
        put(clients, bucket, key, bytes.clone(), "the artifact").await?;
    }
    match &request.bucket {
        Some(bucket) if request.is_long() => {
            let key = format!("templates/{}.yaml", request.template_sha256);
            put(clients, bucket, &key, request.body.clone().into_bytes(), "the template").await?;
            Ok(Template::Url(template_url(clients, bucket, &key)))
        }
        _ => Ok(Template::Body(request.body.clone())),
    }
}

async fn put(clients: &Clients, bucket: &str, key: &str, bytes: Vec<u8>, what: &str) -> Result<(), Failure> {
    let put = buckets::put_by_digest(clients, bucket, key, bytes).await;
    put.into_result().map_err(|e| stop(&format!("upload {what} to {bucket}"), &e))
}
