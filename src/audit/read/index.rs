//! The tag index: a lead to resources that may or may not exist.

use super::Reader;
use crate::audit::arn::Resource;
use crate::audit::facts::{Named, Source};
use crate::cloud::tag_index;

pub(super) async fn read(reader: &Reader, named: &mut Named) {
    let Some((key, value)) = &reader.scope.tag else { return };
    let lead = |arn: &str| named.add(Resource::from_arn(arn, &reader.region), Source::TagIndex);
    let outcome = tag_index::each(&reader.clients, key, value, reader.limits.cap, lead).await;
    let subject = format!("{key}={value}");
    reader.cells.listing(&reader.region, ("tagging", "GetResources"), &subject, outcome);
}
