//! A timeline as SVG, written by hand: lanes, numbered events, the held answer, the deadline and the retry.

use super::timeline::{Lane, Mark, Span, Stretch, Timeline, duration};
use maud::{Markup, html};

const LEFT: f64 = 86.0;
const LANE: f64 = 46.0;
const TOP: f64 = 30.0;
/// Least distance of two events, so that their numbers can be read.
const STEP: f64 = 17.0;

/// Time to position. Pauses are drawn by their logarithm: 40 ms and 60 s must both be visible.
struct Scale {
    knots: Vec<(i64, f64)>,
}

impl Scale {
    fn of(timeline: &Timeline) -> Self {
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
                x += STEP + 22.0 * (1.0 + pause / 150.0).ln();
            }
            (at, x)
        });
        Self { knots: knots.collect() }
    }

    fn x(&self, at: i64) -> f64 {
        self.knots.binary_search_by_key(&at, |knot| knot.0).map_or(LEFT, |i| self.knots[i].1)
    }

    fn width(&self) -> f64 {
        self.knots.last().map_or(LEFT, |knot| knot.1) + 40.0
    }
}

/// The chart with a title and a text alternative.
pub(super) fn chart(id: &str, timeline: &Timeline) -> Markup {
    let scale = Scale::of(timeline);
    let lanes: Vec<Lane> =
        Lane::ALL.into_iter().filter(|lane| timeline.moments.iter().any(|m| m.lane == *lane)).collect();
    let y = |lane: Lane| TOP + LANE * (0.5 + index(&lanes, lane));
    let bottom = TOP + LANE * index_of_end(&lanes);
    let (width, height) = (scale.width(), bottom + 26.0);
    let names = format!("{id}-title {id}-desc");
    html! {
        div.chart tabindex="0" role="group" aria-label={ "timeline of " (id) ", scrolls sideways" } {
            svg role="img" aria-labelledby=(names) width=(px(width)) height=(px(height)) viewBox={ "0 0 " (px(width)) " " (px(height)) } xmlns="http://www.w3.org/2000/svg" {
                title id={ (id) "-title" } { "Timeline of trial " (id) }
                desc id={ (id) "-desc" } { (alternative(timeline)) }
                @for lane in &lanes {
                    line.rail x1=(px(LEFT)) x2=(px(width - 10.0)) y1=(px(y(*lane))) y2=(px(y(*lane))) {}
                    text.lane x="4" y=(px(y(*lane) + 4.0)) { (lane.name()) }
                }
                @for at in &timeline.deadlines { (deadline(scale.x(*at), bottom)) }
                @for span in &timeline.spans { (bar(span, &scale, y(span.lane))) }
                @for (number, moment) in timeline.moments.iter().enumerate() {
                    @let (x, y) = (scale.x(moment.at_ms) + nudge(timeline, number), y(moment.lane));
                    g class=(class(moment.mark)) {
                        title { "+" (duration(moment.at_ms - timeline.start_ms())) " " (moment.lane.name()) ": " (moment.what) }
                        @if moment.mark == Mark::Commit {
                            rect x=(px(x - 9.0)) y=(px(y - 9.0)) width="18" height="18" rx="3" {}
                        } @else {
                            circle cx=(px(x)) cy=(px(y)) r="8.5" {}
                        }
                        text x=(px(x)) y=(px(y + 3.2)) { (number + 1) }
                    }
                }
                (axis(timeline, &scale, bottom))
            }
        }
    }
}

/// Events of one lane at the same millisecond stand beside each other.
fn nudge(timeline: &Timeline, number: usize) -> f64 {
    let this = &timeline.moments[number];
    let same = timeline.moments[..number].iter().filter(|m| (m.at_ms, m.lane) == (this.at_ms, this.lane));
    same.map(|_| 12.0).sum()
}

fn index(lanes: &[Lane], lane: Lane) -> f64 {
    lanes.iter().take_while(|other| **other != lane).map(|_| 1.0).sum()
}

fn index_of_end(lanes: &[Lane]) -> f64 {
    lanes.iter().map(|_| 1.0).sum()
}

fn class(mark: Mark) -> &'static str {
    match mark {
        Mark::Commit => "m commit",
        Mark::Trouble => "m trouble",
        Mark::Plain => "m",
    }
}

fn bar(span: &Span, scale: &Scale, y: f64) -> Markup {
    let (from, to) = (scale.x(span.from_ms), scale.x(span.to_ms));
    let (class, label) = match span.stretch {
        Stretch::Call => ("call", ""),
        Stretch::Held => ("held", span.label.as_str()),
        Stretch::Retry => ("retry", span.label.as_str()),
        Stretch::Execution => ("execution", ""),
    };
    html! {
        g class=(class) {
            title { (span.label) }
            rect x=(px(from)) y=(px(y - 6.0)) width=(px((to - from).max(2.0))) height="12" {}
            @if !label.is_empty() { text.label x=(px(from + 4.0)) y=(px(y - 12.0)) { (label) } }
        }
    }
}

fn deadline(x: f64, bottom: f64) -> Markup {
    html! {
        g.deadline {
            title { "deadline" }
            line x1=(px(x)) x2=(px(x)) y1=(px(TOP - 8.0)) y2=(px(bottom)) {}
            text.label x=(px(x)) y=(px(TOP - 12.0)) text-anchor="middle" { "deadline" }
        }
    }
}

/// Times under the chart, where there is room for them.
fn axis(timeline: &Timeline, scale: &Scale, bottom: f64) -> Markup {
    let mut last = f64::MIN;
    let mut ticks = Vec::new();
    for (at, x) in &scale.knots {
        if x - last >= 58.0 {
            ticks.push((*at, *x));
            last = *x;
        }
    }
    html! {
        @for (at, x) in ticks {
            line.tick x1=(px(x)) x2=(px(x)) y1=(px(bottom)) y2=(px(bottom + 5.0)) {}
            text.time x=(px(x)) y=(px(bottom + 18.0)) text-anchor="middle" { "+" (duration(at - timeline.start_ms())) }
        }
    }
}

/// The chart in words.
fn alternative(timeline: &Timeline) -> String {
    let commits = timeline.moments.iter().filter(|m| m.mark == Mark::Commit).count();
    let spans = timeline.spans.iter().filter(|s| matches!(s.stretch, Stretch::Held | Stretch::Retry));
    let told: Vec<_> = spans.map(|s| format!("; {}", s.label)).collect();
    let late = match timeline.deadlines.len() {
        0 => "no deadline passed".to_owned(),
        n => format!("{n} deadline(s) passed without an answer"),
    };
    let events = timeline.moments.len();
    format!(
        "{events} events, {commits} of them commits of the provider; {late}{}. The table below lists them.",
        told.concat()
    )
}

/// One decimal is enough for a pixel.
fn px(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}
