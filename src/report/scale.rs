//! Time to position. Pauses are drawn by their logarithm: 40 ms and 60 s must both be visible.

use super::timeline::Timeline;

/// Where the axis begins; the lanes' names stand before it.
pub(super) const LEFT: f64 = 86.0;
/// Least distance of two events, so that their numbers can be read.
const STEP: f64 = 18.0;

/// Positions of all times that a chart shows.
pub(super) struct Scale {
    knots: Vec<(i64, f64)>,
}

impl Scale {
    pub(super) fn of(timeline: &Timeline) -> Self {
        let mut times: Vec<i64> = timeline.moments.iter().map(|m| m.at_ms).collect();
        times.extend(timeline.spans.iter().flat_map(|s| [s.from_ms, s.to_ms]));
        times.extend(&timeline.deadlines);
        times.sort_unstable();
        times.dedup();
        let mut x = LEFT + STEP;
        let mut before = None;
        let knots = times.into_iter().map(|at| {
            if let Some(before) = before.replace(at) {
                let pause = u32::try_from(at - before).map_or(f64::from(u32::MAX), f64::from);
                x += room(timeline, before) + 22.0 * (1.0 + pause / 150.0).ln();
            }
            (at, x)
        });
        Self { knots: knots.collect() }
    }

    /// Where a time is.
    pub(super) fn x(&self, at: i64) -> f64 {
        self.knots.binary_search_by_key(&at, |knot| knot.0).map_or(LEFT, |i| self.knots[i].1)
    }

    /// How far an event stands beside earlier ones of its lane and millisecond.
    pub(super) fn beside(&self, timeline: &Timeline, number: usize) -> f64 {
        let this = &timeline.moments[number];
        let same = timeline.moments[..number].iter().filter(|m| (m.at_ms, m.lane) == (this.at_ms, this.lane));
        same.map(|_| STEP).sum()
    }

    /// All times with their positions.
    pub(super) fn knots(&self) -> impl Iterator<Item = (i64, f64)> {
        self.knots.iter().copied()
    }

    /// Width of the chart.
    pub(super) fn width(&self) -> f64 {
        self.knots.last().map_or(LEFT, |knot| knot.1) + 46.0
    }
}

/// What the events of one millisecond need.
fn room(timeline: &Timeline, at_ms: i64) -> f64 {
    let of = |lane| timeline.moments.iter().filter(|m| (m.at_ms, m.lane) == (at_ms, lane)).map(|_| STEP).sum::<f64>();
    super::timeline::Lane::ALL.into_iter().map(of).fold(STEP, f64::max)
}

#[cfg(test)]
mod tests {
    use super::{STEP, Scale};
    use crate::report::timeline::{Lane, Mark, Moment, Timeline};

    fn at(at_ms: i64) -> Moment {
        Moment {
            at_ms,
            lane: Lane::Caller,
            mark: Mark::Plain,
            what: String::new(),
            label: None,
            pointer: String::new(),
        }
    }

    #[test]
    fn numbers_never_cover_each_other() {
        let timeline = Timeline { moments: [0, 5, 5, 5, 6, 60_000].map(at).into(), ..Timeline::default() };
        let scale = Scale::of(&timeline);
        let places: Vec<f64> =
            timeline.moments.iter().enumerate().map(|(i, m)| scale.x(m.at_ms) + scale.beside(&timeline, i)).collect();
        assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= STEP), "{places:?}");
    }
}
