//! REST-XML as S3 speaks it, in path style and with the bucket in the host name.

mod answer;
mod operation;

pub(super) use answer::{answer, error};

use super::{Call, Protocol, Refusal, Request, chunked, uri, xml};
use crate::error::ApiError;
use crate::service::Service;
use hyper::body::Bytes;
use serde_json::{Map, Value, json};

/// Request headers that are members of inputs.
const HEADERS: [(&str, &str); 8] = [
    ("content-type", "ContentType"),
    ("if-none-match", "IfNoneMatch"),
    ("range", "Range"),
    ("x-amz-checksum-crc32", "ChecksumCRC32"),
    ("x-amz-checksum-sha256", "ChecksumSHA256"),
    ("x-amz-expected-bucket-owner", "ExpectedBucketOwner"),
    ("x-amz-bucket-object-lock-enabled", "ObjectLockEnabledForBucket"),
    ("x-amz-copy-source", "CopySource"),
];

/// Query parameters that are members of inputs.
const PARAMETERS: [(&str, &str); 16] = [
    ("continuation-token", "ContinuationToken"),
    ("delimiter", "Delimiter"),
    ("encoding-type", "EncodingType"),
    ("key-marker", "KeyMarker"),
    ("marker", "Marker"),
    ("max-keys", "MaxKeys"),
    ("max-parts", "MaxParts"),
    ("max-uploads", "MaxUploads"),
    ("part-number-marker", "PartNumberMarker"),
    ("partNumber", "PartNumber"),
    ("prefix", "Prefix"),
    ("start-after", "StartAfter"),
    ("upload-id-marker", "UploadIdMarker"),
    ("uploadId", "UploadId"),
    ("versionId", "VersionId"),
    ("version-id-marker", "VersionIdMarker"),
];

/// Reads a request.
pub(super) fn read(request: &Request, region: String) -> Result<Call, Refusal> {
    let protocol = Protocol::S3 { head: request.method == "HEAD" };
    let place = Place::of(request);
    let Some(operation) = operation::find(request, &place) else {
        let what = format!("s3: {} {} ?{}", request.method, request.path, keys(request));
        return Err(Refusal(protocol, ApiError::not_emulated(what)));
    };
    match input(request, place, operation) {
        Ok((input, body)) => {
            Ok(Call { service: Service::S3, operation: operation.to_owned(), region, input, body, protocol })
        }
        Err(error) => Err(Refusal(protocol, error)),
    }
}

fn keys(request: &Request) -> String {
    request.query.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>().join("&")
}

/// Bucket and key of a request.
#[derive(Debug, Default, PartialEq, Eq)]
struct Place {
    bucket: Option<String>,
    key: Option<String>,
}

impl Place {
    fn of(request: &Request) -> Self {
        let path = request.path.strip_prefix('/').unwrap_or(&request.path);
        let (bucket, key) = match request.header("host").and_then(bucket_of_host) {
            Some(bucket) => (bucket.to_owned(), path),
            None => {
                let (bucket, key) = path.split_once('/').unwrap_or((path, ""));
                (uri::decode(bucket), key)
            }
        };
        Self { bucket: Some(bucket).filter(|b| !b.is_empty()), key: Some(uri::decode(key)).filter(|k| !k.is_empty()) }
    }
}

/// `bucket.localhost:port` and `bucket.s3.region.amazonaws.com`.
fn bucket_of_host(host: &str) -> Option<&str> {
    let name = host.split(':').next()?;
    name.strip_suffix(".localhost").or_else(|| name.strip_suffix(".amazonaws.com")?.split_once(".s3").map(|(b, _)| b))
}

fn input(request: &Request, place: Place, operation: &str) -> Result<(Value, Bytes), ApiError> {
    let mut members = Map::new();
    members.extend(place.bucket.map(|bucket| ("Bucket".to_owned(), json!(bucket))));
    members.extend(place.key.map(|key| ("Key".to_owned(), json!(key))));
    for (parameter, member) in PARAMETERS {
        members.extend(request.parameter(parameter).map(|text| (member.to_owned(), parameter_value(member, text))));
    }
    for (header, member) in HEADERS {
        members.extend(request.header(header).map(|text| (member.to_owned(), json!(text))));
    }
    let metadata: Map<String, Value> = request
        .headers
        .iter()
        .filter_map(|(name, value)| Some((name.as_str().strip_prefix("x-amz-meta-")?, value.to_str().ok()?)))
        .map(|(name, value)| (name.to_owned(), json!(value)))
        .collect();
    if !metadata.is_empty() {
        members.insert("Metadata".to_owned(), Value::Object(metadata));
    }
    let body = body(request, &mut members)?;
    if matches!(operation, "PutObject" | "UploadPart") {
        return Ok((Value::Object(members), body));
    }
    if operation == "PutBucketPolicy" {
        members.insert("Policy".to_owned(), json!(String::from_utf8_lossy(&body)));
    } else if !body.is_empty() {
        document(&body, &mut members)?;
    }
    Ok((Value::Object(members), Bytes::new()))
}

