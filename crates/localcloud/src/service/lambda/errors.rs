//! Lambda's errors, with the codes and statuses of its service model.

use crate::error::ApiError;

/// HTTP 400: a parameter is wrong.
pub(crate) fn invalid(message: impl Into<String>) -> ApiError {
    ApiError::bad("InvalidParameterValueException", message)
}

/// HTTP 404 for something other than a function.
pub(crate) fn missing(message: impl Into<String>) -> ApiError {
    ApiError::new(404, "ResourceNotFoundException", message)
}

/// HTTP 404 for a function, a version or an alias, in the service's words.
pub(crate) fn function_missing(arn: &str) -> ApiError {
    missing(format!("Function not found: {arn}"))
}

/// HTTP 409: it exists already, or is in a state that does not allow this.
pub(crate) fn conflict(message: impl Into<String>) -> ApiError {
    ApiError::new(409, "ResourceConflictException", message)
}

/// HTTP 429: the concurrency limit is reached.
pub(crate) fn throttled() -> ApiError {
    let mut error = ApiError::new(429, "TooManyRequestsException", "Rate Exceeded.");
    error.details.insert("Reason".into(), "ReservedFunctionConcurrentInvocationLimitExceeded".into());
    error
}

/// HTTP 412: the given revision is not the current one.
pub(crate) fn precondition() -> ApiError {
    ApiError::new(
        412,
        "PreconditionFailedException",
        "The Revision Id provided does not match the latest Revision Id. Call the \
         GetFunction/GetAlias API to retrieve the latest Revision Id",
    )
}
