//! The index: every covered resource that has or had tags, by ARN.

use super::Tags;
use super::arn::Arn;
use std::collections::{BTreeMap, BTreeSet};

/// How long the index goes on listing a deleted resource, unless told otherwise. On AWS it takes from minutes to
/// hours (reports in aws/aws-cli#4173 and boto/boto3#3341).
pub(crate) const DEFAULT_LAG_MS: i64 = 20 * 60 * 1000;

/// One region's index.
#[derive(Debug)]
pub(crate) struct State {
    /// How long deleted resources linger, in milliseconds of the cloud's clock.
    pub(crate) lag_ms: i64,
    entries: BTreeMap<String, Entry>,
    /// Deletions to come to know of, by time, so that a page need not look at every entry.
    deletions: BTreeSet<(i64, String)>,
}

#[derive(Debug, Default)]
pub(super) struct Entry {
    pub(super) tags: Tags,
    deleted_ms: Option<i64>,
}

impl Default for State {
    fn default() -> Self {
        Self { lag_ms: DEFAULT_LAG_MS, entries: BTreeMap::new(), deletions: BTreeSet::new() }
    }
}

impl State {
    pub(super) fn put(&mut self, arn: &str, tags: &Tags) {
        if !Arn::parse(arn).is_some_and(Arn::is_covered) {
            return;
        }
        if tags.is_empty() && !self.entries.contains_key(arn) {
            return;
        }
        self.entries.insert(arn.to_owned(), Entry { tags: tags.clone(), deleted_ms: None });
    }

    pub(super) fn deleted(&mut self, arn: &str, now_ms: i64) {
        if let Some(entry) = self.entries.get_mut(arn) {
            entry.deleted_ms = Some(now_ms);
            self.deletions.insert((now_ms, arn.to_owned()));
        }
    }

    /// Forgets what has lingered long enough.
    pub(super) fn settle(&mut self, now_ms: i64) {
        while let Some((at, arn)) = self.deletions.pop_first() {
            if now_ms < at.saturating_add(self.lag_ms) {
                self.deletions.insert((at, arn));
                return;
            }
            if self.entries.get(&arn).is_some_and(|entry| entry.deleted_ms == Some(at)) {
                self.entries.remove(&arn);
            }
        }
    }

    pub(super) fn get(&self, arn: &str) -> Option<&Entry> {
        self.entries.get(arn)
    }

    /// Entries in order of their ARNs, after the given one.
    pub(super) fn after(&self, arn: Option<&str>) -> impl Iterator<Item = (&str, &Entry)> {
        let from = arn.map_or(std::ops::Bound::Unbounded, std::ops::Bound::Excluded);
        self.entries.range::<str, _>((from, std::ops::Bound::Unbounded)).map(|(arn, entry)| (arn.as_str(), entry))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUEUE: &str = "arn:aws:sqs:us-east-1:000000000000:q";

    fn tags() -> Tags {
        Tags::from([("k".to_owned(), "v".to_owned())])
    }

    #[test]
    fn only_what_had_tags_is_known_and_it_lingers() {
        let mut state = State::default();
        state.put(QUEUE, &Tags::new());
        assert!(state.get(QUEUE).is_none());
        state.put(QUEUE, &tags());
        state.put(QUEUE, &Tags::new());
        assert!(state.get(QUEUE).unwrap().tags.is_empty());
        state.deleted(QUEUE, 1000);
        state.settle(999 + DEFAULT_LAG_MS);
        assert!(state.get(QUEUE).is_some());
        state.settle(1000 + DEFAULT_LAG_MS);
        assert!(state.get(QUEUE).is_none());
    }

    #[test]
    fn roles_are_never_indexed() {
        let mut state = State::default();
        state.put("arn:aws:iam::000000000000:role/r", &tags());
        assert_eq!(state.after(None).count(), 0);
    }

    #[test]
    fn a_recreated_resource_is_alive_again() {
        let mut state = State::default();
        state.put(QUEUE, &tags());
        state.deleted(QUEUE, 0);
        state.put(QUEUE, &tags());
        state.settle(i64::MAX);
        assert!(state.get(QUEUE).is_some());
    }
}
