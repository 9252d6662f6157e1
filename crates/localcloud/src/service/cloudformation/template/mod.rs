//! Templates: what a body says, before anything is created. Pure; no state, no clock.

mod check;
mod cidr;
mod condition;
mod definition;
mod graph;
mod inputs;
mod intrinsic;
mod parameter;
mod reference;
mod substitute;

pub(crate) use definition::{Definition, DeletionPolicy, OutputDefinition};
pub(crate) use graph::{Dependencies, dependencies};
pub(crate) use inputs::{Environment, Inputs};
pub(crate) use intrinsic::{Resources, Scope, text};
pub(crate) use parameter::{Declaration, Given};
pub(crate) use reference::imports;

use crate::error::ApiError;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use yaml::{Dialect, Document, Limits};

/// The largest `TemplateBody`, in bytes (CloudFormation API Reference, CreateStack).
pub(crate) const MAX_BODY_BYTES: usize = 51_200;
/// The largest template behind a `TemplateURL`, in bytes.
pub(crate) const MAX_URL_BYTES: usize = 1_048_576;

const SECTIONS: [&str; 11] = [
    "AWSTemplateFormatVersion",
    "Conditions",
    "Description",
    "Hooks",
    "Mappings",
    "Metadata",
    "Outputs",
    "Parameters",
    "Resources",
    "Rules",
    "Transform",
];

/// A template whose sections have the right form and whose references all lead somewhere.
#[derive(Clone, Debug, Default)]
pub(crate) struct Template {
    pub(crate) description: Option<String>,
    pub(crate) metadata: Option<Value>,
    pub(crate) parameters: BTreeMap<String, Declaration>,
    pub(crate) mappings: Map<String, Value>,
    pub(crate) conditions: BTreeMap<String, Value>,
    pub(crate) resources: BTreeMap<String, Definition>,
    pub(crate) outputs: BTreeMap<String, OutputDefinition>,
}

/// A template that CloudFormation refuses: `ValidationError`.
pub(crate) fn invalid(message: impl Into<String>) -> ApiError {
    ApiError::bad("ValidationError", message)
}

impl Template {
    /// Reads a JSON or YAML body.
    pub(crate) fn parse(body: &str) -> Result<Self, ApiError> {
        let value = read(body)?;
        let Value::Object(sections) = value else {
            return Err(invalid("Template format error: unsupported structure."));
        };
        let template = Self::from_sections(&sections)?;
        check::check(&template)?;
        Ok(template)
    }

    fn from_sections(sections: &Map<String, Value>) -> Result<Self, ApiError> {
        refuse_unknown_sections(sections)?;
        refuse_unemulated_sections(sections)?;
        check_version(sections)?;
        Ok(Self {
            description: description(sections)?,
            metadata: sections.get("Metadata").cloned(),
            parameters: entries(sections, "Parameters")?
                .map(|(name, value)| Ok((name.clone(), Declaration::parse(name, value)?)))
                .collect::<Result<_, ApiError>>()?,
            mappings: section(sections, "Mappings")?.cloned().unwrap_or_default(),
            conditions: entries(sections, "Conditions")?.map(|(name, value)| (name.clone(), value.clone())).collect(),
            resources: entries(sections, "Resources")?
                .map(|(name, value)| Ok((name.clone(), Definition::parse(name, value)?)))
                .collect::<Result<_, ApiError>>()?,
            outputs: entries(sections, "Outputs")?
                .map(|(name, value)| Ok((name.clone(), OutputDefinition::parse(name, value)?)))
                .collect::<Result<_, ApiError>>()?,
        })
    }
}

fn read(body: &str) -> Result<Value, ApiError> {
    if body.trim_start().starts_with('{') {
        return serde_json::from_str(body).map_err(|error| {
            let (line, column) = (error.line(), error.column());
            invalid(format!("Template format error: JSON not well-formed. (line {line}, column {column})"))
        });
    }
    let limits = Limits { max_bytes: MAX_URL_BYTES, ..Limits::default() };
    let document = Document::parse("template", body, Dialect::CloudFormation, limits)
        .map_err(|error| invalid(format!("Template format error: YAML not well-formed. ({error})")))?;
    Ok(document.value().clone())
}

fn refuse_unknown_sections(sections: &Map<String, Value>) -> Result<(), ApiError> {
    let unknown: Vec<&str> = sections.keys().map(String::as_str).filter(|key| !SECTIONS.contains(key)).collect();
    if unknown.is_empty() {
        return Ok(());
    }
    Err(invalid(format!("Invalid template property or properties [{}]", unknown.join(", "))))
}

fn refuse_unemulated_sections(sections: &Map<String, Value>) -> Result<(), ApiError> {
    match ["Transform", "Rules", "Hooks"].into_iter().find(|name| sections.contains_key(*name)) {
        Some(name) => Err(ApiError::not_emulated(format!("the template section {name}"))),
        None => Ok(()),
    }
}

fn check_version(sections: &Map<String, Value>) -> Result<(), ApiError> {
    match sections.get("AWSTemplateFormatVersion") {
        None => Ok(()),
        Some(Value::String(version)) if version == "2010-09-09" => Ok(()),
        Some(_) => {
            Err(invalid("Template format error: unsupported value for AWSTemplateFormatVersion; only 2010-09-09"))
        }
    }
}

fn description(sections: &Map<String, Value>) -> Result<Option<String>, ApiError> {
    match sections.get("Description") {
        None => Ok(None),
        Some(Value::String(text)) if text.len() <= 1024 => Ok(Some(text.clone())),
        Some(_) => Err(invalid("Template format error: Description must be a string of at most 1024 bytes.")),
    }
}

fn section<'a>(sections: &'a Map<String, Value>, name: &str) -> Result<Option<&'a Map<String, Value>>, ApiError> {
    match sections.get(name) {
        None => Ok(None),
        Some(Value::Object(map)) => Ok(Some(map)),
        Some(_) => Err(invalid(format!("Template format error: {name} must be an object."))),
    }
}

fn entries<'a>(
    sections: &'a Map<String, Value>,
    name: &str,
) -> Result<impl Iterator<Item = (&'a String, &'a Value)>, ApiError> {
    Ok(section(sections, name)?.into_iter().flatten())
}

#[cfg(test)]
mod tests;
