//! The tag index: a lead to resources that may or may not exist.

use super::Reader;
use crate::audit::arn::Resource;
use crate::audit::facts::{Named, Source};
use crate::cloud::tag_index;

pub(super) async fn read(reader: &Reader, named: &mut Named) {
    let Some((key, value)) = &reader.scope.tag else { return };
    let outcome = tag_index::list(&reader.clients, key, value, reader.limits.cap).await;
    let subject = format!("{key}={value}");
    let found = reader.cells.listing(&reader.region, ("tagging", "GetResources"), &subject, outcome);
    for resource in found.unwrap_or_default() {
        named.add(Resource::from_arn(&resource.arn, &reader.region), Source::TagIndex);
    }
}
