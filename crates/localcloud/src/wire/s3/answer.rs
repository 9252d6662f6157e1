//! Answers of S3: members in headers, or documents with lists that are mostly flattened.

use crate::error::ApiError;
use crate::time;
use crate::wire::xml::{self, Writer};
use crate::wire::{Output, Reply};
use serde_json::Value;

const NAMESPACE: &str = "http://s3.amazonaws.com/doc/2006-03-01/";
const XML: &str = "application/xml";

/// Members that answers carry in headers.
const HEADERS: [(&str, &str); 14] = [
    ("AcceptRanges", "accept-ranges"),
    ("BucketRegion", "x-amz-bucket-region"),
    ("ChecksumCRC32", "x-amz-checksum-crc32"),
    ("ChecksumSHA256", "x-amz-checksum-sha256"),
    ("ChecksumType", "x-amz-checksum-type"),
    ("ContentRange", "content-range"),
    ("ContentType", "content-type"),
    ("DeleteMarker", "x-amz-delete-marker"),
    ("ETag", "etag"),
    ("LastModified", "last-modified"),
    ("Location", "location"),
    ("ServerSideEncryption", "x-amz-server-side-encryption"),
    ("VersionId", "x-amz-version-id"),
    ("ContentLength", "content-length"),
];

/// Lists whose items are elements of their own, without one around them: (member, element).
const FLAT: [(&str, &str); 10] = [
    ("CommonPrefixes", "CommonPrefixes"),
    ("Contents", "Contents"),
    ("Deleted", "Deleted"),
    ("DeleteMarkers", "DeleteMarker"),
    ("Errors", "Error"),
    ("Parts", "Part"),
    ("Rules", "Rule"),
    ("Uploads", "Upload"),
    ("Versions", "Version"),
    ("ChecksumAlgorithm", "ChecksumAlgorithm"),
];

/// Renders a success; answers to HEAD have no body.
pub(in crate::wire) fn answer(operation: &str, head: bool, output: Output) -> Reply {
    let value = &output.value;
    match operation {
        "GetObject" => {
            let status = if value.get("ContentRange").is_some() { 206 } else { 200 };
            in_headers(Reply { status, body: output.body, ..Reply::default() }, value, false)
        }
        "HeadObject" | "HeadBucket" => in_headers(Reply::empty(200), value, head),
        "PutObject" | "UploadPart" | "CreateBucket" => in_headers(Reply::empty(200), value, false),
        "DeleteObject" => in_headers(Reply::empty(204), value, false),
        "GetBucketLocation" => {
            let region = value.get("LocationConstraint").and_then(Value::as_str).unwrap_or_default();
            let mut writer = Writer::default();
            writer.text("LocationConstraint", region);
            Reply::new(200, XML, writer.finish())
        }
        "GetBucketPolicy" => {
            let policy = value.get("Policy").and_then(Value::as_str).unwrap_or_default();
            Reply::new(200, "application/json", policy.to_owned())
        }
        _ if operation.starts_with("Delete") && operation != "DeleteObjects" || operation.starts_with("Abort") => {
            Reply::empty(204)
        }
        _ if operation.starts_with("Put") => Reply::empty(200),
        _ => document(root(operation), value),
    }
}

fn in_headers(reply: Reply, value: &Value, with_length: bool) -> Reply {
    HEADERS
        .into_iter()
        .fold(reply, |reply, (member, header)| match value.get(member) {
            None | Some(Value::Null) => reply,
            Some(_) if member == "ContentLength" && !with_length => reply,
            Some(Value::Number(seconds)) if member == "LastModified" => {
                reply.header(header, time::http_date(milliseconds(seconds)))
            }
            Some(value) => reply.header(header, xml::scalar(value)),
        })
        .with_metadata(value)
}

impl Reply {
    fn with_metadata(self, value: &Value) -> Self {
        let metadata = value.get("Metadata").and_then(Value::as_object);
        metadata
            .into_iter()
            .flatten()
            .fold(self, |reply, (name, value)| reply.header(&format!("x-amz-meta-{name}"), xml::scalar(value)))
    }
}

