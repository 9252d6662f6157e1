//! S3 buckets. Deletions name a version and, where one is expected, the owner's account.

use super::budget::Lane;
use super::clients::Clients;
use super::listing::{Listing, PageCap, pages};
use super::outcome::{Failure, Outcome, RefusalKind, require, settle};
use aws_sdk_s3::primitives::ByteStream;
use aws_sdk_s3::types::{Delete, ObjectIdentifier};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Most objects that one `DeleteObjects` takes (S3 API reference).
pub const DELETE_BATCH: usize = 1_000;

/// An object version or a delete marker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Version {
    /// Object key.
    pub key: String,
    /// Version id; `null` in a bucket without versions.
    pub version_id: Option<String>,
    /// Whether it is a delete marker.
    pub delete_marker: bool,
}

/// A multipart upload that was never completed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Upload {
    /// Object key.
    pub key: String,
    /// Upload id.
    pub upload_id: String,
}

/// Stores an object under a key that holds its bytes' digest (`If-None-Match: *`). That it is there already is as good
/// as done, so putting it twice is putting it once.
pub async fn put_by_digest(clients: &Clients, bucket: &str, key: &str, bytes: Vec<u8>) -> Outcome<()> {
    let call =
        clients.sdk().s3.put_object().bucket(bucket).key(key).if_none_match("*").body(ByteStream::from(bytes)).send();
    match settle(async { clients.write(Lane::S3, "PutObject", call).await.map(drop) }).await {
        Outcome::Refused(refusal) if matches!(refusal.kind, RefusalKind::AlreadyExists | RefusalKind::Conflict) => {
            Outcome::Done(())
        }
        other => other,
    }
}

/// Length of an object in bytes.
pub async fn head(clients: &Clients, bucket: &str, key: &str) -> Outcome<u64> {
    settle(async {
        let call = || clients.sdk().s3.head_object().bucket(bucket).key(key).send();
        let answer = clients.read(Lane::S3, "HeadObject", call).await?;
        let length = answer.content_length.and_then(|length| u64::try_from(length).ok());
        require("HeadObject", "ContentLength", length)
    })
    .await
}

/// Whether the bucket exists and belongs to `owner` (an account id), if given; `Denied` when it is somebody else's.
pub async fn exists(clients: &Clients, bucket: &str, owner: Option<&str>) -> Outcome<()> {
    settle(async {
        let call = || {
            let call = clients.sdk().s3.head_bucket().bucket(bucket);
            call.set_expected_bucket_owner(owner.map(str::to_owned)).send()
        };
        clients.read(Lane::S3, "HeadBucket", call).await.map(drop)
    })
    .await
}

/// Every version and delete marker of a bucket.
pub async fn versions(clients: &Clients, bucket: &str, cap: PageCap) -> Outcome<Listing<Version>> {
    const OPERATION: &str = "ListObjectVersions";
    settle(pages(OPERATION, cap, async |token: Option<String>| {
        let call = || {
            let (key, version) = split(token.as_deref());
            let call = clients.sdk().s3.list_object_versions().bucket(bucket);
            call.set_key_marker(key).set_version_id_marker(version).send()
        };
        let answer = clients.read(Lane::S3, OPERATION, call).await?;
        let versions = answer.versions.unwrap_or_default().into_iter().map(|v| (v.key, v.version_id, false));
        let markers = answer.delete_markers.unwrap_or_default().into_iter().map(|m| (m.key, m.version_id, true));
        let items = versions.chain(markers).map(|(key, version_id, delete_marker)| {
            Ok(Version { key: require(OPERATION, "Key", key)?, version_id, delete_marker })
        });
        let next = join(OPERATION, answer.is_truncated, answer.next_key_marker, answer.next_version_id_marker)?;
        Ok((items.collect::<Result<Vec<_>, Failure>>()?, next))
    }))
    .await
}

