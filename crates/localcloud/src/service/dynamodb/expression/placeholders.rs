//! `ExpressionAttributeNames` and `ExpressionAttributeValues` of a request.

use super::super::invalid;
use super::super::value::Attr;
use crate::error::ApiError;
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// The placeholders of one request, and which of them its expressions have used.
#[derive(Debug, Default)]
pub(in super::super) struct Placeholders {
    names: BTreeMap<String, String>,
    values: BTreeMap<String, Attr>,
    used: BTreeSet<String>,
}

impl Placeholders {
    pub(in super::super) fn new(
        names: Option<BTreeMap<String, String>>,
        values: Option<&Map<String, Value>>,
    ) -> Result<Self, ApiError> {
        let values = values.into_iter().flatten().map(|(name, value)| Ok((name.clone(), Attr::from_json(value)?)));
        let values: BTreeMap<_, _> = values.collect::<Result<_, ApiError>>()?;
        let names = names.unwrap_or_default();
        if let Some(name) = names.keys().find(|name| !name.starts_with('#')) {
            return Err(invalid(format!(
                "ExpressionAttributeNames contains invalid key: Syntax error; key: \"{name}\""
            )));
        }
        if let Some(name) = values.keys().find(|name| !name.starts_with(':')) {
            return Err(invalid(format!(
                "ExpressionAttributeValues contains invalid key: Syntax error; key: \"{name}\""
            )));
        }
        Ok(Self { names, values, used: BTreeSet::new() })
    }

    pub(super) fn name(&mut self, role: &str, placeholder: &str) -> Result<String, ApiError> {
        let name = self.names.get(placeholder).cloned().ok_or_else(|| {
            invalid(format!("Invalid {role}: An expression attribute name used in the document path is not defined; attribute name: {placeholder}"))
        })?;
        self.used.insert(placeholder.to_owned());
        Ok(name)
    }

    pub(super) fn value(&mut self, role: &str, placeholder: &str) -> Result<Attr, ApiError> {
        let value = self.values.get(placeholder).cloned().ok_or_else(|| {
            invalid(format!("Invalid {role}: An expression attribute value used in expression is not defined; attribute value: {placeholder}"))
        })?;
        self.used.insert(placeholder.to_owned());
        Ok(value)
    }

    /// The service refuses placeholders that no expression uses.
    pub(in super::super) fn finish(&self) -> Result<(), ApiError> {
        let unused = |what: &str, keys: Vec<&str>| {
            Err(invalid(format!("Value provided in {what} unused in expressions: keys: {{{}}}", keys.join(", "))))
        };
        let names: Vec<_> = self.names.keys().map(String::as_str).filter(|name| !self.used.contains(*name)).collect();
        if !names.is_empty() {
            return unused("ExpressionAttributeNames", names);
        }
        let values: Vec<_> = self.values.keys().map(String::as_str).filter(|name| !self.used.contains(*name)).collect();
        if values.is_empty() { Ok(()) } else { unused("ExpressionAttributeValues", values) }
    }
}
