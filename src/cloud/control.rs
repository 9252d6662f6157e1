//! Cloud Control, read only: resources of any type that CloudFormation knows, by their primary identifier.

use super::budget::Lane;
use super::clients::Clients;
use super::listing::{Listing, PageCap, pages};
use super::outcome::{Failure, Outcome, require, settle};
use aws_sdk_cloudcontrol::types::ResourceDescription;
use serde_json::Value;

/// A resource as Cloud Control shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Controlled {
    /// Primary identifier; parts of a compound one are joined by `|`.
    pub identifier: String,
    /// Its properties as the type's schema names them; a listing may show fewer than a read.
    pub properties: Value,
}

impl Controlled {
    /// A property that is text.
    #[must_use]
    pub fn text(&self, property: &str) -> Option<&str> {
        self.properties[property].as_str()
    }
}

/// Reads one resource. `NotFound` is the owning service's answer by its type's read handler; types without one are
/// refused (Cloud Control API reference, `GetResource`).
pub async fn describe(clients: &Clients, type_name: &str, identifier: &str) -> Outcome<Controlled> {
    const OPERATION: &str = "GetResource";
    settle(async {
        let call = || clients.sdk().cloudcontrol.get_resource().type_name(type_name).identifier(identifier).send();
        let answer = clients.read(Lane::CloudControl, OPERATION, call).await?;
        controlled(OPERATION, require(OPERATION, "ResourceDescription", answer.resource_description)?)
    })
    .await
}

/// Every resource of a type in the region.
pub async fn list(clients: &Clients, type_name: &str, cap: PageCap) -> Outcome<Listing<Controlled>> {
    const OPERATION: &str = "ListResources";
    settle(pages(OPERATION, cap, async |token: Option<String>| {
        let call = || {
            let call = clients.sdk().cloudcontrol.list_resources().type_name(type_name);
            call.set_next_token(token.clone()).send()
        };
        let answer = clients.read(Lane::CloudControl, OPERATION, call).await?;
        let found = answer.resource_descriptions.unwrap_or_default().into_iter();
        Ok((found.map(|r| controlled(OPERATION, r)).collect::<Result<Vec<_>, _>>()?, answer.next_token))
    }))
    .await
}

fn controlled(operation: &str, resource: ResourceDescription) -> Result<Controlled, Failure> {
    let identifier = require(operation, "Identifier", resource.identifier)?;
    let properties = resource.properties.as_deref().map_or(Ok(Value::Null), serde_json::from_str);
    let properties = properties.map_err(|e| Failure::unknown(operation, format!("Properties are not JSON: {e}")))?;
    Ok(Controlled { identifier, properties })
}