/// Every unfinished multipart upload of a bucket.
pub async fn uploads(clients: &Clients, bucket: &str, cap: PageCap) -> Outcome<Listing<Upload>> {
    const OPERATION: &str = "ListMultipartUploads";
    settle(pages(OPERATION, cap, async |token: Option<String>| {
        let call = || {
            let (key, upload) = split(token.as_deref());
            let call = clients.sdk().s3.list_multipart_uploads().bucket(bucket);
            call.set_key_marker(key).set_upload_id_marker(upload).send()
        };
        let answer = clients.read(Lane::S3, OPERATION, call).await?;
        let items = answer.uploads.unwrap_or_default().into_iter().map(|u| {
            Ok(Upload {
                key: require(OPERATION, "Key", u.key)?,
                upload_id: require(OPERATION, "UploadId", u.upload_id)?,
            })
        });
        let next = join(OPERATION, answer.is_truncated, answer.next_key_marker, answer.next_upload_id_marker)?;
        Ok((items.collect::<Result<Vec<_>, Failure>>()?, next))
    }))
    .await
}

/// Deletes at most [`DELETE_BATCH`] versions; the service may refuse some of them, whose keys and codes come back.
pub async fn delete_versions(
    clients: &Clients,
    bucket: &str,
    owner: Option<&str>,
    versions: &[Version],
) -> Outcome<Vec<(String, String)>> {
    const OPERATION: &str = "DeleteObjects";
    settle(async {
        let invalid = |e: aws_sdk_s3::error::BuildError| Failure::unknown(OPERATION, e.to_string());
        let objects = versions.iter().map(|v| {
            ObjectIdentifier::builder().key(&v.key).set_version_id(v.version_id.clone()).build().map_err(invalid)
        });
        let delete = Delete::builder().set_objects(Some(objects.collect::<Result<_, _>>()?)).quiet(true);
        let call = clients.sdk().s3.delete_objects().bucket(bucket).set_expected_bucket_owner(owner.map(str::to_owned));
        let answer = clients.write(Lane::S3, OPERATION, call.delete(delete.build().map_err(invalid)?).send()).await?;
        let errors = answer.errors.unwrap_or_default().into_iter();
        Ok(errors.map(|e| (e.key.unwrap_or_default(), e.code.unwrap_or_default())).collect())
    })
    .await
}

/// Aborts one multipart upload.
pub async fn abort_upload(clients: &Clients, bucket: &str, owner: Option<&str>, upload: &Upload) -> Outcome<()> {
    let call = clients.sdk().s3.abort_multipart_upload().bucket(bucket).key(&upload.key).upload_id(&upload.upload_id);
    let call = call.set_expected_bucket_owner(owner.map(str::to_owned)).send();
    settle(async { clients.write(Lane::S3, "AbortMultipartUpload", call).await.map(drop) }).await
}

/// Tags of a bucket; a bucket without tags answers `NoSuchTagSet`, which is an empty set here.
pub async fn tags(clients: &Clients, bucket: &str) -> Outcome<BTreeMap<String, String>> {
    settle(async {
        let call = || clients.sdk().s3.get_bucket_tagging().bucket(bucket).send();
        match clients.read(Lane::S3, "GetBucketTagging", call).await {
            Ok(answer) => Ok(answer.tag_set.into_iter().map(|t| (t.key, t.value)).collect()),
            Err(Failure::Refused(refusal)) if refusal.code == "NoSuchTagSet" => Ok(BTreeMap::new()),
            Err(failure) => Err(failure),
        }
    })
    .await
}

/// Both markers travel as one token; a key may hold any character but NUL.
fn join(
    operation: &str,
    truncated: Option<bool>,
    key: Option<String>,
    second: Option<String>,
) -> Result<Option<String>, Failure> {
    if truncated != Some(true) {
        return Ok(None);
    }
    let key = require(operation, "NextKeyMarker", key)?;
    Ok(Some(format!("{key}\0{}", second.unwrap_or_default())))
}

fn split(token: Option<&str>) -> (Option<String>, Option<String>) {
    let (key, second) = token.and_then(|t| t.split_once('\0')).unzip();
    (key.map(str::to_owned), second.filter(|s| !s.is_empty()).map(str::to_owned))
}
