//! An audit: what is left first, with its end; what was read and what only the tag index still lists below.

use super::cards;
use super::value::utc;
use maud::{Markup, html};
use serde_json::Value;

/// The whole audit report, or what there is of it.
pub(super) fn audit(report: &Value) -> Markup {
    let findings = list(report, "findings");
    let (ghosts, left): (Vec<&Value>, Vec<&Value>) = findings.iter().partition(|f| f["verdict"] == "ghost");
    let names = ["verdict", "kind", "id", "region", "why", "next"];
    let rows = |findings: &[&Value]| findings.iter().map(|f| row(f)).collect::<Vec<_>>();
    html! {
        p { strong { (report["summary"].as_str().unwrap_or("no report")) } }
        @if left.is_empty() && !findings.is_empty() { p { "Nothing is left." } }
        @if !left.is_empty() { (cards("", &names, &rows(&left))) }
        @for warning in list(report, "warnings") { p.warn { (text(warning)) } }
        @if !ghosts.is_empty() {
            details {
                summary { (ghosts.len()) " deleted resources that the tag index still lists" }
                (cards("", &names, &rows(&ghosts)))
            }
        }
        (certificate(&report["certificate"]))
    }
}

fn row(finding: &Value) -> Vec<Markup> {
    let of = |key: &str| text(&finding[key]);
    vec![
        verdict(&finding["verdict"]),
        html! { (of("kind")) },
        html! { (of("id")) },
        html! { (of("region")) },
        html! { (of("reason")) },
        html! { @if !of("next").is_empty() { code { (of("next")) } } },
    ]
}

fn verdict(verdict: &Value) -> Markup {
    let at = |pointer: &str| verdict.pointer(pointer).and_then(Value::as_i64).map(utc);
    if let Some(end) = at("/expected_until/at_ms") {
        return html! { "expected until " (end) };
    }
    if let Some(end) = at("/allowed/expires_at_ms") {
        let owner = verdict.pointer("/allowed/owner").map(text).unwrap_or_default();
        return html! { "allowed until " (end) " by " (owner) };
    }
    html! { span.v.bad[verdict == "leak"].warn[verdict == "unknown"] { (text(verdict)) } }
}

/// What was read, so that "nothing is left" means something.
fn certificate(certificate: &Value) -> Markup {
    let cells = list(certificate, "cells");
    let row = |cell: &Value| {
        let of = |key: &str| html! { (text(&cell[key])) };
        vec![of("service"), of("operation"), of("region"), of("pages"), of("outcome")]
    };
    let rows: Vec<_> = cells.iter().map(row).collect();
    html! {
        @if !cells.is_empty() {
            details {
                summary { "What was read: " (cells.len()) " listings and look-ups" }
                (cards("", &["service", "operation", "region", "pages", "outcome"], &rows))
                @let untagged: Vec<_> = list(certificate, "not_by_tag").iter().map(text).collect();
                @if !untagged.is_empty() { p.soft { "Not to be found by tag, and looked for by name and owner: " (untagged.join(", ")) "." } }
            }
        }
    }
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map(Vec::as_slice).unwrap_or_default()
}

/// A scalar as it is, anything else as JSON.
fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
