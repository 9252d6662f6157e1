//! Offsets of service clocks, from the `Date` header of every answer.

use evidence::trial::ClockSample;
use jiff::Timestamp;
use jiff::fmt::rfc2822::DateTimeParser;
use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

/// Samples kept; older ones fall out.
const KEPT: usize = 4_096;
/// An exchange longer than this says nothing about the clock: a suspended machine is not a skewed one.
const LONGEST_MS: i64 = 5_000;

/// The samples of one set of clients.
#[derive(Debug, Default)]
pub struct ClockLog {
    samples: Mutex<VecDeque<ClockSample>>,
}

impl ClockLog {
    /// Samples taken at or after `since_ms`, the most certain one of each service.
    #[must_use]
    pub fn since(&self, since_ms: i64) -> Vec<ClockSample> {
        let samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        let mut best: Vec<ClockSample> = Vec::new();
        for sample in samples.iter().filter(|s| s.at_ms >= since_ms) {
            match best.iter_mut().find(|b| b.service == sample.service) {
                Some(known) if sample.uncertainty_ms < known.uncertainty_ms => *known = sample.clone(),
                Some(_) => {}
                None => best.push(sample.clone()),
            }
        }
        best
    }

    /// Notes one exchange. Both times are taken at the wire, not at signing.
    pub(super) fn note(&self, service: &str, sent_ms: i64, received_ms: i64, date: &str) {
        let Some(sample) = sample(service, sent_ms, received_ms, date) else { return };
        let mut samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        if samples.len() == KEPT {
            samples.pop_front();
        }
        samples.push_back(sample);
    }
}

/// The header is cut to whole seconds, so the service's time lies in the second that it names.
fn sample(service: &str, sent_ms: i64, received_ms: i64, date: &str) -> Option<ClockSample> {
    let round_trip = received_ms.checked_sub(sent_ms).filter(|ms| (0..=LONGEST_MS).contains(ms))?;
    let date: Timestamp = DateTimeParser::new().parse_timestamp(date).ok()?;
    let at_ms = sent_ms + round_trip / 2;
    Some(ClockSample {
        service: service.to_owned(),
        at_ms,
        offset_ms: date.as_millisecond() + 500 - at_ms,
        uncertainty_ms: u32::try_from(500 + round_trip / 2).ok()?,
    })
}

#[cfg(test)]
mod tests {
    use super::{ClockLog, sample};

    const DATE: &str = "Mon, 30 Nov 2026 20:00:00 GMT";
    const AT_MS: i64 = 1_796_068_800_000;

    #[test]
    fn offset_is_the_middle_of_the_named_second_minus_the_middle_of_the_exchange() {
        let sample = sample("sqs", AT_MS + 400, AT_MS + 600, DATE).expect("a sample");
        assert_eq!((sample.at_ms, sample.offset_ms, sample.uncertainty_ms), (AT_MS + 500, 0, 600));
    }

    #[test]
    fn a_machine_suspended_during_the_exchange_makes_no_skew() {
        assert_eq!(sample("sqs", AT_MS - 1_800_000, AT_MS, DATE), None);
    }

    #[test]
    fn the_most_certain_sample_of_each_service_is_given() {
        let log = ClockLog::default();
        log.note("sqs", AT_MS, AT_MS + 800, DATE);
        log.note("sqs", AT_MS, AT_MS + 20, DATE);
        log.note("s3", AT_MS, AT_MS + 40, DATE);
        log.note("s3", AT_MS - 9_000, AT_MS - 8_999, "nonsense");
        let best = log.since(AT_MS);
        assert_eq!(
            best.iter().map(|s| (s.service.as_str(), s.uncertainty_ms)).collect::<Vec<_>>(),
            [("sqs", 510), ("s3", 520)]
        );
        assert!(log.since(AT_MS + 1_000).is_empty());
    }
}
