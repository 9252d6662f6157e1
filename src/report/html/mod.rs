//! `report.html`: one self-contained file. No network, no script; dark, light and paper.

mod audit;
mod cleanup;
mod cost;
mod head;
mod trial;
mod value;

use super::chart::legend;
use super::dossier::{Dossier, TrialFile};
use maud::{DOCTYPE, Markup, PreEscaped, html};
use std::collections::BTreeMap;

const STYLE: &str = include_str!("style.css");

/// Nothing may be loaded, whatever the evidence holds.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// Bytes that trials' charts and tables may take; those that do not fit are told where to be found.
const DETAIL_BUDGET: usize = 3 << 20;

/// Up to this many trials are shown unfolded.
const UNFOLDED: usize = 12;

/// A table that becomes a list of cards on a narrow screen; the names of its columns are also each cell's.
pub(super) fn cards(class: &str, names: &[&str], rows: &[Vec<Markup>]) -> Markup {
    html! {
        div.scroll { table class={ "cards " (class) } {
            thead { tr { @for name in names { th { (name) } } } }
            tbody { @for row in rows { tr { @for (name, cell) in names.iter().zip(row) { td data-label=(name) { span { (cell) } } } } } }
        } }
    }
}

/// Where links to artifacts lead: a prefix before their path in the run's folder, empty if the report lies there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Links<'a> {
    base: &'a str,
}

impl Links<'_> {
    /// A value with the place that it was read from.
    pub(super) fn cite(self, text: &str, artifact: &str, pointer: &str, sha256: &str) -> Markup {
        if sha256.is_empty() {
            return html! { (text) };
        }
        html! { a href={ (self.base) (artifact) } title={ (artifact) "#" (pointer) " sha256 " (sha256) } { (text) } }
    }
}

/// The whole page. `base` is put before the paths of artifacts, for example `runs/20261130t200102-3fa9/`.
#[must_use]
pub fn html(dossier: &Dossier, base: &str) -> String {
    let links = Links { base };
    let results = &dossier.results;
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                link rel="icon" href="data:,";
                meta name="referrer" content="no-referrer";
                title { (results.study) " " (results.run) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    (head::head(dossier))
                    (head::verdicts(dossier, links))
                    (head::comparison(dossier))
                    (trials(dossier, links))
                    (head::layers(dossier, links))
                    (head::exclusions(dossier))
                    (head::provenance(dossier, links))
                    (cost::cost(dossier, links))
                    (cleanup::cleanup(dossier, links))
                }
            }
        }
    };
    page.into_string()
}

/// Trials that differ from their prediction come first when there is not room for all.
fn sections(dossier: &Dossier, links: Links<'_>) -> BTreeMap<usize, String> {
    let mut order: Vec<usize> = (0..dossier.trials.len()).collect();
    order.sort_by_key(|i| (dossier.as_predicted(&dossier.trials[*i]), !is_canonical(&dossier.trials[*i])));
    let mut room = DETAIL_BUDGET;
    let mut shown = BTreeMap::new();
    let few = dossier.trials.iter().filter(|t| is_canonical(t)).count() <= UNFOLDED;
    for i in order {
        let trial = &dossier.trials[i];
        let unfolded = !dossier.as_predicted(trial) || few && is_canonical(trial);
        let section = trial::section(dossier, trial, links, unfolded).into_string();
        let Some(left) = room.checked_sub(section.len()) else { break };
        room = left;
        shown.insert(i, section);
    }
    shown
}

fn is_canonical(trial: &TrialFile) -> bool {
    trial.stage == "canonical"
}

/// The trials that the study is about, then what was run to make sure that they could be.
fn trials(dossier: &Dossier, links: Links<'_>) -> Markup {
    let shown = sections(dossier, links);
    let left_out = dossier.trials.len() - shown.len();
    let (canonical, before): (Vec<_>, Vec<_>) = shown.iter().partition(|(i, _)| is_canonical(&dossier.trials[**i]));
    html! {
        h2 id="trials" { "Trials" }
        p.soft {
            "Each chart merges what caller, provider and controller wrote down with the durable history and the looks at \
             the queues; every source has its own clock. Pauses are drawn by their logarithm, so that 40 ms and 60 s are \
             both visible. The numbers are those of the table below the chart."
        }
        (legend())
        @if left_out > 0 {
            p { (left_out) " of " (dossier.trials.len()) " trials are not drawn here, for size; those that differ from \
                their prediction come first. " code { "oracle explain" } " shows any of them." }
        }
        @for (_, section) in canonical { (PreEscaped(section)) }
        @if !before.is_empty() {
            h2 id="before" { "Probe and validations" }
            p.soft { "Run before the trials, to prove that mechanism and implementation work. No verdict of theirs counts." }
            @for (_, section) in before { (PreEscaped(section)) }
        }
    }
}

/// Where a trial's section is.
pub(super) fn anchor(trial: &TrialFile) -> String {
    format!("trial-{}", trial.id)
}
