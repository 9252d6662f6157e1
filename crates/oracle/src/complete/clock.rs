//! Clock offsets must have been measured, closely enough to mean something, while the trial ran.

use crate::findings::Findings;
use crate::story::Story;
use evidence::trial::ClockSample;

/// How far from the trial a sample still speaks of it.
const NEAR_MS: i64 = 3_600_000;

pub(super) fn check(story: &Story<'_>, findings: &mut Findings) {
    let samples = &story.evidence.clock;
    findings.require(samples.iter().any(usable), || {
        ("/clock".to_owned(), "clock: no usable offset was measured".to_owned())
    });
    for (index, sample) in samples.iter().enumerate() {
        findings.require(!sample.service.is_empty() && near(story, sample), || {
            (format!("/clock/{index}"), format!("clock: sample {} is not of this trial", index + 1))
        });
    }
}

/// A `Date` header has a resolution of one second; a sample vaguer than this came over a hopelessly slow line.
const VAGUEST_MS: u32 = 2_000;

fn usable(sample: &ClockSample) -> bool {
    sample.uncertainty_ms <= VAGUEST_MS
}

fn near(story: &Story<'_>, sample: &ClockSample) -> bool {
    let begin = story.evidence.dispatch.at_ms;
    let end = story.evidence.quiescent_at_ms.unwrap_or(begin);
    sample.at_ms >= begin.saturating_sub(NEAR_MS) && sample.at_ms <= end.saturating_add(NEAR_MS)
}
