//! One trial: what the oracle said, the chart, and the events behind it.

use super::value::utc;
use super::{Links, anchor, cards};
use crate::report::chart::chart;
use crate::report::dossier::{Dossier, TrialFile, word};
use crate::report::timeline::{Mark, Timeline, duration};
use evidence::verdict::{Cite, RuleResult, TrialVerdict, Verdict};
use maud::{Markup, html};

pub(super) fn section(dossier: &Dossier, trial: &TrialFile, links: Links<'_>, unfolded: bool) -> Markup {
    let timeline = trial.evidence.as_ref().map(Timeline::of);
    html! {
        section.trial id=(anchor(trial)) {
            h3 {
                (trial.id) " "
                @if let Some(v) = &trial.verdict {
                    span.soft { (v.variant) " " (v.scenario.map(|s| word(&s)).unwrap_or_default()) } " "
                    (verdict(v))
                } @else { span.warn { "not judged" } }
            }
            @for difference in dossier.cell(&trial.id).iter().flat_map(|cell| &cell.differences) {
                p.warn { "Differs from the prediction: " (difference) }
            }
            @if let Some(v) = &trial.verdict { (findings(v)) }
            @if let Some(timeline) = &timeline { (chart(&trial.id, timeline)) }
            details open[unfolded] {
                summary { "Events and rules" }
                @if let Some(v) = &trial.verdict { (rules(trial, v, links)) }
                @if let Some(timeline) = &timeline { (events(trial, timeline, links)) }
                @if trial.evidence.is_none() { p.warn { "No evidence of this trial was sealed." } }
                p.soft { "Evidence: " (links.cite(&trial.artifact, &trial.artifact, "", &trial.sha256)) " sha256 " span.hex { (trial.sha256) } }
            }
        }
    }
}

fn findings(v: &TrialVerdict) -> Markup {
    html! {
        @for reason in &v.invalid_reasons { p.warn { "Not valid: " (reason) } }
        @for missing in &v.missing { p.warn { "Missing proof: " (missing) } }
    }
}

/// The verdict in words and colour; the rules that fail with it.
pub(super) fn verdict(v: &TrialVerdict) -> Markup {
    let failing: Vec<_> = v.rules.iter().filter(|r| r.verdict == Verdict::Fail).map(|r| r.rule.as_str()).collect();
    match v.verdict {
        Verdict::Pass => html! { span.v.good { "pass" } },
        Verdict::Fail => html! { span.v.bad { "fail (" (failing.join(" ")) ")" } },
        Verdict::Indeterminate if v.valid => html! { span.v.warn { "indeterminate" } },
        Verdict::Indeterminate => html! { span.v.warn { "not valid" } },
    }
}

fn rules(trial: &TrialFile, v: &TrialVerdict, links: Links<'_>) -> Markup {
    let row = |rule: &RuleResult| {
        let cite = |cite: &Cite| links.cite(&cite.pointer, &trial.artifact, &cite.pointer, &cite.sha256);
        vec![
            html! { (rule.rule) },
            html! { (word(&rule.verdict)) },
            html! { (rule.reason) },
            html! { @for decisive in &rule.decisive { (cite(decisive)) " " } },
        ]
    };
    cards("rules", &["rule", "verdict", "reason", "read from"], &v.rules.iter().map(row).collect::<Vec<_>>())
}

fn events(trial: &TrialFile, timeline: &Timeline, links: Links<'_>) -> Markup {
    let start = timeline.start_ms();
    html! {
        div.scroll { table.events {
            thead { tr { th { "no." } th { "UTC" } th { "after" } th { "source" } th { "event" } } }
            tbody { @for (i, moment) in timeline.moments.iter().enumerate() {
                tr {
                    td { (links.cite(&(i + 1).to_string(), &trial.artifact, &moment.pointer, &trial.sha256)) }
                    td { (utc(moment.at_ms).get(11..23).unwrap_or_default()) }
                    td { "+" (duration(moment.at_ms - start)) }
                    td { (moment.lane.name()) }
                    td.what class=[(moment.mark != Mark::Plain).then_some("bad")] { (moment.what) }
                }
            } }
        } }
    }
}
