//! Log groups, their streams and their events.

use crate::cloud::ACCOUNT;
use crate::error::ApiError;
use crate::service::tagging::Tags;
use std::collections::{BTreeMap, VecDeque};

/// Events kept per stream; the oldest go first.
const KEPT_EVENTS: usize = 100_000;

/// One region's log groups, by name.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(super) groups: BTreeMap<String, Group>,
}

#[derive(Debug)]
pub(super) struct Group {
    pub(super) created_ms: i64,
    pub(super) retention_days: Option<u32>,
    pub(super) class: String,
    pub(super) tags: Tags,
    pub(super) streams: BTreeMap<String, Stream>,
}

#[derive(Debug)]
pub(super) struct Stream {
    pub(super) created_ms: i64,
    /// In order of their times; events of one time in order of arrival.
    pub(super) events: VecDeque<Event>,
    /// Number of the next event.
    next: u64,
}

#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) at_ms: i64,
    pub(super) ingested_ms: i64,
    pub(super) message: String,
    /// Unique within the stream, in order of arrival.
    pub(super) number: u64,
}

impl State {
    /// Whether there is a group of this name.
    pub(crate) fn has_group(&self, name: &str) -> bool {
        self.groups.contains_key(name)
    }

    pub(super) fn group(&mut self, name: &str) -> Result<&mut Group, ApiError> {
        self.groups.get_mut(name).ok_or_else(no_group)
    }
}

impl Group {
    pub(super) fn new(created_ms: i64) -> Self {
        Self {
            created_ms,
            retention_days: None,
            class: "STANDARD".to_owned(),
            tags: Tags::new(),
            streams: BTreeMap::new(),
        }
    }

    pub(super) fn stream(&mut self, name: &str) -> Result<&mut Stream, ApiError> {
        let missing = || ApiError::bad("ResourceNotFoundException", "The specified log stream does not exist.");
        self.streams.get_mut(name).ok_or_else(missing)
    }
}

impl Stream {
    pub(super) fn new(created_ms: i64) -> Self {
        Self { created_ms, events: VecDeque::new(), next: 0 }
    }

    pub(super) fn append(&mut self, now_ms: i64, lines: impl IntoIterator<Item = (i64, String)>) {
        for (at_ms, message) in lines {
            let event = Event { at_ms, ingested_ms: now_ms, message, number: self.next };
            self.next += 1;
            let place = self.events.partition_point(|known| known.at_ms <= at_ms);
            self.events.insert(place, event);
            if self.events.len() > KEPT_EVENTS {
                self.events.pop_front();
            }
        }
    }

    /// Size as the service counts it: "each log event … plus 26 bytes" (API reference, `PutLogEvents`).
    pub(super) fn stored_bytes(&self) -> usize {
        self.events.iter().map(|event| event.message.len() + 26).sum()
    }
}

pub(super) fn no_group() -> ApiError {
    ApiError::bad("ResourceNotFoundException", "The specified log group does not exist.")
}

/// ARN of a group, without the `:*` that stands for its streams.
pub(super) fn arn(region: &str, group: &str) -> String {
    format!("arn:aws:logs:{region}:{ACCOUNT}:log-group:{group}")
}

/// A group by its name or its ARN, with or without `:*`.
pub(super) fn name_of(identifier: &str) -> &str {
    let name = identifier.split_once(":log-group:").map_or(identifier, |(_, name)| name);
    name.strip_suffix(":*").unwrap_or(name)
}
