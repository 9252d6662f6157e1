//! Parts of multipart uploads, and putting them together ("Uploading and copying objects using multipart upload", S3
//! user guide).

use super::errors::{invalid_part, invalid_part_order, no_such_upload, part_too_small};
use super::state::{Content, Part, State, Upload};
use super::{checksum, object, parse};
use crate::cloud::{Cloud, GLOBAL};
use crate::error::ApiError;
use crate::time;
use hyper::body::Bytes;
use serde::Deserialize;
use serde_json::{Value, json};

/// "Amazon S3 multipart upload limits" (S3 user guide): part numbers from 1 to this.
const MAX_PART: u32 = 10_000;
/// The same: every part but the last has at least so many bytes.
const MIN_BYTES: usize = 5 * 1024 * 1024;

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct PutInput {
    bucket: String,
    key: String,
    upload_id: String,
    part_number: u32,
    #[serde(rename = "ChecksumCRC32")]
    crc32: Option<String>,
    #[serde(rename = "ChecksumSHA256")]
    sha256: Option<String>,
    copy_source: Option<String>,
}

/// Stores one part; a part sent again replaces the first.
pub(super) fn put(cloud: &Cloud, input: Value, body: Bytes) -> Result<Value, ApiError> {
    let input: PutInput = parse(input)?;
    if input.copy_source.is_some() {
        return Err(ApiError::not_emulated("s3 UploadPartCopy"));
    }
    if !(1..=MAX_PART).contains(&input.part_number) {
        return Err(ApiError::bad("InvalidArgument", format!("a part number is 1 to {MAX_PART}")));
    }
    let checksums = checksum::verify(&body, input.crc32.as_deref(), input.sha256.as_deref())?;
    let answer = json!({
        "ETag": checksums.etag, "ChecksumCRC32": checksums.crc32, "ChecksumSHA256": checksums.sha256,
        "ServerSideEncryption": "AES256",
    });
    let part = Part { body, checksums, modified_ms: cloud.clock().now_ms() };
    cloud.with(GLOBAL, |state| {
        let upload = find(&mut state.s3, &input.bucket, &input.key, &input.upload_id)?;
        upload.parts.insert(input.part_number, part);
        Ok(answer)
    })
}

fn find<'a>(state: &'a mut State, bucket: &str, key: &str, id: &str) -> Result<&'a mut Upload, ApiError> {
    let uploads = &mut state.bucket_mut(bucket)?.uploads;
    uploads.get_mut(&(key.to_owned(), id.to_owned())).ok_or_else(no_such_upload)
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct ListInput {
    bucket: String,
    key: String,
    upload_id: String,
    #[serde(default)]
    part_number_marker: u32,
    max_parts: Option<usize>,
}

pub(super) fn list(cloud: &Cloud, input: Value) -> Result<Value, ApiError> {
    let input: ListInput = parse(input)?;
    let limit = input.max_parts.unwrap_or(1000).min(1000);
    cloud.with(GLOBAL, |state| {
        let upload = find(&mut state.s3, &input.bucket, &input.key, &input.upload_id)?;
        let after = upload.parts.range(input.part_number_marker.saturating_add(1)..);
        let mut parts: Vec<_> = after.map(|(number, part)| shown(*number, part)).collect();
        let more = parts.len() > limit;
        parts.truncate(limit);
        Ok(json!({
            "Bucket": input.bucket, "Key": input.key, "UploadId": input.upload_id, "StorageClass": "STANDARD",
            "PartNumberMarker": input.part_number_marker, "MaxParts": limit, "IsTruncated": more,
            "NextPartNumberMarker": parts.last().filter(|_| more).map(|part| part["PartNumber"].clone()),
            "Parts": parts,
        }))
    })
}

fn shown(number: u32, part: &Part) -> Value {
    json!({
        "PartNumber": number, "ETag": part.checksums.etag, "Size": part.body.len(),
        "LastModified": time::epoch_seconds(part.modified_ms), "ChecksumCRC32": part.checksums.crc32,
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct CompleteInput {
    bucket: String,
    key: String,
    upload_id: String,
    if_none_match: Option<String>,
    multipart_upload: Named,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Named {
    #[serde(default)]
    parts: Vec<NamedPart>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct NamedPart {
    #[serde(rename = "ETag")]
    etag: String,
    part_number: Number,
}

/// Documents give numbers as text, models as numbers.
#[derive(Deserialize)]
#[serde(untagged)]
enum Number {
    Number(u32),
    Text(String),
}

impl NamedPart {
    fn number(&self) -> Result<u32, ApiError> {
        match &self.part_number {
            Number::Number(number) => Ok(*number),
            Number::Text(text) => text.parse().map_err(|_| invalid_part()),
        }
    }
}

/// Makes an object of the parts named. Its checksum is the whole object's.
pub(super) fn complete(cloud: &Cloud, input: Value) -> Result<Value, ApiError> {
    let input: CompleteInput = parse(input)?;
    let (id, now_ms) = (cloud.uuid().replace('-', ""), cloud.clock().now_ms());
    let answer = cloud.with(GLOBAL, |state| {
        object::check_absent(state.s3.bucket(&input.bucket)?, &input.key, input.if_none_match.as_deref())?;
        let upload = find(&mut state.s3, &input.bucket, &input.key, &input.upload_id)?;
        let body = joined(upload, &input.multipart_upload.parts)?;
        let mut checksums = checksum::verify(&body, None, None)?;
        checksums.etag = format!("\"{}-{}\"", checksums.etag.trim_matches('"'), input.multipart_upload.parts.len());
        let mut answer = json!({
            "Bucket": input.bucket, "Key": input.key, "ETag": checksums.etag,
            "ChecksumCRC32": checksums.crc32, "ChecksumType": "FULL_OBJECT",
        });
        let content =
            Content { body, content_type: upload.content_type.clone(), metadata: upload.metadata.clone(), checksums };
        let bucket = state.s3.bucket_mut(&input.bucket)?;
        bucket.uploads.remove(&(input.key.clone(), input.upload_id.clone()));
        let id = bucket.push(&input.key, id, now_ms, Some(content));
        answer["VersionId"] = json!(bucket.shows_versions().then_some(id));
        Ok::<_, ApiError>(answer)
    })?;
    cloud.touch();
    Ok(answer)
}

/// The parts' bytes, if they are in order, and each is there and has the tag named; only the last may be small.
fn joined(upload: &Upload, named: &[NamedPart]) -> Result<Bytes, ApiError> {
    let numbers = named.iter().map(NamedPart::number).collect::<Result<Vec<_>, _>>()?;
    if !numbers.is_sorted_by(|a, b| a < b) {
        return Err(invalid_part_order());
    }
    let stored = |(number, part): (&u32, &NamedPart)| {
        let found = upload.parts.get(number).ok_or_else(invalid_part)?;
        let same = found.checksums.etag.trim_matches('"') == part.etag.trim_matches('"');
        if same { Ok(&found.body) } else { Err(invalid_part()) }
    };
    let bodies = numbers.iter().zip(named).map(stored).collect::<Result<Vec<_>, _>>()?;
    let (_, all_but_last) = bodies.split_last().ok_or_else(invalid_part)?;
    if all_but_last.iter().any(|body| body.len() < MIN_BYTES) {
        return Err(part_too_small());
    }
    Ok(bodies.into_iter().flatten().copied().collect())
}
