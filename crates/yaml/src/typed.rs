//! From a document to a type, with errors brought back to their places.

use crate::diagnostic::Diagnostic;
use crate::document::{Document, escape};
use serde::de::DeserializeOwned;
use serde_path_to_error::{Path, Segment, Track};

/// How alike two names must be for one to be proposed for the other (Jaro-Winkler, 0 to 1).
const ALIKE: f64 = 0.8;

pub(crate) fn deserialize<T: DeserializeOwned>(document: &Document, value: serde_yaml::Value) -> Result<T, Diagnostic> {
    let mut track = Track::new();
    let tracked = serde_path_to_error::Deserializer::new(value, &mut track);
    // Enums with data are mappings with one key, as in JSON; tags of YAML are refused.
    serde_yaml::with::singleton_map_recursive::deserialize(tracked)
        .map_err(|error| locate(document, &pointer(&track.path()), &error.to_string()))
}

fn pointer(path: &Path) -> String {
    let mut out = String::new();
    for segment in path {
        match segment {
            Segment::Seq { index } => out.push_str(&format!("/{index}")),
            Segment::Map { key } => {
                out.push('/');
                out.push_str(&escape(key));
            }
            Segment::Enum { .. } | Segment::Unknown => {}
        }
    }
    out
}

fn locate(document: &Document, pointer: &str, message: &str) -> Diagnostic {
    if let Some(rest) = message.strip_prefix("unknown field ") {
        return unknown_field(document, pointer, rest);
    }
    if let Some(rest) = message.strip_prefix("unknown variant ") {
        let (name, known) = named(rest);
        // A variant with data is a key, and the path leads through it.
        let is_key = pointer.ends_with(&format!("/{}", escape(name)));
        let at = |text| {
            let message = format!("unknown value `{name}`{text}");
            if is_key { document.at_key(pointer, message) } else { document.at(pointer, message) }
        };
        return propose(name, &known, at, "values");
    }
    if message.starts_with("missing field") {
        return document.at_key(pointer, message);
    }
    let found = document.at(pointer, message);
    match document.scalar(pointer) {
        Some(scalar) if scalar.plain && message.ends_with("expected a string") => {
            found.with_help(format!("put it in quotes: \"{}\"", scalar.text))
        }
        _ => found,
    }
}

fn unknown_field(document: &Document, pointer: &str, rest: &str) -> Diagnostic {
    let (name, known) = named(rest);
    // Where serde buffers (tagged enums, flattened fields) the path ends at the parent.
    let step = format!("/{}", escape(name));
    let key = if pointer.ends_with(&step) { pointer.to_owned() } else { format!("{pointer}{step}") };
    propose(name, &known, |text| document.at_key(&key, format!("unknown field `{name}`{text}")), "fields")
}

fn propose(name: &str, known: &[&str], at: impl FnOnce(String) -> Diagnostic, what: &str) -> Diagnostic {
    let meant = nearest(name, known.iter().copied()).map(|near| format!(", did you mean `{near}`?"));
    let found = at(meant.unwrap_or_default());
    if known.is_empty() { found } else { found.with_help(format!("known {what}: {}", known.join(", "))) }
}

/// The name and the known ones in serde's "`x`, expected one of `a`, `b`".
fn named(text: &str) -> (&str, Vec<&str>) {
    let (name, expected) = text.split_once(", ").unwrap_or((text, ""));
    (name.trim_matches('`'), expected.split('`').skip(1).step_by(2).collect())
}

/// The known name that is most like `name`, if any is.
pub(crate) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|candidate| (strsim::jaro_winkler(&name.to_lowercase(), &candidate.to_lowercase()), candidate))
        .filter(|(alike, _)| *alike >= ALIKE)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, candidate)| candidate)
}
