//! The service's errors, by their modelled codes.

use crate::error::ApiError;

pub(super) fn no_such_queue() -> ApiError {
    ApiError::bad("QueueDoesNotExist", "The specified queue does not exist.")
}

pub(super) fn invalid(message: impl Into<String>) -> ApiError {
    ApiError::bad("InvalidParameterValue", message)
}

pub(super) fn missing(parameter: &str) -> ApiError {
    ApiError::bad("MissingParameter", format!("The request must contain the parameter {parameter}."))
}

pub(super) fn invalid_attribute(name: &str) -> ApiError {
    ApiError::bad("InvalidAttributeValue", format!("Invalid value for the parameter {name}."))
}

pub(super) fn unknown_attribute(name: &str) -> ApiError {
    ApiError::bad("InvalidAttributeName", format!("Unknown Attribute {name}."))
}

pub(super) fn bad_receipt(handle: &str) -> ApiError {
    ApiError::new(404, "ReceiptHandleIsInvalid", format!("The input receipt handle \"{handle}\" is not valid."))
}

/// A FIFO message's handle is good only while the message is in flight.
pub(super) fn expired_receipt(handle: &str) -> ApiError {
    let reason = "Reason: The receipt handle has expired.";
    invalid(format!("Value {handle} for parameter ReceiptHandle is invalid. {reason}"))
}

pub(super) fn not_in_flight(handle: &str) -> ApiError {
    let reason = "Reason: Message does not exist or is not available for visibility timeout change.";
    ApiError::bad("MessageNotInflight", format!("Value {handle} for parameter ReceiptHandle is invalid. {reason}"))
}
