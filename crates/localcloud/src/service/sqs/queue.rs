//! Queues and their messages.

use super::errors::no_such_queue;
use super::message::Message;
use super::settings::Settings;
use crate::cloud::ACCOUNT;
use crate::error::ApiError;
use std::collections::BTreeMap;

/// One region's queues.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(super) queues: BTreeMap<String, Queue>,
    /// When queues were deleted, by name, in milliseconds.
    pub(super) deleted: BTreeMap<String, i64>,
    /// Receipt handles given out so far.
    pub(super) receipts: u64,
}

impl State {
    /// A queue by its name.
    pub(crate) fn queue(&self, name: &str) -> Result<&Queue, ApiError> {
        self.queues.get(name).ok_or_else(no_such_queue)
    }

    /// A queue by its name, to change it.
    pub(super) fn queue_mut(&mut self, name: &str) -> Result<&mut Queue, ApiError> {
        self.queues.get_mut(name).ok_or_else(no_such_queue)
    }
}

/// One queue.
#[derive(Debug)]
pub(crate) struct Queue {
    pub(super) arn: String,
    pub(super) settings: Settings,
    pub(super) tags: BTreeMap<String, String>,
    pub(super) created_ms: i64,
    pub(super) modified_ms: i64,
    pub(super) purged_ms: Option<i64>,
    /// By the order of arrival.
    pub(super) messages: BTreeMap<u64, Message>,
    pub(super) arrivals: u64,
    /// Sends of the last five minutes, by (group, deduplication id).
    pub(super) recent: BTreeMap<(String, String), Recent>,
}

/// A send that later ones may be duplicates of.
#[derive(Clone, Debug)]
pub(super) struct Recent {
    pub(super) until_ms: i64,
    pub(super) message_id: String,
    pub(super) sequence: String,
}

/// Messages by what can be done with them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) visible: usize,
    pub(crate) in_flight: usize,
    pub(crate) delayed: usize,
}

impl Queue {
    /// An empty queue.
    pub(super) fn new(region: &str, name: &str, settings: Settings, now_ms: i64) -> Self {
        Self {
            arn: format!("arn:aws:sqs:{region}:{ACCOUNT}:{name}"),
            settings,
            tags: BTreeMap::new(),
            created_ms: now_ms,
            modified_ms: now_ms,
            purged_ms: None,
            messages: BTreeMap::new(),
            arrivals: 0,
            recent: BTreeMap::new(),
        }
    }

    /// The queue's ARN.
    pub(crate) fn arn(&self) -> &str {
        &self.arn
    }

    /// True for FIFO queues.
    pub(crate) fn is_fifo(&self) -> bool {
        self.settings.is_fifo()
    }

    /// The queue's visibility timeout in seconds.
    pub(crate) fn visibility_timeout_s(&self) -> i64 {
        self.settings.number("VisibilityTimeout")
    }

    /// Adds a message at the end.
    pub(super) fn push(&mut self, message: Message) {
        self.arrivals += 1;
        self.messages.insert(self.arrivals, message);
    }

    /// Forgets what is older than the retention period and sends older than the deduplication interval.
    pub(super) fn expire(&mut self, now_ms: i64) {
        let oldest = now_ms.saturating_sub(self.settings.millis("MessageRetentionPeriod"));
        self.messages.retain(|_, message| message.sent_ms > oldest);
        self.recent.retain(|_, recent| recent.until_ms > now_ms);
    }

    /// Counts by state.
    pub(crate) fn counts(&self, now_ms: i64) -> Counts {
        let mut counts = Counts::default();
        for message in self.messages.values() {
            if message.visible_at_ms <= now_ms {
                counts.visible += 1;
            } else if message.receipt.is_some() {
                counts.in_flight += 1;
            } else {
                counts.delayed += 1;
            }
        }
        counts
    }
}

/// The name at the end of a queue's URL or ARN.
pub(super) fn name_of(url_or_arn: &str) -> &str {
    url_or_arn.rsplit(['/', ':']).next().unwrap_or(url_or_arn)
}
