//! Invoke.

use super::errors::{invalid, throttled};
use super::function::Version;
use super::input::Input;
use super::names::FunctionRef;
use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use crate::lambda::durable::{self, Status};
use crate::lambda::invoke::{self, Outcome, Request};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::body::Bytes;
use serde_json::{Value, json};
use std::sync::Arc;

/// Largest payload of a synchronous invocation ("Lambda quotas": 6 MB).
const SYNC_LIMIT: usize = 6 * 1024 * 1024;
/// Largest payload of an asynchronous invocation ("Lambda quotas": 1 MB).
const ASYNC_LIMIT: usize = 1024 * 1024;
/// Delays before an asynchronous invocation is tried again ("Asynchronous invocation": one minute, two minutes).
const ASYNC_DELAYS_S: [u64; 2] = [60, 120];

/// Invokes a function, or starts a durable execution.
pub(super) async fn invoke(cloud: &Cloud, ctx: &Context, input: Input<'_>) -> Result<Value, ApiError> {
    let reference = FunctionRef::parse(input.required("FunctionName")?, input.text("Qualifier"))?;
    let version = cloud.with(&ctx.region, |state| state.lambda.version(&ctx.region, &reference).cloned())?;
    let kind = input.text("InvocationType").unwrap_or("RequestResponse");
    let limit = if kind == "Event" { ASYNC_LIMIT } else { SYNC_LIMIT };
    let payload = payload(input, kind, limit)?;
    if !version.is_active(cloud.clock().now_ms()) {
        cloud.clock().sleep_until(version.active_at_ms).await;
    }
    let call = Call { cloud, version, arn: reference.arn(&ctx.region), input };
    let is_durable = call.version.settings.durable.is_some();
    if is_durable && reference.qualifier.is_none() {
        return Err(invalid("You cannot invoke a durable function using an unqualified ARN."));
    }
    if !is_durable && input.text("DurableExecutionName").is_some() {
        return Err(invalid("DurableExecutionName can be given for durable functions only."));
    }
    match (kind, is_durable) {
        ("DryRun", _) => Ok(json!({"StatusCode": 204})),
        ("RequestResponse", false) => call.wait(payload).await,
        ("RequestResponse", true) => call.wait_durable(&payload).await,
        ("Event", false) => Ok(call.leave(payload)),
        ("Event", true) => {
            let arn = durable::start(cloud, &call.version, input.text("DurableExecutionName"), &text(&payload))?;
            Ok(json!({"StatusCode": 202, "DurableExecutionArn": arn, "ExecutedVersion": call.version.label()}))
        }
        (other, _) => Err(invalid(format!("Invalid invocation type: {other}"))),
    }
}

fn payload(input: Input<'_>, kind: &str, limit: usize) -> Result<Bytes, ApiError> {
    let encoded = input.text("Payload").unwrap_or_default();
    let bytes = STANDARD.decode(encoded).map_err(|_| invalid("Payload is not base64"))?;
    if bytes.len() > limit {
        return Err(ApiError::new(
            413,
            "RequestTooLargeException",
            format!("{} byte payload is too large for the {kind} invocation type (limit {limit} bytes)", bytes.len()),
        ));
    }
    if bytes.is_empty() {
        return Ok(Bytes::from_static(b"{}"));
    }
    serde_json::from_slice::<serde::de::IgnoredAny>(&bytes).map_err(|error| {
        ApiError::bad("InvalidRequestContentException", format!("Could not parse request body into json: {error}"))
    })?;
    Ok(bytes.into())
}

fn text(payload: &Bytes) -> String {
    String::from_utf8_lossy(payload).into_owned()
}

struct Call<'a> {
    cloud: &'a Cloud,
    version: Arc<Version>,
    arn: String,
    input: Input<'a>,
}

impl Call<'_> {
    fn request(&self, payload: Bytes) -> Request {
        let mut request = Request::new(self.cloud, &self.version, &self.arn, payload);
        let context = self.input.text("ClientContext").and_then(|text| STANDARD.decode(text).ok());
        request.client_context = context.and_then(|bytes| String::from_utf8(bytes).ok());
        request
    }

    async fn wait(&self, payload: Bytes) -> Result<Value, ApiError> {
        let request = self.request(payload);
        let outcome = invoke::run(self.cloud, &self.version, request).await.map_err(|_| throttled())?;
        let mut output = json!({"StatusCode": 200, "ExecutedVersion": self.version.label()});
        if self.input.text("LogType") == Some("Tail") {
            output["LogResult"] = STANDARD.encode(&outcome.log_tail).into();
        }
        match outcome.result {
            Ok(body) => output["Payload"] = STANDARD.encode(&body).into(),
            Err(failure) => {
                output["FunctionError"] = "Unhandled".into();
                output["Payload"] = STANDARD.encode(&failure.body).into();
            }
        }
        Ok(output)
    }

    /// Waits for the whole execution, not for one invocation ("Invoking durable Lambda functions").
    async fn wait_durable(&self, payload: &Bytes) -> Result<Value, ApiError> {
        let name = self.input.text("DurableExecutionName");
        let arn = durable::start(self.cloud, &self.version, name, &text(payload))?;
        let ended = durable::wait_ended(self.cloud, &self.version.region, &arn).await;
        let mut output = json!({
            "StatusCode": 200,
            "ExecutedVersion": self.version.label(),
            "DurableExecutionArn": arn,
        });
        let body = match ended {
            Some(ended) if ended.status == Status::Succeeded => ended.result.unwrap_or_else(|| "null".to_owned()),
            other => {
                output["FunctionError"] = "Unhandled".into();
                let (status, error) = other.map_or((Status::Stopped, None), |ended| (ended.status, ended.error));
                unhandled(status, error.as_ref()).to_string()
            }
        };
        output["Payload"] = STANDARD.encode(body).into();
        Ok(output)
    }

    /// Answers at once; a failing function is tried twice more.
    fn leave(&self, payload: Bytes) -> Value {
        let (cloud, version, arn) = (self.cloud.clone(), Arc::clone(&self.version), self.arn.clone());
        let first = self.request(payload.clone());
        self.cloud.spawn(async move {
            let request_id = first.request_id.clone();
            let mut request = first;
            for delay_s in ASYNC_DELAYS_S.iter().map(Some).chain([None]) {
                let failed = !matches!(invoke::run(&cloud, &version, request).await, Ok(Outcome { result: Ok(_), .. }));
                let Some(delay_s) = delay_s.filter(|_| failed) else { return };
                cloud.clock().sleep(std::time::Duration::from_secs(*delay_s)).await;
                request = Request::new(&cloud, &version, &arn, payload.clone());
                request.request_id.clone_from(&request_id);
            }
        });
        json!({"StatusCode": 202})
    }
}

/// A failed execution as the error of an invocation.
fn unhandled(status: Status, error: Option<&Value>) -> Value {
    let member = |key: &str| error.and_then(|error| error.get(key)).filter(|value| !value.is_null()).cloned();
    let mut body = json!({
        "errorType": member("ErrorType").unwrap_or_else(|| "DurableExecution".into()),
        "errorMessage": member("ErrorMessage").unwrap_or_else(|| format!("the execution ended {}", status.wire()).into()),
    });
    if let Some(data) = member("ErrorData") {
        body["errorData"] = data;
    }
    if let Some(trace) = member("StackTrace") {
        body["stackTrace"] = trace;
    }
    body
}
