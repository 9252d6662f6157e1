//! Network interfaces that Lambda made for functions in a VPC. They carry no tags and no stack lists them; their
//! description names the function (`AWS Lambda VPC ENI-NAME-…`, Lambda developer guide, "Hyperplane ENIs").

use super::Reader;
use crate::audit::arn::{Kind, Resource};
use crate::audit::facts::{Named, Reading, Sighting, Source};
use crate::audit::types::{NETWORK_INTERFACE, SECURITY_GROUP, SUBNET};
use crate::cloud::control::{self, Controlled};
use std::collections::BTreeMap;

const DESCRIPTION: &str = "AWS Lambda VPC ENI-";

/// The function's name in an interface's description.
pub(super) fn function_of(interface: &Controlled) -> Option<&str> {
    let rest = interface.text("Description")?.strip_prefix(DESCRIPTION)?;
    // A UUID of five groups follows the name.
    let uuid = rest.rmatch_indices('-').nth(4).map(|(at, _)| at);
    uuid.map(|at| &rest[..at]).filter(|name| !name.is_empty())
}

/// Lists the region's interfaces where a network of ours is named: without one no function of ours is in a VPC.
pub(super) async fn read(reader: &Reader, named: &mut Named) {
    let networked = |r: &Resource| matches!(&r.kind, Kind::Typed(t) if [SECURITY_GROUP, SUBNET].contains(&t.as_str()));
    if !named.sources.keys().any(networked) {
        return;
    }
    let outcome = control::list(&reader.clients, NETWORK_INTERFACE, reader.limits.cap).await;
    let op = ("cloudcontrol", "ListResources");
    let listed = reader.cells.listing(&reader.region, op, NETWORK_INTERFACE, outcome).unwrap_or_default();
    for interface in listed {
        let known =
            if interface.text("Description").is_some() { Some(interface) } else { whole(reader, &interface).await };
        let Some(interface) = known else { continue };
        let Some(function) = function_of(&interface).filter(|name| ours(reader, named, name)) else { continue };
        let resource = Resource::new(Kind::Typed(NETWORK_INTERFACE.to_owned()), &interface.identifier, &reader.region);
        named.add_known(resource, Source::Child, Reading::LeftBy(function.to_owned()));
    }
}

/// A listing may leave properties out.
async fn whole(reader: &Reader, interface: &Controlled) -> Option<Controlled> {
    let outcome = control::describe(&reader.clients, NETWORK_INTERFACE, &interface.identifier).await;
    let op = ("cloudcontrol", "GetResource");
    reader.cells.single(&reader.region, op, &interface.identifier, outcome).ok().flatten()
}

fn ours(reader: &Reader, named: &Named, function: &str) -> bool {
    let resource = Resource::new(Kind::Function, function, &reader.region);
    named.sources.contains_key(&resource) || reader.scope.prefix.as_deref().is_some_and(|p| function.starts_with(p))
}

/// An interface goes after its function: it is judged by when that went, and belongs to it while it exists.
pub(super) fn date(sightings: &mut [Sighting], named: &Named) {
    let functions: BTreeMap<(String, String), Reading> = sightings
        .iter()
        .filter(|s| s.resource.kind == Kind::Function)
        .map(|s| ((s.resource.region.clone(), s.resource.name.clone()), s.reading.clone()))
        .collect();
    for sighting in sightings {
        let Reading::LeftBy(function) = &sighting.reading else { continue };
        let region = sighting.resource.region.clone();
        let function = function.clone();
        let resource = Resource::new(Kind::Function, &function, &region);
        sighting.deleted = named.deleted.get(&resource).copied().unwrap_or_default();
        if matches!(functions.get(&(region, function.clone())), Some(Reading::Present(_))) {
            sighting.reading = Reading::Present(format!("network interface of function {function}, which exists"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Controlled, function_of};
    use serde_json::json;

    #[test]
    fn the_description_names_the_function() {
        let of = |description: &str| {
            let properties = json!({ "Description": description });
            let interface = Controlled { identifier: "eni-1".into(), properties };
            function_of(&interface).map(str::to_owned)
        };
        let uuid = "1c2d3e4f-0000-4000-8000-123456789abc";
        assert_eq!(of(&format!("AWS Lambda VPC ENI-assay-r1-caller-{uuid}")), Some("assay-r1-caller".into()));
        assert_eq!(of("AWS Lambda VPC ENI-"), None);
        assert_eq!(of("Primary network interface"), None);
    }
}
