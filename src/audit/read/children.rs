//! What a parent implies without any stack or tag naming it.

use super::Reader;
use crate::audit::arn::{Kind, Resource};
use crate::audit::facts::{Named, Source};

/// A function leaves `/aws/lambda/NAME` behind when it logged once (Lambda developer guide, "Monitoring").
pub(super) fn name(reader: &Reader, named: &mut Named) {
    let functions: Vec<String> =
        named.sources.keys().filter(|r| r.kind == Kind::Function).map(|r| r.name.clone()).collect();
    for function in functions {
        // The listing by prefix has shown those groups already.
        if reader.scope.prefix.as_deref().is_some_and(|prefix| function.starts_with(prefix)) {
            continue;
        }
        let group = Resource::new(Kind::LogGroup, format!("/aws/lambda/{function}"), &reader.region);
        named.add(group, Source::Child);
    }
}
