//! Title, verdict table, comparison, retry layers, exclusions, provenance.

use super::trial::verdict;
use super::{Links, anchor, cards};
use crate::judge::Cell;
use crate::report::contradiction;
use crate::report::dossier::{Dossier, PackageLine, word};
use crate::report::table::transactions;
use maud::{Markup, html};

pub(super) fn head(dossier: &Dossier) -> Markup {
    let (results, plan) = (&dossier.results, &dossier.plan);
    let calm = results.cells.iter().all(|c| c.transactions.len() <= 1);
    html! {
        h1 { (plan.title) }
        p.soft { (results.study) ", run " code { (results.run) } ", grade " strong { (dossier.grade()) } ", timing " (plan.profile)
            @if let Some(exit) = dossier.exit { ", exit " (exit) } }
        p class={ "lead" @if calm { " calm" } } { (contradiction(&results.cells)) }
        @if let Some(reason) = &results.stopped { p.warn { "The run stopped early: " (reason) } }
        h2 { "Question" }
        p { (plan.question) }
        p { strong { "Hypothesis. " } (plan.hypothesis) }
    }
}

pub(super) fn verdicts(dossier: &Dossier, links: Links<'_>) -> Markup {
    let names =
        ["trial", "variant", "scenario", "verdict", "transactions", "processing", "correct_completion", "prediction"];
    let rows: Vec<_> = dossier.results.cells.iter().map(|cell| row(dossier, cell, links)).collect();
    html! {
        h2 id="verdicts" { "Verdicts" }
        (cards("grid", &names, &rows))
        p.soft { "M1 exactly one success transaction; M2 sum within the captured amount; M3 the set equals the authorised \
            effect; N1 one identity in all attempts; T the treatment held; C the evidence is complete. The values link to \
            the sealed file that they were read from; its digest is in the link's title and with the trial." }
    }
}

fn row(dossier: &Dossier, cell: &Cell, links: Links<'_>) -> Vec<Markup> {
    let trial = dossier.trials.iter().find(|t| t.id == cell.id);
    let (artifact, sha256) = trial.map_or(("", ""), |t| (t.artifact.as_str(), t.sha256.as_str()));
    let cite = |text: &str, pointer: &str| links.cite(text, artifact, pointer, sha256);
    let judged = trial.and_then(|t| t.verdict.as_ref());
    vec![
        html! { @if let Some(t) = trial { a href={ "#" (anchor(t)) } { (cell.trial) } } @else { (cell.trial) } },
        html! { (cell.variant) },
        html! { (word(&cell.scenario)) },
        html! { @match judged { Some(v) => (verdict(v)), None => span.v.warn { "indeterminate" } } },
        cite(&transactions(&cell.transactions), "/ledger/transactions"),
        cite(cell.processing.as_deref().unwrap_or("-"), "/caller_journal/records"),
        html! { (cell.correct_completion) },
        html! { @if cell.as_predicted { "as predicted" } @else { span.warn { "differs" } } },
    ]
}

pub(super) fn comparison(dossier: &Dossier) -> Markup {
    let comparison = &dossier.results.comparison;
    html! {
        h2 id="comparison" { "Comparison" }
        @if comparison.eligible {
            p { "The variants may be compared: every trial is valid, inputs and treatment are equal, the evidence verifies, \
                cleanup ended and the audit is clean." }
        } @else {
            p.warn { "The variants may not be compared:" }
            ul { @for reason in &comparison.reasons { li { (reason) } } }
        }
    }
}

pub(super) fn layers(dossier: &Dossier, links: Links<'_>) -> Markup {
    let preflight =
        dossier.packages.iter().find(|p| p.name == "preflight").map(|p| p.identity.as_str()).unwrap_or_default();
    let mut rows = Vec::new();
    for (i, variant) in dossier.plan.variants.iter().enumerate() {
        for (j, layer) in variant.retry_layers.iter().enumerate() {
            let pointer = format!("/variants/{i}/retry_layers/{j}");
            let most = links.cite(&layer.attempts.to_string(), "packages/preflight/plan.json", &pointer, preflight);
            rows.push(vec![html! { (variant.name) }, html! { (layer.layer) }, most, html! { (layer.set_by) }]);
        }
        rows.push(vec![
            html! { (variant.name) },
            html! { strong { "provider calls" } },
            html! { strong { (variant.most_calls) } },
            html! { "product of the layers" },
        ]);
    }
    html! {
        h2 id="layers" { "Layers that may repeat the call" }
        (cards("grid", &["variant", "layer", "at most", "set by"], &rows))
    }
}

pub(super) fn exclusions(dossier: &Dossier) -> Markup {
    let results = &dossier.results;
    html! {
        h2 id="exclusions" { "Exclusions and deviations" }
        @if results.excluded.is_empty() { p { "No trial is excluded." } }
        @for excluded in &results.excluded { p.warn { strong { (excluded.trial) } ": " (excluded.reason) } }
        @if results.deviations.is_empty() { p { "No deviation from the registration was declared." } }
        @for deviation in &results.deviations { p.warn { "Deviation: " (deviation) } }
        @for criterion in &dossier.plan.exclusion_criteria { p.soft { "Exclusion criterion: " (criterion) } }
        p.soft { "Stop rule: " (dossier.plan.stop_rule) }
    }
}

pub(super) fn provenance(dossier: &Dossier, links: Links<'_>) -> Markup {
    let (results, plan) = (&dossier.results, &dossier.plan);
    html! {
        h2 id="provenance" { "Provenance" }
        dl {
            dt { "plan" } dd.hex { (results.plan_digest) }
            dt { "protocol" } dd.hex { (plan.protocol_sha256) }
            @if let Some(artifact) = &plan.artifact { dt { "artifact" } dd { span.hex { (artifact.sha256) } " (" (artifact.size) " bytes)" } }
            dt { "harness" } dd { (plan.tool) }
            @if let Some(oracle) = &dossier.oracle { dt { "oracle" } dd { (oracle.version) ", sources " span.hex { (oracle.source_sha256) } } }
            @if let Some(origin) = &dossier.origin {
                dt { "target" } dd { "account " (origin.account) ", " (origin.region) ", endpoint " (origin.endpoint.as_deref().unwrap_or(&origin.endpoint_kind)) }
            }
        }
        (cards("grid", &["package", "verdict", "files", "bytes", "identity (SHA-256 of its index)"], &packages(dossier, links)))
        p { strong { "Anyone can prove from the bytes: " } "that the packages are whole and chained (" code { "assay verify" } "), that each verdict \
            follows from them (" code { "oracle judge" } "), and that every value here stands where its link says." }
        p { strong { "Attested only: " } "the clocks of harness and services, that the records came from the endpoint named above, and, unless a \
            registration with an outside time stamp is sealed in preflight, that protocol and oracle are older than the evidence."
            @if dossier.grade() == "rehearsal" { " A rehearsal proves the machinery, and nothing about AWS." } }
    }
}

fn packages(dossier: &Dossier, links: Links<'_>) -> Vec<Vec<Markup>> {
    let row = |package: &PackageLine| {
        let index = format!("packages/{}/index.json", package.name);
        vec![
            links.cite(&package.name, &index, "", &package.identity),
            html! { (package.verdict.map(|v| word(&v)).unwrap_or_default()) },
            html! { (package.files) },
            html! { (package.bytes) },
            html! { span.hex { (package.identity) } },
        ]
    };
    dossier.packages.iter().map(row).collect()
}
