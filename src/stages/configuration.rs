//! The configuration that is really deployed, read back natively and laid beside the planned one.

use super::collect::Place;
use super::session::Session;
use crate::cloud::functions::{self, Function};
use crate::cloud::{Failure as CallFailure, mappings, queues};
use crate::plan::TrialPlan;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use evidence::record::Promise;
use evidence::trial::Configuration;
use std::collections::BTreeMap;

/// Reads function, queue, mapping and, where the plan has one, the provider's promise.
pub(super) async fn deployed(
    session: &Session,
    place: &Place,
    trial: &TrialPlan,
) -> Result<Configuration, CallFailure> {
    let function =
        functions::configuration(&session.clients, &place.function, place.version.as_deref()).await.into_result()?;
    let mut deployed = of_function(&function)?;
    if !trial.durable {
        (deployed.step_attempts, deployed.step_delay_s, deployed.execution_timeout_s) = (None, None, None);
    }
    if let Some(url) = &place.queue_url {
        let attributes = queues::attributes(&session.clients, url).await.into_result()?;
        deployed.visibility_timeout_s = number(&attributes, "VisibilityTimeout");
        deployed.max_receive_count = attributes.get("RedrivePolicy").and_then(|text| max_receive_count(text));
    }
    if let Some(id) = &place.mapping {
        deployed.batch_size = mappings::describe(&session.clients, id).await.into_result()?.batch_size;
    }
    if let Some(provider) = &place.provider {
        let function = functions::configuration(&session.clients, provider, None).await.into_result()?;
        deployed.provider_promise = promise(&function);
    }
    Ok(deployed)
}

/// As the function reads it; a word that it does not know would have kept it from starting.
fn promise(provider: &Function) -> Option<Promise> {
    let set = provider.environment.iter().find(|(name, _)| name == "PROVIDER_PROMISE")?;
    (set.1 == "idempotent").then_some(Promise::Idempotent)
}

fn of_function(function: &Function) -> Result<Configuration, CallFailure> {
    let env: BTreeMap<_, _> = function.environment.iter().cloned().collect();
    let digest = STANDARD
        .decode(&function.code_sha256)
        .map_err(|e| CallFailure::unknown("GetFunctionConfiguration", format!("CodeSha256 is not base64: {e}")))?;
    Ok(Configuration {
        artifact_sha256: hex::encode(digest),
        deadline_ms: number(&env, "DEADLINE_MS").unwrap_or_default(),
        function_timeout_s: function.timeout_s,
        step_attempts: number(&env, "RETRY_ATTEMPTS"),
        step_delay_s: number(&env, "RETRY_DELAY_S"),
        execution_timeout_s: function.execution_timeout_s,
        ..Configuration::default()
    })
}

fn number(map: &BTreeMap<String, String>, key: &str) -> Option<u32> {
    map.get(key).and_then(|text| text.parse().ok())
}

/// SQS gives the number as JSON number or as text.
fn max_receive_count(policy: &str) -> Option<u32> {
    let policy: serde_json::Value = serde_json::from_str(policy).ok()?;
    let count = policy.get("maxReceiveCount")?;
    count.as_u64().and_then(|n| u32::try_from(n).ok()).or_else(|| count.as_str()?.parse().ok())
}
