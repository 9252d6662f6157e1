//! Any JSON as lists and tables, for reports whose shape belongs to somebody else.

use super::cards;
use jiff::Timestamp;
use maud::{Markup, html};
use serde_json::{Map, Value};

/// Deepest nesting that is drawn; deeper values are told as JSON.
const DEPTH: usize = 4;

/// A value: objects as definition lists, lists of objects as tables.
pub(super) fn value(json: &Value) -> Markup {
    nested("", json, 0)
}

fn nested(key: &str, json: &Value, depth: usize) -> Markup {
    match json {
        Value::Object(map) if depth < DEPTH => object(map, depth),
        Value::Array(items) if depth < DEPTH => list(items),
        Value::String(text) if text.contains('\n') => html! { pre { (text) } },
        other => html! { (scalar(key, other)) },
    }
}

fn object(map: &Map<String, Value>, depth: usize) -> Markup {
    html! {
        dl {
            @for (key, value) in map.iter().filter(|(_, v)| !is_empty(v)) {
                dt { (label(key)) }
                dd { (nested(key, value, depth + 1)) }
            }
        }
    }
}

fn list(items: &[Value]) -> Markup {
    let objects: Vec<&Map<String, Value>> = items.iter().filter_map(Value::as_object).collect();
    if objects.len() < items.len() {
        let texts: Vec<_> = items.iter().map(|item| scalar("", item)).collect();
        return html! { (texts.join(", ")) };
    }
    let mut keys: Vec<&String> = Vec::new();
    for key in objects.iter().flat_map(|o| o.iter().filter(|(_, v)| !is_empty(v)).map(|(k, _)| k)) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let names: Vec<String> = keys.iter().map(|key| label(key)).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let row = |object: &&Map<String, Value>| {
        keys.iter().map(|key| html! { @if let Some(v) = object.get(*key) { (inline(key, v)) } }).collect()
    };
    cards("", &names, &objects.iter().map(row).collect::<Vec<_>>())
}

/// A value inside a cell: nested ones in words, since there is no room for lists.
fn inline(key: &str, json: &Value) -> String {
    match json {
        Value::Object(map) => {
            let told = map.iter().filter(|(_, v)| !is_empty(v)).map(|(k, v)| format!("{} {}", label(k), inline(k, v)));
            told.collect::<Vec<_>>().join(", ")
        }
        Value::Array(items) => items.iter().map(|item| inline("", item)).collect::<Vec<_>>().join(", "),
        other => scalar(key, other),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(map) => map.is_empty(),
        Value::String(text) => text.is_empty(),
        _ => false,
    }
}

fn label(key: &str) -> String {
    key.strip_suffix("_at_ms").or(key.strip_suffix("_ms").filter(|k| *k == "at")).unwrap_or(key).replace('_', " ")
}

fn scalar(key: &str, json: &Value) -> String {
    match json {
        Value::String(text) => text.clone(),
        Value::Number(n) if key == "at_ms" || key.ends_with("_at_ms") => n.as_i64().map_or_else(|| n.to_string(), utc),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// `2026-11-30T20:01:02.345Z`.
pub(super) fn utc(ms: i64) -> String {
    Timestamp::from_millisecond(ms)
        .map_or_else(|_| ms.to_string(), |t| t.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string())
}
