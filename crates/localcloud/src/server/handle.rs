//! One request from wire to service and back.

use super::{Dropped, effects};
use crate::cloud::{Cloud, Context, Origin};
use crate::error::ApiError;
use crate::fault::{self, Caller, Effect};
use crate::service::{Service, s3};
use crate::time;
use crate::wire::{self, Call, Output, Refusal, Reply, Request};
use serde_json::Value;
use std::time::Duration;
use tokio::sync::oneshot;

pub(super) async fn handle(cloud: &Cloud, request: Request) -> Result<Reply, Dropped> {
    let request_id = cloud.uuid();
    if cloud.latency_ms() > 0 {
        tokio::time::sleep(Duration::from_millis(cloud.latency_ms())).await;
    }
    let call = match wire::read(&request) {
        Ok(call) => call,
        Err(Refusal(protocol, error)) => {
            tracing::warn!(%error, path = request.path, "refused");
            return Ok(dated(cloud, 0, wire::write(&protocol, "", &request_id, Err(error))));
        }
    };
    // A waiting receive ends with its client: nobody would delete what it received.
    let waits_for_client = call.service == Service::Sqs && call.operation == "ReceiveMessage";
    let caller = if wire::is_from_function(&request) { Caller::Function } else { Caller::Client };
    drop(request);
    let answered = answer(cloud.clone(), call, caller, request_id);
    if waits_for_client { answered.await } else { detached(cloud, answered).await }
}

/// Runs in a task of its own, so that a call is done even if its client does not wait for the answer.
async fn detached(
    cloud: &Cloud,
    answered: impl Future<Output = Result<Reply, Dropped>> + Send + 'static,
) -> Result<Reply, Dropped> {
    let (sender, receiver) = oneshot::channel();
    cloud.spawn(async move {
        // An error means that the client has gone.
        let _ = sender.send(answered.await);
    });
    receiver.await.unwrap_or(Err(Dropped))
}

async fn answer(cloud: Cloud, mut call: Call, caller: Caller, request_id: String) -> Result<Reply, Dropped> {
    cloud.count(call.service, &call.operation);
    let hits = cloud.faults().on_wire(call.service, &call.operation, caller);
    let (protocol, operation) = (call.protocol.clone(), call.operation.clone());
    // Inputs can be large; only damaged pages need a second look at theirs.
    let asked = if hits.iter().any(is_on_page) { call.input.clone() } else { Value::Null };
    fault::unwrap_token(&mut call.input);
    let mut result = match effects::before(&cloud, call.service, &hits).await? {
        Ok(()) => dispatch(&cloud, call, &request_id).await,
        Err(error) => Err(error),
    };
    let mut skew_ms = 0;
    for hit in &hits {
        match (hit, &mut result) {
            (Effect::DropAfter, _) => return Err(Dropped),
            (Effect::ClockSkew { ms }, _) => skew_ms = *ms,
            (hit, Ok(output)) if is_on_page(hit) => {
                fault::damage_page(&operation, &asked, &mut output.value, hit);
            }
            _ => {}
        }
    }
    Ok(dated(&cloud, skew_ms, wire::write(&protocol, &operation, &request_id, result)))
}

fn is_on_page(effect: &Effect) -> bool {
    matches!(effect, Effect::RepeatedPageToken | Effect::EmptyPageWithToken)
}

async fn dispatch(cloud: &Cloud, call: Call, request_id: &str) -> Result<Output, ApiError> {
    let ctx = &Context { region: call.region, request_id: request_id.to_owned(), origin: Origin::Wire };
    let what = format!("{}.{}", call.service, call.operation);
    let result = match call.service {
        Service::S3 => s3::call_with_body(cloud, ctx, &call.operation, call.input, call.body).await,
        service => {
            let output = cloud.call(ctx, service, &call.operation, call.input).await;
            output.map(|value: Value| Output { value, ..Output::default() })
        }
    };
    if let Err(error) = &result {
        tracing::debug!(%error, what, "call failed");
    }
    result
}

/// The reply with the cloud's time, which SDKs compare with their own.
fn dated(cloud: &Cloud, skew_ms: i64, reply: Reply) -> Reply {
    reply.header("date", time::http_date(cloud.clock().now_ms().saturating_add(skew_ms)))
}
