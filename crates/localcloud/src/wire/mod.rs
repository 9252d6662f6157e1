//! The AWS wire protocols: from an HTTP request to an operation with its input in JSON, and back.
//!
//! | protocol | services | told by |
//! |---|---|---|
//! | JSON 1.0 / 1.1 | DynamoDB, Streams, SQS, Logs, Tagging, Cost Explorer | `X-Amz-Target` |
//! | Query, answers in XML | CloudFormation, IAM, STS, older SQS clients | `Action` in a form or the query string |
//! | REST-JSON | Lambda | credential scope, dated path |
//! | REST-XML | S3 | everything else |

mod chunked;
mod json;
mod query;
mod request;
mod rest;
mod route;
mod s3;
mod scope;
mod sqs_query;
pub(crate) mod uri;
mod xml;

use crate::error::ApiError;
use crate::service::Service;
use hyper::body::Bytes;
use serde_json::Value;

pub(crate) use request::{Reply, Request};

/// Session token in the environment of every function; SDKs send it along.
pub(crate) const FUNCTION_TOKEN: &str = "local-function";

/// What a request asks for.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) service: Service,
    pub(crate) operation: String,
    pub(crate) region: String,
    pub(crate) input: Value,
    /// The object of an S3 upload; empty elsewhere.
    pub(crate) body: Bytes,
    pub(crate) protocol: Protocol,
}

/// What an operation answers.
#[derive(Debug, Default)]
pub(crate) struct Output {
    pub(crate) value: Value,
    /// The object of an S3 download; empty elsewhere.
    pub(crate) body: Bytes,
}

/// How to answer.
#[derive(Clone, Debug)]
pub(crate) enum Protocol {
    /// AWS JSON with this content type.
    Json(&'static str),
    /// Query with an XML answer in this namespace.
    Query(&'static str),
    /// Query as older SQS clients speak it, with flattened lists.
    SqsQuery,
    /// REST-JSON, answered as this route says; none if no route was found.
    Rest(Option<&'static rest::Route>),
    /// REST-XML as S3 speaks it; true for HEAD, whose answers have no body.
    S3 { head: bool },
}

/// An error together with the protocol to say it in.
#[derive(Debug)]
pub(crate) struct Refusal(pub(crate) Protocol, pub(crate) ApiError);

/// Reads what a request asks for.
pub(crate) fn read(request: &Request) -> Result<Call, Refusal> {
    route::read(request)
}

/// Whether one of the cloud's own functions sent a request: their environments have credentials of their own.
pub(crate) fn is_from_function(request: &Request) -> bool {
    request.header("x-amz-security-token") == Some(FUNCTION_TOKEN)
}

/// Renders an answer.
pub(crate) fn write(protocol: &Protocol, operation: &str, request_id: &str, result: Result<Output, ApiError>) -> Reply {
    let reply = match (protocol, result) {
        (Protocol::Json(content_type), Ok(output)) => json::answer(content_type, &output.value),
        (Protocol::Json(content_type), Err(error)) => json::error(content_type, &error),
        (Protocol::Query(namespace), Ok(output)) => query::answer(namespace, operation, request_id, &output.value),
        (Protocol::Query(namespace), Err(error)) => query::error(namespace, request_id, &error),
        (Protocol::SqsQuery, Ok(output)) => sqs_query::answer(operation, request_id, &output.value),
        (Protocol::SqsQuery, Err(error)) => sqs_query::error(request_id, error),
        (Protocol::Rest(Some(route)), Ok(output)) => rest::answer(route, &output.value),
        (Protocol::Rest(_), Err(error)) => rest::error(&error),
        (Protocol::Rest(None), Ok(output)) => json::answer("application/json", &output.value),
        (Protocol::S3 { head }, Ok(output)) => s3::answer(operation, *head, output),
        (Protocol::S3 { head }, Err(error)) => s3::error(*head, request_id, &error),
    };
    reply.header("x-amzn-requestid", request_id).header("x-amz-request-id", request_id)
}
