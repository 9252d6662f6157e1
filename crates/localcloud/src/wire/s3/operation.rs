//! Which operation a request means: by method, place and subresource.

use super::{Place, Request};

/// Subresources of a bucket with the operations of PUT, GET and DELETE; empty where there is none here.
const BUCKET: [(&str, &str, &str, &str); 11] = [
    ("ownershipControls", "PutBucketOwnershipControls", "GetBucketOwnershipControls", "DeleteBucketOwnershipControls"),
    ("versioning", "PutBucketVersioning", "GetBucketVersioning", ""),
    ("tagging", "PutBucketTagging", "GetBucketTagging", "DeleteBucketTagging"),
    ("publicAccessBlock", "PutPublicAccessBlock", "GetPublicAccessBlock", "DeletePublicAccessBlock"),
    ("encryption", "PutBucketEncryption", "GetBucketEncryption", "DeleteBucketEncryption"),
    ("location", "", "GetBucketLocation", ""),
    ("uploads", "", "ListMultipartUploads", ""),
    ("versions", "", "ListObjectVersions", ""),
    ("list-type", "", "ListObjectsV2", ""),
    ("policy", "PutBucketPolicy", "GetBucketPolicy", "DeleteBucketPolicy"),
    ("lifecycle", "PutBucketLifecycleConfiguration", "GetBucketLifecycleConfiguration", "DeleteBucketLifecycle"),
];

/// Parameters that do not name a subresource.
const PLAIN: [&str; 15] = [
    "continuation-token",
    "delimiter",
    "encoding-type",
    "fetch-owner",
    "key-marker",
    "marker",
    "max-keys",
    "max-uploads",
    "prefix",
    "start-after",
    "upload-id-marker",
    "uploadId",
    "version-id-marker",
    "versionId",
    "x-id",
];

/// The operation, or none if it is not one of ours.
pub(super) fn find(request: &Request, place: &Place) -> Option<&'static str> {
    let method = request.method.as_str();
    match (&place.bucket, &place.key) {
        (None, _) => (method == "GET").then_some("ListBuckets"),
        (Some(_), None) => of_bucket(request, method),
        (Some(_), Some(_)) => of_object(request, method),
    }
}

fn of_bucket(request: &Request, method: &str) -> Option<&'static str> {
    if let Some((_, put, get, delete)) = BUCKET.iter().find(|(name, ..)| request.parameter(name).is_some()) {
        let operation = match method {
            "PUT" => put,
            "GET" => get,
            "DELETE" => delete,
            _ => "",
        };
        return Some(operation).filter(|name| !name.is_empty());
    }
    match method {
        "POST" if request.parameter("delete").is_some() => Some("DeleteObjects"),
        _ if has_subresource(request) => None,
        "PUT" => Some("CreateBucket"),
        "HEAD" => Some("HeadBucket"),
        "DELETE" => Some("DeleteBucket"),
        "GET" => Some("ListObjects"),
        _ => None,
    }
}

fn of_object(request: &Request, method: &str) -> Option<&'static str> {
    match method {
        "POST" if request.parameter("uploads").is_some() => Some("CreateMultipartUpload"),
        _ if request.parameter("uploadId").is_some() => of_upload(request, method),
        _ if has_subresource(request) => None,
        "PUT" => Some("PutObject"),
        "GET" => Some("GetObject"),
        "HEAD" => Some("HeadObject"),
        "DELETE" => Some("DeleteObject"),
        _ => None,
    }
}

fn of_upload(request: &Request, method: &str) -> Option<&'static str> {
    match method {
        "PUT" if request.parameter("partNumber").is_some() => Some("UploadPart"),
        "POST" => Some("CompleteMultipartUpload"),
        "GET" => Some("ListParts"),
        "DELETE" => Some("AbortMultipartUpload"),
        _ => None,
    }
}

fn has_subresource(request: &Request) -> bool {
    request.query.iter().any(|(name, _)| !PLAIN.contains(&name.as_str()) && !name.starts_with("X-Amz-"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::HeaderMap;

    fn operation(method: &str, path: &str, query: &str) -> Option<&'static str> {
        let request = Request::new(method, path, query, HeaderMap::new(), hyper::body::Bytes::new());
        find(&request, &Place::of(&request))
    }

    #[test]
    fn method_place_and_subresource_decide() {
        assert_eq!(operation("GET", "/", "x-id=ListBuckets"), Some("ListBuckets"));
        assert_eq!(operation("PUT", "/b", ""), Some("CreateBucket"));
        assert_eq!(operation("PUT", "/b/", "versioning"), Some("PutBucketVersioning"));
        assert_eq!(operation("GET", "/b", "list-type=2&prefix=a"), Some("ListObjectsV2"));
        assert_eq!(operation("POST", "/b", "delete"), Some("DeleteObjects"));
        assert_eq!(operation("PUT", "/b/k", "x-id=PutObject"), Some("PutObject"));
        assert_eq!(operation("PUT", "/b/k", "partNumber=1&uploadId=u"), Some("UploadPart"));
        assert_eq!(operation("POST", "/b/k", "uploadId=u"), Some("CompleteMultipartUpload"));
        assert_eq!(operation("DELETE", "/b/k", "uploadId=u"), Some("AbortMultipartUpload"));
    }

    #[test]
    fn what_is_not_emulated_is_not_taken_for_something_else() {
        assert_eq!(operation("GET", "/b", "acl"), None);
        assert_eq!(operation("PUT", "/b/k", "uploadId=u"), None);
        assert_eq!(operation("GET", "/b/k", "partNumber=1"), None);
        assert_eq!(operation("DELETE", "/b", "versioning"), None);
    }
}
