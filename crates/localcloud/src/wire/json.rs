//! AWS JSON 1.0 and 1.1.

use super::Reply;
use super::sqs_query::legacy_code;
use crate::error::ApiError;
use serde_json::{Value, json};

/// Reads an input; an empty body is an empty input.
pub(super) fn input(body: &[u8]) -> Result<Value, ApiError> {
    if body.iter().all(u8::is_ascii_whitespace) {
        return Ok(json!({}));
    }
    let value: Value =
        serde_json::from_slice(body).map_err(|error| ApiError::bad("SerializationException", error.to_string()))?;
    if value.is_object() {
        Ok(value)
    } else {
        Err(ApiError::bad("SerializationException", "the body is not an object"))
    }
}

/// An operation's output; nothing is an empty object.
pub(super) fn answer(content_type: &str, output: &Value) -> Reply {
    let body = if output.is_null() { "{}".to_owned() } else { output.to_string() };
    Reply::new(200, content_type, body)
}

/// An error in the form of both JSON versions, with the code in header and body. SQS's older code goes along in
/// `x-amzn-query-error` ("AWS JSON 1.0 protocol: query compatible", Smithy); the other services' clients skip it.
pub(super) fn error(content_type: &str, error: &ApiError) -> Reply {
    let mut body = error.details.clone();
    body.insert("__type".to_owned(), json!(error.code));
    body.insert("message".to_owned(), json!(error.message));
    let kind = if error.status < 500 { "Sender" } else { "Receiver" };
    Reply::new(error.status, content_type, Value::Object(body).to_string())
        .header("x-amzn-errortype", error.code.clone())
        .header("x-amzn-query-error", format!("{};{kind}", legacy_code(&error.code)))
}
