//! Tags and cost: what the stacks carried, how far that is proven, what the run can cost at most.

use super::{Links, cards};
use crate::plan::VARIANT_TAG;
use crate::report::dossier::Dossier;
use maud::{Markup, html};
use serde_json::Value;
use std::collections::BTreeMap;

/// Tags that differ from stack to stack.
const EACH: [&str; 2] = ["assay:component", VARIANT_TAG];

pub(super) fn cost(dossier: &Dossier, links: Links<'_>) -> Markup {
    let fill = |text: &str| dossier.filling.as_ref().map_or_else(|| text.to_owned(), |f| f.fill(text));
    let tags = dossier.plan.stacks.first().map(|s| &s.tags).into_iter().flatten();
    html! {
        h2 id="cost" { "Tags and cost" }
        dl { @for (key, value) in tags.filter(|(k, _)| !EACH.contains(&k.as_str())) {
            dt { code { (key) } } dd { (fill(value)) }
        } }
        @if let Some((path, proof)) = &dossier.tags { (proven(dossier, links, path, proof)) }
        (estimate(dossier))
        p { "Billed cost: " (crate::cost::billed(dossier.billed.as_ref()).replace('`', "")) }
        p.soft { "What was billed is known a day or two later: " code { "assay cost " (dossier.results.run) } "." }
    }
}

/// How many resources of each kind of standing there are, and which are not proven.
fn proven(dossier: &Dossier, links: Links<'_>, path: &str, proof: &Value) -> Markup {
    let resources = proof["resources"].as_array().map(Vec::as_slice).unwrap_or_default();
    let standing = |r: &Value| r["standing"]["is"].as_str().unwrap_or("unknown").replace('_', " ");
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    resources.iter().for_each(|r| *counts.entry(standing(r)).or_default() += 1);
    let told: Vec<_> = counts.iter().map(|(standing, count)| format!("{count} {standing}")).collect();
    let rows: Vec<Vec<Markup>> = resources
        .iter()
        .map(|r| {
            let text = |key: &str| r[key].as_str().unwrap_or_default();
            vec![
                html! { (text("component")) },
                html! { (text("kind")) },
                html! { (text("id")) },
                html! { (standing(r)) },
            ]
        })
        .collect();
    html! {
        p { "Each service was asked for the tags of what was deployed: " (told.join(", ")) " of " (resources.len()) " resources. Sealed as "
            (links.cite(path, path, "", &dossier.identity_of(path))) "." }
        details { summary { "Resources and their tags" } (cards("", &["component", "type", "id", "tags"], &rows)) }
    }
}

fn estimate(dossier: &Dossier) -> Markup {
    let Some(estimate) = &dossier.estimate else {
        return html! { p { "Ceiling: USD " (dossier.plan.cost_ceiling_usd) ". No estimate: a price is missing." } };
    };
    let row = |item: &crate::cost::Item| {
        vec![html! { (item.unit) }, html! { (item.quantity) }, html! { (item.usd.to_string()) }]
    };
    let rows: Vec<_> = estimate.items.iter().map(row).collect();
    html! {
        p { "On an account the run can cost at most USD " strong { (estimate.total_usd.to_string()) } " (" (estimate.basis) "); its ceiling is USD " (estimate.ceiling_usd) "."
            @if dossier.grade() == "rehearsal" { " A rehearsal costs nothing." } }
        details { summary { "Items of the estimate" } (cards("", &["unit", "at most", "USD"], &rows)) }
    }
}
