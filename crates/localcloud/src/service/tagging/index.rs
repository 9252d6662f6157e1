//! The index: every covered resource that has or had tags, by ARN.

use super::Tags;
use super::arn::Arn;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::time::Duration;

/// How long the index goes on listing a deleted resource, unless told otherwise. On AWS it takes from minutes to
/// hours (reports in aws/aws-cli#4173 and boto/boto3#3341).
pub(crate) const DEFAULT_LAG: Duration = Duration::from_secs(20 * 60);

/// How long an entry is kept after that, for answers that a fault makes stale.
const KEPT: Duration = Duration::from_secs(24 * 3600);

/// One region's index.
#[derive(Debug, Default)]
pub(crate) struct State {
    entries: BTreeMap<String, Entry>,
    /// Deletions by time, so that a page need not look at every entry to forget old ones.
    deletions: BTreeSet<(i64, String)>,
}

#[derive(Debug, Default)]
pub(super) struct Entry {
    pub(super) tags: Tags,
    deleted_ms: Option<i64>,
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

    /// The index as it shows itself: it knows of deletions that are older than `lag`, or of none when stale.
    pub(super) fn view(&mut self, now_ms: i64, lag: Duration, stale: bool) -> View<'_> {
        let before = |by: Duration| now_ms.saturating_sub(i64::try_from(by.as_millis()).unwrap_or(i64::MAX));
        self.forget(before(lag.saturating_add(KEPT)));
        View { entries: &self.entries, known_ms: if stale { i64::MIN } else { before(lag) } }
    }

    /// Drops what was deleted up to this time.
    fn forget(&mut self, until_ms: i64) {
        while let Some((at, arn)) = self.deletions.pop_first() {
            if at > until_ms {
                self.deletions.insert((at, arn));
                return;
            }
            if self.entries.get(&arn).is_some_and(|entry| entry.deleted_ms == Some(at)) {
                self.entries.remove(&arn);
            }
        }
    }
}

/// What the index shows at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct View<'a> {
    entries: &'a BTreeMap<String, Entry>,
    known_ms: i64,
}

impl<'a> View<'a> {
    pub(super) fn get(self, arn: &str) -> Option<&'a Entry> {
        self.entries.get(arn).filter(|entry| self.shows(entry))
    }

    /// Entries in order of their ARNs, after the given one.
    pub(super) fn after(self, arn: Option<&str>) -> impl Iterator<Item = (&'a str, &'a Entry)> {
        let from = arn.map_or(Bound::Unbounded, Bound::Excluded);
        let entries = self.entries.range::<str, _>((from, Bound::Unbounded));
        entries.filter(move |(_, entry)| self.shows(entry)).map(|(arn, entry)| (arn.as_str(), entry))
    }

    fn shows(self, entry: &Entry) -> bool {
        entry.deleted_ms.is_none_or(|at| at > self.known_ms)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUEUE: &str = "arn:aws:sqs:us-east-1:000000000000:q";

    fn tags() -> Tags {
        Tags::from([("k".to_owned(), "v".to_owned())])
    }

    fn shown(state: &mut State, now_ms: i64, stale: bool) -> usize {
        state.view(now_ms, Duration::from_secs(1), stale).after(None).count()
    }

    #[test]
    fn only_what_had_tags_is_known_and_it_lingers() {
        let mut state = State::default();
        state.put(QUEUE, &Tags::new());
        assert_eq!(shown(&mut state, 0, false), 0);
        state.put(QUEUE, &tags());
        state.put(QUEUE, &Tags::new());
        assert!(state.view(0, Duration::ZERO, false).get(QUEUE).unwrap().tags.is_empty());
        state.deleted(QUEUE, 1000);
        assert_eq!(shown(&mut state, 1999, false), 1);
        assert_eq!(shown(&mut state, 2000, false), 0);
        assert_eq!(shown(&mut state, 2000, true), 1, "a stale answer does not know of the deletion");
        assert_eq!(shown(&mut state, 2000 + 24 * 3_600_000, true), 0);
    }

    #[test]
    fn roles_are_never_indexed() {
        let mut state = State::default();
        state.put("arn:aws:iam::000000000000:role/r", &tags());
        assert_eq!(shown(&mut state, 0, true), 0);
    }

    #[test]
    fn a_recreated_resource_is_alive_again() {
        let mut state = State::default();
        state.put(QUEUE, &tags());
        state.deleted(QUEUE, 0);
        state.put(QUEUE, &tags());
        assert_eq!(shown(&mut state, i64::MAX, false), 1);
    }
}
