//! REST-JSON, the protocol of Lambda: a table of routes, read and answered by one piece of code.
//!
//! In the JSON form a blob (`Payload`, `Code.ZipFile`) is base64 text, as in every JSON protocol.

use super::{Reply, Request, uri};
use crate::error::ApiError;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use jiff::Timestamp;
use serde_json::{Map, Value, json};

/// What a request's body is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Body {
    /// The remaining members.
    Members,
    /// The bytes of this member.
    Blob(&'static str),
    /// The JSON of this member.
    Member(&'static str),
}

/// One operation's place in HTTP.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Route {
    method: &'static str,
    /// Path with `{Member}` segments.
    template: &'static str,
    pub(super) operation: &'static str,
    /// Status of success.
    status: u16,
    body: Body,
}

const fn route(method: &'static str, template: &'static str, operation: &'static str, status: u16) -> Route {
    Route { method, template, operation, status, body: Body::Members }
}

const fn with_body(route: Route, body: Body) -> Route {
    Route { body, ..route }
}

const FUNCTION: &str = "/2015-03-31/functions/{FunctionName}";

/// Methods, paths and statuses from the service model of Lambda (`2015-03-31`).
static ROUTES: [Route; 40] = [
    route("POST", "/2015-03-31/functions", "CreateFunction", 201),
    route("GET", "/2015-03-31/functions", "ListFunctions", 200),
    route("GET", FUNCTION, "GetFunction", 200),
    route("DELETE", FUNCTION, "DeleteFunction", 204),
    route("PUT", "/2015-03-31/functions/{FunctionName}/code", "UpdateFunctionCode", 200),
    route("GET", "/2015-03-31/functions/{FunctionName}/configuration", "GetFunctionConfiguration", 200),
    route("PUT", "/2015-03-31/functions/{FunctionName}/configuration", "UpdateFunctionConfiguration", 200),
    with_body(route("POST", "/2015-03-31/functions/{FunctionName}/invocations", "Invoke", 200), Body::Blob("Payload")),
    route("POST", "/2015-03-31/functions/{FunctionName}/versions", "PublishVersion", 201),
    route("GET", "/2015-03-31/functions/{FunctionName}/versions", "ListVersionsByFunction", 200),
    route("POST", "/2015-03-31/functions/{FunctionName}/aliases", "CreateAlias", 201),
    route("GET", "/2015-03-31/functions/{FunctionName}/aliases", "ListAliases", 200),
    route("GET", "/2015-03-31/functions/{FunctionName}/aliases/{Name}", "GetAlias", 200),
    route("PUT", "/2015-03-31/functions/{FunctionName}/aliases/{Name}", "UpdateAlias", 200),
    route("DELETE", "/2015-03-31/functions/{FunctionName}/aliases/{Name}", "DeleteAlias", 204),
    route("POST", "/2015-03-31/functions/{FunctionName}/policy", "AddPermission", 201),
    route("GET", "/2015-03-31/functions/{FunctionName}/policy", "GetPolicy", 200),
    route("DELETE", "/2015-03-31/functions/{FunctionName}/policy/{StatementId}", "RemovePermission", 204),
    route("POST", "/2015-03-31/event-source-mappings", "CreateEventSourceMapping", 202),
    route("GET", "/2015-03-31/event-source-mappings", "ListEventSourceMappings", 200),
    route("GET", "/2015-03-31/event-source-mappings/{UUID}", "GetEventSourceMapping", 200),
    route("PUT", "/2015-03-31/event-source-mappings/{UUID}", "UpdateEventSourceMapping", 202),
    route("DELETE", "/2015-03-31/event-source-mappings/{UUID}", "DeleteEventSourceMapping", 202),
    route("GET", "/2016-08-19/account-settings", "GetAccountSettings", 200),
    route("POST", "/2017-03-31/tags/{Resource}", "TagResource", 204),
    route("GET", "/2017-03-31/tags/{Resource}", "ListTags", 200),
    route("DELETE", "/2017-03-31/tags/{Resource}", "UntagResource", 204),
    route("PUT", "/2017-10-31/functions/{FunctionName}/concurrency", "PutFunctionConcurrency", 200),
    route("DELETE", "/2017-10-31/functions/{FunctionName}/concurrency", "DeleteFunctionConcurrency", 204),
    route("GET", "/2019-09-30/functions/{FunctionName}/concurrency", "GetFunctionConcurrency", 200),
    route("GET", "/2020-06-30/functions/{FunctionName}/code-signing-config", "GetFunctionCodeSigningConfig", 200),
    route("GET", "/2025-12-01/functions/{FunctionName}/durable-executions", "ListDurableExecutionsByFunction", 200),
    route("GET", "/2025-12-01/durable-executions/{DurableExecutionArn}", "GetDurableExecution", 200),
    route("GET", "/2025-12-01/durable-executions/{DurableExecutionArn}/history", "GetDurableExecutionHistory", 200),
    route("GET", "/2025-12-01/durable-executions/{DurableExecutionArn}/state", "GetDurableExecutionState", 200),
    route("POST", "/2025-12-01/durable-executions/{DurableExecutionArn}/checkpoint", "CheckpointDurableExecution", 200),
    with_body(
        route("POST", "/2025-12-01/durable-executions/{DurableExecutionArn}/stop", "StopDurableExecution", 200),
        Body::Member("Error"),
    ),
    with_body(
        route(
            "POST",
            "/2025-12-01/durable-execution-callbacks/{CallbackId}/succeed",
            "SendDurableExecutionCallbackSuccess",
            200,
        ),
        Body::Blob("Result"),
    ),
    with_body(
        route(
            "POST",
            "/2025-12-01/durable-execution-callbacks/{CallbackId}/fail",
            "SendDurableExecutionCallbackFailure",
            200,
        ),
        Body::Member("Error"),
    ),
    route(
        "POST",
        "/2025-12-01/durable-execution-callbacks/{CallbackId}/heartbeat",
        "SendDurableExecutionCallbackHeartbeat",
        200,
    ),
];

