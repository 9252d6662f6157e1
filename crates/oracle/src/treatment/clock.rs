//! The parties' clocks agreed within the tolerance that the protocol states.

use super::Objections;
use crate::story::Story;

/// A sample speaks against the clocks only when its whole interval lies outside the tolerance.
pub(super) fn check(story: &Story<'_>, objections: &mut Objections) {
    let tolerance = u64::from(story.evidence.terms.clock_tolerance_ms);
    for (index, sample) in story.evidence.clock.iter().enumerate() {
        let least = sample.offset_ms.unsigned_abs().saturating_sub(u64::from(sample.uncertainty_ms));
        if least > tolerance {
            let why = format!(
                "the clock of {} was off by {} ms ± {} ms, the tolerance is {tolerance} ms",
                sample.service, sample.offset_ms, sample.uncertainty_ms
            );
            objections.broken(format!("/clock/{index}"), why);
        }
    }
}