fn root(operation: &str) -> &'static str {
    match operation {
        "ListBuckets" => "ListAllMyBucketsResult",
        "ListObjectsV2" | "ListObjects" => "ListBucketResult",
        "ListObjectVersions" => "ListVersionsResult",
        "ListMultipartUploads" => "ListMultipartUploadsResult",
        "CompleteMultipartUpload" => "CompleteMultipartUploadResult",
        "ListParts" => "ListPartsResult",
        "CreateMultipartUpload" => "InitiateMultipartUploadResult",
        "DeleteObjects" => "DeleteResult",
        "GetBucketVersioning" => "VersioningConfiguration",
        "GetBucketTagging" => "Tagging",
        "GetPublicAccessBlock" => "PublicAccessBlockConfiguration",
        "GetBucketEncryption" => "ServerSideEncryptionConfiguration",
        "GetBucketOwnershipControls" => "OwnershipControls",
        "GetBucketLifecycleConfiguration" => "LifecycleConfiguration",
        _ => "Result",
    }
}

fn document(root: &str, value: &Value) -> Reply {
    // These outputs have one member that is the document itself.
    let value = value.get(root).unwrap_or(value);
    let mut writer = Writer::default();
    writer.open_in(root, NAMESPACE);
    members(&mut writer, value);
    writer.close(root);
    Reply::new(200, XML, writer.finish())
}

fn members(writer: &mut Writer, value: &Value) {
    for (name, value) in value.as_object().into_iter().flatten() {
        match value {
            Value::Null => {}
            Value::Array(items) => list(writer, name, items),
            value => element(writer, name, value),
        }
    }
}

fn list(writer: &mut Writer, name: &str, items: &[Value]) {
    if let Some((_, item_name)) = FLAT.iter().find(|(member, _)| *member == name) {
        items.iter().for_each(|item| element(writer, item_name, item));
        return;
    }
    let item_name = if name == "TagSet" { "Tag" } else { name.strip_suffix('s').unwrap_or(name) };
    writer.open(name);
    items.iter().for_each(|item| element(writer, item_name, item));
    writer.close(name);
}

fn element(writer: &mut Writer, name: &str, value: &Value) {
    match value {
        Value::Object(_) => {
            writer.open(name);
            members(writer, value);
            writer.close(name);
        }
        Value::Number(seconds) if matches!(name, "LastModified" | "CreationDate" | "Initiated") => {
            writer.text(name, &time::iso(milliseconds(seconds)));
        }
        value => writer.text(name, &xml::scalar(value)),
    }
}

#[allow(clippy::cast_possible_truncation)]
fn milliseconds(seconds: &serde_json::Number) -> i64 {
    (seconds.as_f64().unwrap_or_default() * 1000.0).round() as i64
}

/// Renders an error; errors to HEAD have no body, as HTTP has it.
pub(in crate::wire) fn error(head: bool, request_id: &str, error: &ApiError) -> Reply {
    if head {
        return Reply::empty(error.status);
    }
    let mut writer = Writer::default();
    writer.open("Error");
    writer.text("Code", &error.code);
    writer.text("Message", &error.message);
    for (name, value) in &error.details {
        writer.text(name, &xml::scalar(value));
    }
    writer.text("RequestId", request_id);
    writer.close("Error");
    Reply::new(error.status, XML, writer.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn text(operation: &str, value: Value) -> String {
        let reply = answer(operation, false, Output { value, ..Output::default() });
        String::from_utf8(reply.body.to_vec()).unwrap()
    }

    #[test]
    fn lists_are_flat_where_s3_has_them_flat() {
        let listing = text("ListObjectsV2", json!({ "Contents": [{ "Key": "k", "LastModified": 1.0 }] }));
        assert!(
            listing.contains("<Contents><Key>k</Key><LastModified>1970-01-01T00:00:01.000Z</LastModified></Contents>")
        );
        let tags = text("GetBucketTagging", json!({ "TagSet": [{ "Key": "a", "Value": "b" }] }));
        assert!(tags.contains("<TagSet><Tag><Key>a</Key><Value>b</Value></Tag></TagSet>"));
    }

    #[test]
    fn members_of_objects_are_headers() {
        let value = json!({ "ETag": "\"e\"", "LastModified": 0, "Metadata": { "a": "b" } });
        let reply = answer("PutObject", false, Output { value, ..Output::default() });
        for header in [("etag", "\"e\""), ("last-modified", "Thu, 01 Jan 1970 00:00:00 GMT"), ("x-amz-meta-a", "b")] {
            assert!(reply.headers.contains(&(header.0.to_owned(), header.1.to_owned())), "{header:?}");
        }
    }
}
