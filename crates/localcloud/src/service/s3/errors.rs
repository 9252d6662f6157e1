//! The service's errors ("Error responses", S3 API reference).

use crate::error::ApiError;

pub(super) fn no_such_bucket(bucket: &str) -> ApiError {
    let mut error = ApiError::new(404, "NoSuchBucket", "The specified bucket does not exist");
    error.details.insert("BucketName".to_owned(), bucket.into());
    error
}

pub(super) fn no_such_key(key: &str) -> ApiError {
    let mut error = ApiError::new(404, "NoSuchKey", "The specified key does not exist.");
    error.details.insert("Key".to_owned(), key.into());
    error
}

pub(super) fn no_such_version(key: &str) -> ApiError {
    let mut error = ApiError::new(404, "NoSuchVersion", "The specified version does not exist.");
    error.details.insert("Key".to_owned(), key.into());
    error
}

pub(super) fn no_such_upload() -> ApiError {
    ApiError::new(404, "NoSuchUpload", "The specified multipart upload does not exist.")
}

pub(super) fn invalid_part() -> ApiError {
    ApiError::bad("InvalidPart", "One or more of the specified parts could not be found, or its entity tag differs.")
}

pub(super) fn invalid_part_order() -> ApiError {
    ApiError::bad("InvalidPartOrder", "The list of parts was not in ascending order of part numbers.")
}

pub(super) fn part_too_small() -> ApiError {
    ApiError::bad("EntityTooSmall", "A part that is not the last is smaller than 5 MiB.")
}

pub(super) fn not_empty() -> ApiError {
    ApiError::new(409, "BucketNotEmpty", "The bucket you tried to delete is not empty")
}

pub(super) fn exists() -> ApiError {
    let message = "Your previous request to create the named bucket succeeded and you already own it.";
    ApiError::new(409, "BucketAlreadyOwnedByYou", message)
}

pub(super) fn bad_digest() -> ApiError {
    ApiError::bad("BadDigest", "The checksum you specified did not match the calculated checksum.")
}

pub(super) fn precondition() -> ApiError {
    ApiError::new(412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold")
}