/// Request headers that are members of `Invoke`.
const INVOKE_HEADERS: [(&str, &str); 5] = [
    ("x-amz-invocation-type", "InvocationType"),
    ("x-amz-log-type", "LogType"),
    ("x-amz-client-context", "ClientContext"),
    ("x-amz-durable-execution-name", "DurableExecutionName"),
    ("x-amz-tenant-id", "TenantId"),
];

/// Answer headers that are members of `Invoke`.
const INVOKE_ANSWER_HEADERS: [(&str, &str); 4] = [
    ("FunctionError", "X-Amz-Function-Error"),
    ("ExecutedVersion", "X-Amz-Executed-Version"),
    ("DurableExecutionArn", "X-Amz-Durable-Execution-Arn"),
    ("LogResult", "X-Amz-Log-Result"),
];

/// The route of a request, with the decoded members of its path.
pub(super) fn find(request: &Request) -> Option<(&'static Route, Map<String, Value>)> {
    let path: Vec<&str> = request.path.trim_matches('/').split('/').collect();
    ROUTES
        .iter()
        .filter(|route| route.method == request.method)
        .find_map(|route| Some((route, path_members(route.template, &path)?)))
}

fn path_members(template: &str, path: &[&str]) -> Option<Map<String, Value>> {
    let template: Vec<&str> = template.trim_matches('/').split('/').collect();
    if template.len() != path.len() {
        return None;
    }
    let mut members = Map::new();
    for (expected, found) in template.iter().zip(path) {
        match expected.strip_prefix('{').and_then(|name| name.strip_suffix('}')) {
            Some(name) => drop(members.insert(name.to_owned(), json!(uri::decode(found)))),
            None if expected == found => {}
            None => return None,
        }
    }
    Some(members)
}

/// The operation's input from path, query, headers and body.
pub(super) fn input(route: &Route, path: Map<String, Value>, request: &Request) -> Result<Value, ApiError> {
    let mut members = match route.body {
        Body::Members => match super::json::input(&request.body)? {
            Value::Object(members) => members,
            _ => Map::new(),
        },
        Body::Blob(name) => Map::from_iter([(name.to_owned(), json!(BASE64_STANDARD.encode(&request.body)))]),
        Body::Member(name) => Map::from_iter([(name.to_owned(), super::json::input(&request.body)?)]),
    };
    query(&mut members, request)?;
    if route.operation == "Invoke" {
        for (header, member) in INVOKE_HEADERS {
            if let Some(text) = request.header(header) {
                members.insert(member.to_owned(), json!(text));
            }
        }
    }
    members.extend(path);
    Ok(Value::Object(members))
}

fn query(members: &mut Map<String, Value>, request: &Request) -> Result<(), ApiError> {
    for (name, text) in &request.query {
        let invalid = || ApiError::bad("InvalidParameterValueException", format!("{name} cannot be {text}"));
        match name.as_str() {
            "MaxItems" => {
                let number: i64 = text.parse().map_err(|_| invalid())?;
                members.insert(name.clone(), json!(number));
            }
            "IncludeExecutionData" | "ReverseOrder" => {
                let flag: bool = text.parse().map_err(|_| invalid())?;
                members.insert(name.clone(), json!(flag));
            }
            "StartedAfter" | "StartedBefore" => {
                let time: Timestamp = text.parse().map_err(|_| invalid())?;
                members.insert(name.clone(), crate::time::epoch_seconds(time.as_millisecond()));
            }
            "Statuses" | "tagKeys" => {
                let member = if name == "tagKeys" { "TagKeys" } else { name };
                if let Some(list) = members.entry(member).or_insert_with(|| json!([])).as_array_mut() {
                    list.push(json!(text));
                }
            }
            _ => drop(members.insert(name.clone(), json!(text))),
        }
    }
    Ok(())
}

