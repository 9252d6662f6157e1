//! Event source mappings: all of the region, kept if their function or their source is ours. That covers listing by
//! function and by source in one walk, and the mappings of aliases, which a listing by plain name may not show.

use super::Reader;
use crate::audit::arn::{Kind, Resource};
use crate::audit::facts::{Named, Reading, Source};
use crate::cloud::mappings::{self, By, Mapping};
use crate::cloud::streams::table_of;
use std::collections::BTreeSet;

pub(super) async fn read(reader: &Reader, named: &mut Named) {
    let ours = Ours::of(reader, named);
    if ours.is_empty() {
        return;
    }
    let outcome = mappings::list(&reader.clients, By::Region, reader.limits.cap).await;
    let found = reader.cells.listing(&reader.region, ("lambda", "ListEventSourceMappings"), "", outcome);
    for mapping in found.unwrap_or_default().into_iter().filter(|mapping| ours.holds(mapping)) {
        let resource = Resource::new(Kind::Mapping, &mapping.id, &reader.region);
        named.add_known(resource, Source::Child, as_reading(&mapping));
    }
}

pub(super) fn as_reading(mapping: &Mapping) -> Reading {
    if mapping.state == "Deleting" {
        return Reading::Going(mapping.state.clone());
    }
    let source = mapping.source_arn.as_deref().unwrap_or("no source");
    Reading::Present(format!("{} from {source}", mapping.state))
}

struct Ours {
    functions: BTreeSet<String>,
    sources: BTreeSet<String>,
    prefix: Option<String>,
}

impl Ours {
    fn of(reader: &Reader, named: &Named) -> Self {
        let names = |kinds: &[Kind]| -> BTreeSet<String> {
            named.sources.keys().filter(|r| kinds.contains(&r.kind)).map(|r| r.name.clone()).collect()
        };
        let sources = names(&[Kind::Queue, Kind::Table]);
        Self { functions: names(&[Kind::Function]), sources, prefix: reader.scope.prefix.clone() }
    }

    fn is_empty(&self) -> bool {
        self.functions.is_empty() && self.sources.is_empty() && self.prefix.is_none()
    }

    fn holds(&self, mapping: &Mapping) -> bool {
        let function = mapping.function_arn.as_deref().and_then(|arn| arn.split(':').nth(6));
        let source = mapping.source_arn.as_deref().and_then(|arn| table_of(arn).or_else(|| arn.rsplit(':').next()));
        function.is_some_and(|name| self.named(&self.functions, name))
            || source.is_some_and(|name| self.named(&self.sources, name))
    }

    fn named(&self, names: &BTreeSet<String>, name: &str) -> bool {
        names.contains(name) || self.prefix.as_deref().is_some_and(|prefix| name.starts_with(prefix))
    }
}
