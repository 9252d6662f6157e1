//! Teardown, audit, and other sealed facts of the end: cost, registration.

use super::Links;
use super::audit::audit;
use super::value::value;
use crate::report::dossier::Dossier;
use maud::{Markup, html};
use serde_json::Value;

pub(super) fn cleanup(dossier: &Dossier, links: Links<'_>) -> Markup {
    let results = &dossier.results;
    let closing = |file: &str| {
        let package = dossier.packages.iter().find(|p| p.name == "closing");
        package.map(|p| links.cite(file, &format!("packages/closing/{file}"), "", &p.identity))
    };
    html! {
        h2 id="teardown" { "Teardown" }
        p { strong { (results.teardown["summary"].as_str().unwrap_or("no report")) } }
        details open[results.teardown["complete"] != true] { summary { "What was done" } (report(&results.teardown, &[])) }
        @if let Some(link) = closing("teardown.json") { p.soft { "Sealed as " (link) "." } }
        h2 id="audit" { "Audit" }
        p.soft { "An enumeration of its own, after teardown. Residue that ends by itself is listed with its end." }
        (audit(&results.audit))
        @if let Some(link) = closing("audit.json") { p.soft { "Sealed as " (link) "." } }
        @for (title, path, json) in &dossier.extras {
            h2 { (title) }
            @if path.ends_with("audit.json") { (audit(json)) } @else { (report(json, &[])) }
            p.soft { "Sealed as " (links.cite(path, path, "", &dossier.identity_of(path))) "." }
        }
    }
}

/// The summary as a sentence, everything else below it.
fn report(json: &Value, leading: &[&str]) -> Markup {
    let rest: Value = match json {
        Value::Object(map) => {
            let keep = |key: &str| !leading.contains(&key) && !["schema", "run", "text", "summary"].contains(&key);
            Value::Object(map.iter().filter(|(k, _)| keep(k)).map(|(k, v)| (k.clone(), v.clone())).collect())
        }
        other => other.clone(),
    };
    html! {
        @for key in leading { @if let Some(text) = json.get(*key).and_then(Value::as_str) { p { strong { (text) } } } }
        (value(&rest))
    }
}