fn parameter_value(member: &str, text: &str) -> Value {
    match text.parse::<i64>() {
        Ok(number) if member.starts_with("Max") || member.starts_with("Part") => json!(number),
        _ => json!(text),
    }
}

/// The body without its transfer encoding; checksums in trailers become members.
fn body(request: &Request, members: &mut Map<String, Value>) -> Result<Bytes, ApiError> {
    let is_chunked = request.header("content-encoding").is_some_and(|text| text.contains("aws-chunked"))
        || request.header("x-amz-content-sha256").is_some_and(|text| text.starts_with("STREAMING-"));
    if !is_chunked {
        return Ok(request.body.clone());
    }
    let decoded = chunked::decode(&request.body)?;
    for (name, value) in decoded.trailers {
        if let Some((_, member)) = HEADERS.iter().find(|(header, _)| *header == name) {
            members.insert((*member).to_owned(), json!(value));
        }
    }
    Ok(decoded.body)
}

/// An XML document as the member that its root stands for, with its lists as lists.
fn document(body: &[u8], members: &mut Map<String, Value>) -> Result<(), ApiError> {
    let Value::Object(roots) = xml::parse(body)? else { return Ok(()) };
    for (root, mut value) in roots {
        let member = match root.as_str() {
            "Delete" => {
                move_list(&mut value, "Object", "Objects");
                "Delete"
            }
            "CompleteMultipartUpload" => {
                move_list(&mut value, "Part", "Parts");
                "MultipartUpload"
            }
            "Tagging" => {
                if let Some(set) = value.get_mut("TagSet") {
                    move_list(set, "Tag", "Tag");
                    *set = set.get_mut("Tag").map_or_else(|| json!([]), Value::take);
                }
                "Tagging"
            }
            other => {
                move_list(&mut value, "Rule", "Rules");
                other
            }
        };
        members.insert(member.to_owned(), value);
    }
    Ok(())
}

/// One element or several, always a list, under another name.
fn move_list(value: &mut Value, from: &str, to: &str) {
    let Some(members) = value.as_object_mut() else { return };
    let list = match members.remove(from) {
        None => return,
        Some(Value::Array(items)) => Value::Array(items),
        Some(single) => json!([single]),
    };
    members.insert(to.to_owned(), list);
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::HeaderMap;
    use proptest::prelude::*;

    fn read_ok(method: &str, path: &str, headers: &[(&'static str, &str)], body: &'static [u8]) -> Call {
        let headers: HeaderMap = headers.iter().map(|(n, v)| (n.parse().unwrap(), v.parse().unwrap())).collect();
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        read(&Request::new(method, path, query, headers, body.into()), "us-east-1".to_owned()).unwrap()
    }

    #[test]
    fn both_styles_name_the_bucket() {
        let path = read_ok("GET", "/b/a%20k/x", &[("host", "127.0.0.1:80")], b"");
        let host = read_ok("GET", "/a%20k/x", &[("host", "b.localhost:80")], b"");
        assert_eq!(path.input, json!({ "Bucket": "b", "Key": "a k/x" }));
        assert_eq!(host.input, path.input);
    }

    #[test]
    fn chunked_uploads_are_decoded_with_their_checksum() {
        let headers = [("content-encoding", "aws-chunked"), ("x-amz-meta-sha", "1")];
        let call = read_ok("PUT", "/b/k", &headers, b"2\r\nhi\r\n0\r\nx-amz-checksum-crc32:abc=\r\n\r\n");
        assert_eq!(&call.body[..], b"hi");
        assert_eq!(
            call.input,
            json!({ "Bucket": "b", "Key": "k", "ChecksumCRC32": "abc=", "Metadata": { "sha": "1" } })
        );
    }

    #[test]
    fn lists_in_documents_are_lists_even_of_one() {
        let one = read_ok("POST", "/b?delete", &[], b"<Delete><Object><Key>k</Key></Object></Delete>");
        assert_eq!(one.input["Delete"], json!({ "Objects": [{ "Key": "k" }] }));
        let tags = b"<Tagging><TagSet><Tag><Key>a</Key><Value>1</Value></Tag></TagSet></Tagging>";
        assert_eq!(
            read_ok("PUT", "/b?tagging", &[], tags).input["Tagging"]["TagSet"],
            json!([{ "Key": "a", "Value": "1" }])
        );
    }

    proptest! {
        #[test]
        fn any_request_can_be_read(
            method in "GET|PUT|POST|DELETE|HEAD",
            path in "/[a-z/%]{0,10}",
            query in "(delete|tagging|versions|list-type=2)?[a-z=&]{0,10}",
            body in "[<>/A-Za-z]{0,40}",
        ) {
            let request = Request::new(&method, &path, &query, HeaderMap::new(), body.into());
            let _ = read(&request, String::new());
        }
    }
}
