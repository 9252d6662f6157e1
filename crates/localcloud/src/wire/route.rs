//! Decides which service, operation and protocol a request means.

use super::scope::{Scope, scope};
use super::{Call, Protocol, Refusal, Request, json, query, rest, s3, sqs_query, uri};
use crate::error::ApiError;
use crate::service::Service;
use hyper::body::Bytes;
use serde_json::Value;

const JSON_1_0: &str = "application/x-amz-json-1.0";
const JSON_1_1: &str = "application/x-amz-json-1.1";

pub(super) fn read(request: &Request) -> Result<Call, Refusal> {
    let scope = scope(request);
    if let Some(target) = request.header("x-amz-target") {
        return read_json(request, scope, target);
    }
    if let Some(form) = form(request) {
        return read_query(scope, request, &form);
    }
    match scope.service.as_deref() {
        Some("lambda") => read_rest(request, scope),
        Some("s3" | "s3express") => s3::read(request, scope.region),
        None if is_dated(&request.path) => read_rest(request, scope),
        None => s3::read(request, scope.region),
        Some(other) => {
            let error = ApiError::not_emulated(format_args!("{other}: {} {}", request.method, request.path));
            Err(Refusal(Protocol::Rest(None), error))
        }
    }
}

/// `Prefix.Operation` of `X-Amz-Target`.
fn read_json(request: &Request, scope: Scope, target: &str) -> Result<Call, Refusal> {
    let content_type = match request.header("content-type") {
        Some(text) if text.starts_with(JSON_1_0) => JSON_1_0,
        _ => JSON_1_1,
    };
    let protocol = Protocol::Json(content_type);
    let (prefix, operation) = target.rsplit_once('.').unwrap_or(("", target));
    let service = match prefix {
        "DynamoDB_20120810" => Service::DynamoDb,
        "DynamoDBStreams_20120810" => Service::DynamoDbStreams,
        "Logs_20140328" => Service::Logs,
        "AmazonSQS" => Service::Sqs,
        "ResourceGroupsTaggingAPI_20170126" => Service::Tagging,
        "AWSInsightsIndexService" => Service::CostExplorer,
        _ => return Err(Refusal(protocol, ApiError::not_emulated(target))),
    };
    match json::input(&request.body) {
        Ok(input) => Ok(call(service, operation, scope, input, protocol)),
        Err(error) => Err(Refusal(protocol, error)),
    }
}

/// The parameters of a Query request: a form in the body, or the query string of a GET.
fn form(request: &Request) -> Option<Vec<(String, String)>> {
    let is_form = request.header("content-type").is_some_and(|t| t.starts_with("application/x-www-form-urlencoded"));
    let mut parameters = request.query.clone();
    if is_form {
        parameters.extend(uri::parse_query(&String::from_utf8_lossy(&request.body)));
    }
    parameters.iter().any(|(key, _)| key == "Action").then_some(parameters)
}

fn read_query(scope: Scope, request: &Request, form: &[(String, String)]) -> Result<Call, Refusal> {
    let value = |name: &str| form.iter().find(|(key, _)| key == name).map_or("", |(_, value)| value.as_str());
    let (operation, version) = (value("Action"), value("Version"));
    let (service, protocol) = match (scope.service.as_deref(), version) {
        (Some("cloudformation"), _) | (None, "2010-05-15") => {
            (Service::CloudFormation, Protocol::Query("http://cloudformation.amazonaws.com/doc/2010-05-15/"))
        }
        (Some("iam"), _) | (None, "2010-05-08") => {
            (Service::Iam, Protocol::Query("https://iam.amazonaws.com/doc/2010-05-08/"))
        }
        (Some("sts"), _) | (None, "2011-06-15") => {
            (Service::Sts, Protocol::Query("https://sts.amazonaws.com/doc/2011-06-15/"))
        }
        (Some("sqs"), _) | (None, "2012-11-05") => (Service::Sqs, Protocol::SqsQuery),
        (other, _) => {
            let error = ApiError::not_emulated(format_args!("{} {operation}", other.unwrap_or("an unknown service")));
            return Err(Refusal(Protocol::Query("https://assay.invalid/"), error));
        }
    };
    let input = match service {
        Service::Sqs => sqs_query::input(form, &request.path),
        _ => query::input(form),
    };
    match input {
        Ok(input) => Ok(call(service, operation, scope, input, protocol)),
        Err(error) => Err(Refusal(protocol, error)),
    }
}

