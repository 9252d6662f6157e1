//! Durable executions that still run. They carry no tags and are listed by function and version only.

use super::Reader;
use crate::audit::arn::{Kind, Resource};
use crate::audit::facts::{Reading, Sighting, Source, Window};
use crate::cloud::executions;
use std::collections::BTreeMap;

pub(super) async fn read(reader: &Reader) -> Vec<Sighting> {
    let mut running = BTreeMap::new();
    let functions = if reader.is_home() { reader.scope.inventory.durable.as_slice() } else { &[] };
    for function in functions {
        let qualifiers = function.versions.iter().map(|v| Some(v.as_str())).chain([None]);
        for qualifier in qualifiers {
            let (clients, cap) = (&reader.clients, reader.limits.cap);
            let outcome = executions::list(clients, &function.name, qualifier, true, cap).await;
            let op = ("lambda", "ListDurableExecutionsByFunction");
            let found = reader.cells.listing(&reader.region, op, &function.name, outcome);
            for execution in found.unwrap_or_default().into_iter().filter(|e| e.status == "RUNNING") {
                running.insert(execution.arn, execution.status);
            }
        }
    }
    let sighting = |(arn, status)| Sighting {
        resource: Resource::new(Kind::Execution, arn, &reader.region),
        sources: Source::Child.into(),
        reading: Reading::Present(status),
        deleted: Window::default(),
    };
    running.into_iter().map(sighting).collect()
}
