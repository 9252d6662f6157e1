//! Event source mappings. Deleting a function leaves them behind, and deleting them takes a while (Lambda API
//! reference, `DeleteFunction`).

use super::budget::Lane;
use super::clients::Clients;
use super::listing::{Listing, PageCap, pages};
use super::outcome::{Failure, Outcome, require, settle};
use aws_sdk_lambda::types::EventSourceMappingConfiguration;
use serde::{Deserialize, Serialize};

/// A mapping between a source and a function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mapping {
    /// UUID, its physical id.
    pub id: String,
    /// ARN of the mapping itself.
    pub arn: Option<String>,
    /// Function that it invokes, qualified as configured.
    pub function_arn: Option<String>,
    /// Queue or stream that it reads.
    pub source_arn: Option<String>,
    /// `Creating`, `Enabling`, `Enabled`, `Disabling`, `Disabled`, `Updating` or `Deleting`.
    pub state: String,
    /// Records per invocation.
    pub batch_size: Option<u32>,
}

/// Which mappings to list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By<'a> {
    /// Of a function, by name or ARN (an alias' mappings are listed under its qualified ARN).
    Function(&'a str),
    /// Of a source.
    Source(&'a str),
    /// All of the region.
    Region,
}

/// Mappings; a page has at most 100 (Lambda API reference).
pub async fn list(clients: &Clients, by: By<'_>, cap: PageCap) -> Outcome<Listing<Mapping>> {
    const OPERATION: &str = "ListEventSourceMappings";
    let (function, source) = match by {
        By::Function(name) => (Some(name.to_owned()), None),
        By::Source(arn) => (None, Some(arn.to_owned())),
        By::Region => (None, None),
    };
    settle(pages(OPERATION, cap, async |marker: Option<String>| {
        let call = || {
            let call = clients.sdk().lambda.list_event_source_mappings().set_marker(marker.clone());
            call.set_function_name(function.clone()).set_event_source_arn(source.clone()).send()
        };
        let answer = clients.read(Lane::LambdaControl, OPERATION, call).await?;
        let items = answer.event_source_mappings.unwrap_or_default().into_iter().map(mapping);
        Ok((items.collect::<Result<Vec<_>, Failure>>()?, answer.next_marker))
    }))
    .await
}

/// Reads one mapping by UUID.
pub async fn describe(clients: &Clients, id: &str) -> Outcome<Mapping> {
    const OPERATION: &str = "GetEventSourceMapping";
    settle(async {
        let call = || clients.sdk().lambda.get_event_source_mapping().uuid(id).send();
        let m = clients.read(Lane::LambdaControl, OPERATION, call).await?;
        Ok(Mapping {
            id: require(OPERATION, "UUID", m.uuid)?,
            arn: m.event_source_mapping_arn,
            function_arn: m.function_arn,
            source_arn: m.event_source_arn,
            state: require(OPERATION, "State", m.state)?,
            batch_size: m.batch_size.and_then(|n| u32::try_from(n).ok()),
        })
    })
    .await
}

/// Starts to disable a mapping, so that nothing new is delivered.
pub async fn disable(clients: &Clients, id: &str) -> Outcome<()> {
    let call = clients.sdk().lambda.update_event_source_mapping().uuid(id).enabled(false).send();
    settle(async { clients.write(Lane::LambdaControl, "UpdateEventSourceMapping", call).await.map(drop) }).await
}

fn mapping(m: EventSourceMappingConfiguration) -> Result<Mapping, Failure> {
    const OPERATION: &str = "ListEventSourceMappings";
    Ok(Mapping {
        id: require(OPERATION, "UUID", m.uuid)?,
        arn: m.event_source_mapping_arn,
        function_arn: m.function_arn,
        source_arn: m.event_source_arn,
        state: require(OPERATION, "State", m.state)?,
        batch_size: m.batch_size.and_then(|n| u32::try_from(n).ok()),
    })
}
