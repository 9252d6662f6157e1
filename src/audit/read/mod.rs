//! Reading the surfaces. Every call leaves its cell in the certificate, answered or not.

mod cells;
mod children;
mod executions;
mod index;
mod interfaces;
mod lookup;
mod mappings;
mod prefixes;
mod stacks;
mod streams;

use self::cells::Cells;
use super::allow::allowing;
use super::arn::{Kind, Resource};
use super::certificate::Certificate;
use super::facts::{Facts, Named, Reading, Sighting, Source};
use super::scope::{AuditLimits, AuditScope};
use crate::cloud::Clients;
use enumset::EnumSet;
use std::collections::BTreeSet;
use std::sync::Arc;
use tokio::task::JoinSet;

/// One region's reading.
#[derive(Clone)]
struct Reader {
    scope: Arc<AuditScope>,
    clients: Clients,
    limits: AuditLimits,
    cells: Arc<Cells>,
    region: String,
    /// Global services are read with the first region only.
    first: bool,
    now_ms: i64,
}

/// What a listing by prefix has read whole: a name of that kind and prefix that it does not hold is absent.
#[derive(Debug, Default)]
struct Listed(BTreeSet<Kind>);

/// Reads every surface of every region once.
pub(super) async fn read(scope: &AuditScope, clients: &Clients, limits: AuditLimits, now_ms: i64) -> Facts {
    let cells = Arc::new(Cells::new(&scope.account));
    let scope = Arc::new(scope.clone());
    let mut facts = Facts::default();
    for (at, region) in scope.regions.iter().enumerate() {
        let reader = Reader {
            scope: Arc::clone(&scope),
            clients: clients.in_region(region),
            limits,
            cells: Arc::clone(&cells),
            region: region.clone(),
            first: at == 0,
            now_ms,
        };
        reader.region(&mut facts).await;
    }
    facts.certificate = Certificate::new(cells.take());
    facts
}

impl Reader {
    async fn region(&self, facts: &mut Facts) {
        let mut named = Named::default();
        self.inventory(&mut named);
        index::read(self, &mut named).await;
        let listed = prefixes::read(self, &mut named).await;
        stacks::read(self, &mut named).await;
        mappings::read(self, &mut named).await;
        children::name(self, &mut named);
        interfaces::read(self, &mut named).await;
        let streams = streams::candidates(self, &mut named).await;
        let tables = streams::tables(&named);
        let mut sightings = self.look_up(&mut named, &listed).await;
        interfaces::date(&mut sightings, &named);
        facts.sightings.extend(sightings);
        facts.sightings.extend(executions::read(self).await);
        facts.streams.extend(streams::read(self, &named, &tables, streams).await);
    }

    /// Whether the sealed inventory is about this region.
    fn is_home(&self) -> bool {
        self.scope.inventory.region.is_empty() && self.first || self.scope.inventory.region == self.region
    }

    fn inventory(&self, named: &mut Named) {
        if !self.is_home() {
            return;
        }
        for stack in &self.scope.inventory.stacks {
            named.add(Resource::new(Kind::Stack, stack, &self.region), Source::Inventory);
        }
        for resource in &self.scope.inventory.resources {
            let found = Resource::from_stack(&resource.resource_type, &resource.physical_id, &self.region);
            named.add(found, Source::Inventory);
        }
    }

    /// One native read for each named resource that no listing has answered, a bounded number at once. The names move
    /// into the sightings: an account may have many.
    async fn look_up(&self, named: &mut Named, listed: &Listed) -> Vec<Sighting> {
        let sources = std::mem::take(&mut named.sources);
        let mut sightings = Vec::with_capacity(sources.len());
        let mut tasks: JoinSet<Sighting> = JoinSet::new();
        for (resource, sources) in sources.into_iter().filter(|(resource, _)| resource.kind != Kind::Stream) {
            let deleted = named.deleted.get(&resource).copied().unwrap_or_default();
            let known = self.without_call(&resource, sources, named, listed);
            let mut sighting = Sighting { resource, sources, reading: Reading::Implied, deleted };
            if let Some(known) = known {
                sighting.reading = known;
                sightings.push(sighting);
                continue;
            }
            if tasks.len() >= self.limits.concurrency.max(1)
                && let Some(Ok(done)) = tasks.join_next().await
            {
                sightings.push(done);
            }
            let reader = self.clone();
            tasks.spawn(async move {
                sighting.reading = lookup::read(&reader, &sighting.resource).await;
                sighting
            });
        }
        sightings.extend(tasks.join_all().await);
        sightings.sort_unstable_by(|a, b| a.resource.cmp(&b.resource));
        sightings
    }

    fn without_call(
        &self,
        resource: &Resource,
        sources: EnumSet<Source>,
        named: &Named,
        listed: &Listed,
    ) -> Option<Reading> {
        if allowing(&self.scope.allow, &resource.name, self.now_ms).is_some() {
            return Some(Reading::Excused);
        }
        if let Some(known) = named.known.get(resource) {
            return Some(known.clone());
        }
        if matches!(resource.kind, Kind::Part(_)) {
            return Some(Reading::Implied);
        }
        let covered = listed.0.contains(&resource.kind)
            && self.scope.prefix.as_deref().is_some_and(|prefix| resource.name.starts_with(prefix));
        let lead_only = sources.iter().all(|source| source == Source::Stack);
        (covered && lead_only).then_some(Reading::Absent)
    }
}
