//! Event source mappings at work: one task for each mapping, which follows its state by the cloud's clock.

mod deliver;
mod event;
mod queue;
mod stream;

use crate::cloud::Cloud;
use crate::service::lambda::mapping::{Mapping, MappingState, Source, mapping_arn};
use crate::service::{State, tagging};
use std::time::Duration;

/// How long a mapping takes to become what it was told to be.
const CHANGE: Duration = Duration::from_millis(100);
/// How long a deleted mapping stays in the state Deleting.
const DELETE: Duration = Duration::from_millis(200);
/// How long a poller rests after its source could not be read.
const REST: Duration = Duration::from_secs(5);

/// Which mapping a poller works for.
#[derive(Clone, Debug)]
struct Poller {
    cloud: Cloud,
    region: String,
    uuid: String,
}

/// Follows a mapping from its creation until it is deleted.
pub(crate) async fn run(cloud: Cloud, region: String, uuid: String) {
    let poller = Poller { cloud, region, uuid };
    let look =
        |state: &mut State| state.lambda.mappings.get(&poller.uuid).map(|m| (m.state, m.source, m.changes.subscribe()));
    while let Some((state, source, mut changes)) = poller.cloud.with(&poller.region, look) {
        match state {
            MappingState::Deleting => {
                poller.cloud.clock().sleep(DELETE).await;
                poller.remove();
                return;
            }
            MappingState::Disabled => drop(changes.changed().await),
            MappingState::Enabled => {
                tokio::select! {
                    _ = changes.changed() => {}
                    () = poller.poll(source) => {}
                }
            }
            moving => {
                // A change that comes meanwhile (a forced deletion) is looked at first.
                tokio::select! {
                    _ = changes.changed() => {}
                    () = poller.cloud.clock().sleep(CHANGE) => poller.settle(moving),
                }
            }
        }
    }
}

impl Poller {
    async fn poll(&self, source: Source) {
        match source {
            Source::Queue { fifo } => queue::poll(self, fifo).await,
            Source::Stream => stream::poll(self).await,
        }
    }

    fn settle(&self, from: MappingState) {
        self.cloud.with(&self.region, |state| {
            let mapping = state.lambda.mappings.get_mut(&self.uuid);
            if let Some(mapping) = mapping.filter(|mapping| mapping.state == from) {
                mapping.state = if mapping.enabled { MappingState::Enabled } else { MappingState::Disabled };
            }
        });
        self.cloud.touch();
    }

    fn remove(&self) {
        let now_ms = self.cloud.clock().now_ms();
        self.cloud.with(&self.region, |state| {
            state.lambda.mappings.remove(&self.uuid);
            tagging::deleted(state, &mapping_arn(&self.region, &self.uuid), now_ms);
        });
        self.cloud.touch();
    }

    /// Looks at the mapping, if it is still there.
    fn mapping<R>(&self, look: impl FnOnce(&Mapping) -> R) -> Option<R> {
        self.cloud.with(&self.region, |state| state.lambda.mappings.get(&self.uuid).map(look))
    }

    fn note(&self, result: &str) {
        self.cloud.with(&self.region, |state| {
            if let Some(mapping) = state.lambda.mappings.get_mut(&self.uuid) {
                result.clone_into(&mut mapping.last_result);
            }
        });
    }

    /// Rests after a problem, or until something changes in the cloud.
    async fn rest(&self, problem: &str) {
        self.note(&format!("PROBLEM: {problem}"));
        let mut changes = self.cloud.changes();
        let until_ms = self.cloud.clock().now_ms() + i64::try_from(REST.as_millis()).unwrap_or(i64::MAX);
        self.cloud.wait(&mut changes, until_ms).await;
    }
}