fn read_rest(request: &Request, scope: Scope) -> Result<Call, Refusal> {
    let Some((route, path)) = rest::find(request) else {
        let error = ApiError::not_emulated(format_args!("lambda: {} {}", request.method, request.path));
        return Err(Refusal(Protocol::Rest(None), error));
    };
    let protocol = Protocol::Rest(Some(route));
    match rest::input(route, path, request) {
        Ok(input) => Ok(call(Service::Lambda, route.operation, scope, input, protocol)),
        Err(error) => Err(Refusal(protocol, error)),
    }
}

/// Lambda's paths begin with the date of the API.
fn is_dated(path: &str) -> bool {
    let date = path.trim_start_matches('/').split('/').next().unwrap_or_default();
    date.len() == 10
        && date.bytes().enumerate().all(|(i, b)| if i == 4 || i == 7 { b == b'-' } else { b.is_ascii_digit() })
}

fn call(service: Service, operation: &str, scope: Scope, input: Value, protocol: Protocol) -> Call {
    Call { service, operation: operation.to_owned(), region: scope.region, input, body: Bytes::new(), protocol }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::HeaderMap;
    use proptest::prelude::*;

    fn request(headers: &[(&'static str, &str)], method: &str, path: &str, body: &str) -> Request {
        let headers: HeaderMap =
            headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        Request::new(method, path, query, headers, body.as_bytes().to_vec().into())
    }

    fn told(request: &Request) -> (Service, String) {
        let call = read(request).unwrap();
        (call.service, call.operation)
    }

    #[test]
    fn the_target_tells_json_services() {
        let json = request(&[("x-amz-target", "AmazonSQS.ListQueues")], "POST", "/", "{}");
        assert_eq!(told(&json), (Service::Sqs, "ListQueues".to_owned()));
        let unknown = request(&[("x-amz-target", "Kinesis_20131202.PutRecord")], "POST", "/", "{}");
        let Refusal(_, error) = read(&unknown).unwrap_err();
        assert_eq!(error.code, "NotEmulated");
        assert!(error.message.contains("Kinesis_20131202.PutRecord"));
    }

    #[test]
    fn scope_or_version_tell_query_services() {
        let form = [("content-type", "application/x-www-form-urlencoded")];
        let sts = request(&form, "POST", "/", "Action=GetCallerIdentity&Version=2011-06-15");
        assert_eq!(told(&sts), (Service::Sts, "GetCallerIdentity".to_owned()));
        let scope = "AWS4-HMAC-SHA256 Credential=A/20261130/eu-west-1/iam/aws4_request";
        let iam = request(&[form[0], ("authorization", scope)], "POST", "/", "Action=GetRole&RoleName=r");
        let call = read(&iam).unwrap();
        assert_eq!((call.service, call.region.as_str()), (Service::Iam, "eu-west-1"));
    }

    #[test]
    fn dated_paths_are_lambdas_and_the_rest_is_s3() {
        let lambda = request(&[], "GET", "/2015-03-31/functions/f", "");
        assert_eq!(told(&lambda), (Service::Lambda, "GetFunction".to_owned()));
        let s3 = request(&[], "GET", "/bucket/2015-03-31", "");
        assert_eq!(told(&s3), (Service::S3, "GetObject".to_owned()));
    }

    proptest! {
        #[test]
        fn any_request_can_be_read(
            method in "GET|PUT|POST|DELETE|HEAD|[A-Z]{1,6}",
            path in "[/a-z0-9?=&%.-]{0,60}",
            target in proptest::option::of("(AmazonSQS|DynamoDB_20120810)?[.A-Za-z]{0,20}"),
            form in any::<bool>(),
            body in proptest::collection::vec(any::<u8>(), 0..100),
        ) {
            let mut headers = HeaderMap::new();
            if let Some(target) = target {
                headers.insert("x-amz-target", target.parse().unwrap());
            }
            if form {
                headers.insert("content-type", "application/x-www-form-urlencoded".parse().unwrap());
            }
            let (path, query) = path.split_once('?').unwrap_or((&path, ""));
            let _ = read(&Request::new(&method, path, query, headers, body.into()));
        }
    }
}
