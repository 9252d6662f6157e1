//! A timeline as SVG, written by hand: lanes, numbered events, the held answer, the deadline and the retry.

use super::labels::Labels;
use super::scale::{LEFT, Scale};
use super::timeline::{Lane, Mark, Moment, Span, Stretch, Timeline, duration};
use maud::{Markup, html};

const LANE: f64 = 54.0;
/// Above the lanes, if nothing stands there, and with the word `deadline`.
const TOP: f64 = 6.0;
const TOP_WITH_DEADLINE: f64 = 30.0;

/// Everything that has a place in one chart.
struct Chart<'a> {
    timeline: &'a Timeline,
    scale: Scale,
    lanes: Vec<Lane>,
}

/// The chart with a title and a text alternative.
pub(super) fn chart(id: &str, timeline: &Timeline) -> Markup {
    let used = |lane: &Lane| timeline.moments.iter().any(|m| m.lane == *lane);
    let lanes = Lane::ALL.into_iter().filter(used).collect();
    let chart = Chart { timeline, scale: Scale::of(timeline), lanes };
    let (width, height) = (chart.scale.width(), chart.bottom() + 28.0);
    let names = format!("{id}-title {id}-desc");
    let mut labels = Labels::default();
    html! {
        div.chart tabindex="0" role="group" aria-label={ "timeline of " (id) ", scrolls sideways" } {
            (chart.sticky_names(height))
            svg.timeline role="img" aria-labelledby=(names) width=(px(width)) height=(px(height)) viewBox={ "0 0 " (px(width)) " " (px(height)) } xmlns="http://www.w3.org/2000/svg" {
                title id={ (id) "-title" } { "Timeline of trial " (id) }
                desc id={ (id) "-desc" } { (alternative(timeline)) }
                @for lane in &chart.lanes { line.rail x1=(px(LEFT)) x2=(px(width - 10.0)) y1=(px(chart.y(*lane))) y2=(px(chart.y(*lane))) {} }
                (chart.names())
                @for at in &timeline.deadlines { (chart.deadline(*at, &mut labels)) }
                @for span in &timeline.spans { (chart.bar(span, &mut labels)) }
                @for (number, moment) in timeline.moments.iter().enumerate() { (chart.event(number, moment, &mut labels)) }
                (chart.axis())
            }
        }
    }
}

