//! What a run's journal says of the rest of the run.

use crate::{digest::Digest, journal::Entry, stage::Grade, verdict::Verdict};
use serde::Deserialize;
use serde_json::Value;

/// Most lines whose hashes are kept.
pub(super) const MAX_LINES: usize = 1_000_000;

/// The events that other files can be compared with.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Event {
    RunStarted {
        run: String,
        plan_digest: Digest,
        grade: Grade,
    },
    Sealed {
        package: String,
        identity: Digest,
    },
    Judged {
        package: String,
        identity: Digest,
        verdict: Verdict,
    },
    Deviation {
        reason: String,
    },
    RunEnded {},
    #[serde(other)]
    Other,
}

/// A journal read for comparison.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// Run, plan digest and grade.
    pub(super) started: Option<(String, Digest, Grade)>,
    /// Packages in order of sealing.
    pub(super) sealed: Vec<(String, Digest)>,
    /// Package, identity that was judged, verdict.
    pub(super) judged: Vec<(String, Digest, Verdict)>,
    /// Departures from the registration.
    pub(super) deviations: Vec<String>,
    /// The run is over.
    pub(super) ended: bool,
    /// Hash of the line before each line.
    before: Vec<Digest>,
    /// Hash of the last line, as the head or the line itself tells it.
    pub(super) last: Option<Digest>,
}

impl Said {
    /// Takes the next line.
    pub(super) fn take(&mut self, entry: &Entry<Value>) {
        if self.before.len() < MAX_LINES {
            self.before.push(entry.prev);
        }
        match Event::deserialize(&entry.event) {
            Ok(Event::RunStarted { run, plan_digest, grade }) => self.started = Some((run, plan_digest, grade)),
            Ok(Event::Sealed { package, identity }) => self.sealed.push((package, identity)),
            Ok(Event::Judged { package, identity, verdict }) => self.judged.push((package, identity, verdict)),
            Ok(Event::Deviation { reason }) => self.deviations.push(reason),
            Ok(Event::RunEnded {}) => self.ended = true,
            // Other journals have other events; what they say is not compared.
            Ok(Event::Other) | Err(_) => {}
        }
    }

    /// Hash of line `seq`, from 1, as it was written.
    pub(super) fn hash(&self, seq: u64) -> Option<Digest> {
        let next = usize::try_from(seq).ok()?;
        if next == self.before.len() { self.last } else { self.before.get(next).copied().filter(|_| next > 0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_of_lines_are_those_that_the_next_lines_name() {
        let mut said = Said { last: Some(Digest::of(b"2")), ..Said::default() };
        for (seq, prev) in [(1, Digest::ZERO), (2, Digest::of(b"1"))] {
            said.take(&Entry { seq, at_ms: 0, prev, event: Value::from("x") });
        }
        assert_eq!(said.hash(0), None);
        assert_eq!(said.hash(1), Some(Digest::of(b"1")));
        assert_eq!(said.hash(2), Some(Digest::of(b"2")));
        assert_eq!(said.hash(3), None);
    }
}
