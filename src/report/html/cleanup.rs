//! Teardown, audit, and other sealed facts of the end: cost, registration.

use super::Links;
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
        (report(&results.teardown, &["summary"]))
        @if let Some(link) = closing("teardown.json") { p.soft { "Sealed as " (link) "." } }
        h2 id="audit" { "Audit" }
        p.soft { "An enumeration of its own, after teardown. Residue that ends by itself is listed with its end." }
        (report(&results.audit, &["summary"]))
        @if let Some(link) = closing("audit.json") { p.soft { "Sealed as " (link) "." } }
        @for (title, path, json) in &dossier.extras {
            h2 { (title) }
            (report(json, &[]))
            p.soft { "Sealed as " (links.cite(path, path, "", &digest_of(dossier, path))) "." }
        }
    }
}

/// The summary as a sentence, everything else below it.
fn report(json: &Value, leading: &[&str]) -> Markup {
    let rest: Value = match json {
        Value::Object(map) => {
            let keep = |key: &str| !leading.contains(&key) && !["schema", "run", "text"].contains(&key);
            Value::Object(map.iter().filter(|(k, _)| keep(k)).map(|(k, v)| (k.clone(), v.clone())).collect())
        }
        other => other.clone(),
    };
    html! {
        @for key in leading { @if let Some(text) = json.get(*key).and_then(Value::as_str) { p { strong { (text) } } } }
        (value(&rest))
    }
}

/// Identity of the package that a path lies in; packages are named by folder.
fn digest_of(dossier: &Dossier, path: &str) -> String {
    let name = path.split('/').nth(1).unwrap_or_default();
    dossier.packages.iter().find(|p| p.name == name).map(|p| p.identity.clone()).unwrap_or_default()
}