/// Answers a success.
pub(super) fn answer(route: &Route, output: &Value) -> Reply {
    if route.operation == "Invoke" {
        return invoked(output);
    }
    if route.status == 204 {
        return Reply::empty(204);
    }
    let body = if output.is_null() { "{}".to_owned() } else { output.to_string() };
    Reply::new(route.status, "application/json", body)
}

fn invoked(output: &Value) -> Reply {
    let payload = output.get("Payload").and_then(Value::as_str).unwrap_or_default();
    let payload = BASE64_STANDARD.decode(payload).unwrap_or_default();
    let status = output.get("StatusCode").and_then(Value::as_u64).and_then(|s| u16::try_from(s).ok()).unwrap_or(200);
    let reply = Reply::new(status, "application/json", payload);
    INVOKE_ANSWER_HEADERS.into_iter().fold(reply, |reply, (member, header)| {
        match output.get(member).and_then(Value::as_str) {
            Some(text) => reply.header(header, text),
            None => reply,
        }
    })
}

/// An error: the code in a header, the message in the body in both spellings that models use.
pub(super) fn error(error: &ApiError) -> Reply {
    let mut body = error.details.clone();
    body.insert("Type".to_owned(), json!(if error.status < 500 { "User" } else { "Service" }));
    body.insert("Message".to_owned(), json!(error.message));
    body.insert("message".to_owned(), json!(error.message));
    let reply = Reply::new(error.status, "application/json", Value::Object(body).to_string());
    reply.header("x-amzn-errortype", error.code.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use hyper::HeaderMap;
    use proptest::prelude::*;

    fn request(method: &str, path: &str, query: &str, body: &'static [u8]) -> Request {
        Request::new(method, path, query, HeaderMap::new(), body.into())
    }

    fn read(request: &Request) -> (&'static str, Value) {
        let (route, path) = find(request).unwrap();
        (route.operation, input(route, path, request).unwrap())
    }

    #[test]
    fn an_arn_in_the_path_is_one_segment() {
        let path = "/2025-12-01/durable-executions/arn%3Aaws%3Alambda%3Af%3A1%2Fdurable-execution%2Fa%2Fb/history";
        let (operation, input) = read(&request("GET", path, "MaxItems=5&ReverseOrder=true", b""));
        assert_eq!(operation, "GetDurableExecutionHistory");
        let arn = "arn:aws:lambda:f:1/durable-execution/a/b";
        assert_eq!(input, json!({ "DurableExecutionArn": arn, "MaxItems": 5, "ReverseOrder": true }));
    }

    #[test]
    fn invoke_carries_its_payload_and_headers() {
        let mut request = request("POST", "/2015-03-31/functions/f/invocations", "Qualifier=live", b"{\"a\":1}");
        request.headers.insert("x-amz-invocation-type", "Event".parse().unwrap());
        let (operation, input) = read(&request);
        assert_eq!(operation, "Invoke");
        let expected = json!({
            "FunctionName": "f", "Qualifier": "live", "InvocationType": "Event", "Payload": "eyJhIjoxfQ==",
        });
        assert_eq!(input, expected);
    }

    #[test]
    fn repeated_query_parameters_are_a_list() {
        let (operation, input) = read(&request("DELETE", "/2017-03-31/tags/arn", "tagKeys=a&tagKeys=b", b""));
        assert_eq!((operation, input), ("UntagResource", json!({ "Resource": "arn", "TagKeys": ["a", "b"] })));
    }

    #[test]
    fn bad_input_is_the_clients_fault() {
        let bad = request("GET", "/2015-03-31/functions", "MaxItems=many", b"");
        let (route, path) = find(&bad).unwrap();
        assert_eq!(input(route, path, &bad).unwrap_err().code, "InvalidParameterValueException");
    }

    #[test]
    fn an_invocations_outcome_is_in_headers_and_body() {
        let (route, _) = find(&request("POST", "/2015-03-31/functions/f/invocations", "", b"")).unwrap();
        let reply = answer(route, &json!({ "StatusCode": 200, "FunctionError": "Unhandled", "Payload": "e30=" }));
        assert_eq!((reply.status, &reply.body[..]), (200, &b"{}"[..]));
        assert!(reply.headers.contains(&("X-Amz-Function-Error".to_owned(), "Unhandled".to_owned())));
    }

    proptest! {
        #[test]
        fn any_path_query_and_body_can_be_routed(
            path in "(/2015-03-31/functions)?[/a-z%{}]{0,40}",
            query in ".{0,40}",
            body in proptest::collection::vec(any::<u8>(), 0..60),
        ) {
            let request = Request::new("POST", &path, &query, HeaderMap::new(), body.into());
            if let Some((route, path)) = find(&request) {
                let _ = input(route, path, &request);
            }
        }
    }
}