impl Chart<'_> {
    fn top(&self) -> f64 {
        if self.timeline.deadlines.is_empty() { TOP } else { TOP_WITH_DEADLINE }
    }

    fn y(&self, lane: Lane) -> f64 {
        self.top() + LANE * (0.5 + self.lanes.iter().take_while(|other| **other != lane).map(|_| 1.0).sum::<f64>())
    }

    fn bottom(&self) -> f64 {
        self.top() + LANE * self.lanes.iter().map(|_| 1.0).sum::<f64>()
    }

    /// How far after the trial's first event.
    fn after(&self, at_ms: i64) -> i64 {
        at_ms - self.timeline.start_ms()
    }

    fn names(&self) -> Markup {
        html! { @for lane in &self.lanes { text.lane x="4" y=(px(self.y(*lane) + 4.0)) { (lane.name()) } } }
    }

    /// The lanes' names once more: they stay where they are while the chart scrolls below them.
    fn sticky_names(&self, height: f64) -> Markup {
        html! {
            svg.names aria-hidden="true" width="78" height=(px(height)) { (self.names()) }
        }
    }

    fn event(&self, number: usize, moment: &Moment, labels: &mut Labels) -> Markup {
        let (x, y) = (self.scale.x(moment.at_ms) + self.scale.beside(self.timeline, number), self.y(moment.lane));
        let label = moment.label.as_deref().filter(|text| labels.fits(text, x, y + 21.0));
        html! {
            g class=(class(moment.mark)) {
                title { "+" (duration(self.after(moment.at_ms))) " " (moment.lane.name()) ": " (moment.what) }
                @if moment.mark == Mark::Commit {
                    rect x=(px(x - 9.0)) y=(px(y - 9.0)) width="18" height="18" rx="3" {}
                } @else {
                    circle cx=(px(x)) cy=(px(y)) r="8.5" {}
                }
                text.number x=(px(x)) y=(px(y + 3.2)) { (number + 1) }
                @if let Some(text) = label { text.label x=(px(x)) y=(px(y + 21.0)) { (text) } }
            }
        }
    }

    fn bar(&self, span: &Span, labels: &mut Labels) -> Markup {
        let (from, to, y) = (self.scale.x(span.from_ms), self.scale.x(span.to_ms), self.y(span.lane));
        let (class, told) = match span.stretch {
            Stretch::Call => ("call", false),
            Stretch::Held => ("held", true),
            Stretch::Retry => ("retry", true),
            Stretch::Execution => ("execution", false),
        };
        let middle = f64::midpoint(from, to);
        let label = told.then(|| span.short()).filter(|text| labels.fits(text, middle, y - 13.0));
        html! {
            g class=(class) {
                title { (span.label) }
                rect x=(px(from)) y=(px(y - 6.0)) width=(px((to - from).max(2.0))) height="12" {}
                @if let Some(text) = label { text.label x=(px(middle)) y=(px(y - 13.0)) { (text) } }
            }
        }
    }

    fn deadline(&self, at_ms: i64, labels: &mut Labels) -> Markup {
        let (x, top, told) = (self.scale.x(at_ms), self.top(), "deadline");
        html! {
            g.deadline {
                title { "deadline at +" (duration(self.after(at_ms))) }
                line x1=(px(x)) x2=(px(x)) y1=(px(top - 10.0)) y2=(px(self.bottom())) {}
                @if labels.fits(told, x, top - 14.0) { text.label x=(px(x)) y=(px(top - 14.0)) { (told) } }
            }
        }
    }

    /// Times under the chart, where there is room for them.
    fn axis(&self) -> Markup {
        let bottom = self.bottom();
        let mut labels = Labels::default();
        let tick = |at: i64, x: f64| {
            let time = format!("+{}", duration(self.after(at)));
            html! {
                line.tick x1=(px(x)) x2=(px(x)) y1=(px(bottom)) y2=(px(bottom + 5.0)) {}
                text.time x=(px(x)) y=(px(bottom + 18.0)) { (time) }
            }
        };
        html! {
            @for (at, x) in self.scale.knots() {
                @if labels.fits(&format!("+{}  ", duration(self.after(at))), x, bottom + 18.0) { (tick(at, x)) }
            }
        }
    }
}

fn class(mark: Mark) -> &'static str {
    match mark {
        Mark::Commit => "m commit",
        Mark::Trouble => "m trouble",
        Mark::Plain => "m",
    }
}

/// What the colours and shapes mean.
pub(super) fn legend() -> Markup {
    let mark = |class: &str, text: &str| {
        html! {
            span.key {
                svg aria-hidden="true" width="30" height="18" {
                    g class=(class) {
                        @match class {
                            "m commit" => { rect x="6" y="0" width="18" height="18" rx="3" {} }
                            "m trouble" | "m" => { circle cx="15" cy="9" r="7.5" {} }
                            "deadline" => { line x1="15" x2="15" y1="0" y2="18" {} }
                            _ => { rect x="1" y="3" width="28" height="12" {} }
                        }
                    }
                }
                (text)
            }
        }
    };
    html! {
        p.legend {
            (mark("m", "event"))
            (mark("m commit", "commit: money moved"))
            (mark("m trouble", "timeout or failure"))
            (mark("call", "the caller waits"))
            (mark("held", "the provider holds its answer"))
            (mark("deadline", "the caller's deadline"))
            (mark("retry", "until the retry"))
            (mark("execution", "durable execution"))
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
