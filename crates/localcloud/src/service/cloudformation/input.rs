//! Members of a request.

use super::template::{Given, invalid};
use crate::error::ApiError;
use serde_json::Value;

/// A request's input in its JSON form. Scalars may come as text, since forms have no other.
pub(crate) struct Input<'a>(pub(crate) &'a Value);

impl<'a> Input<'a> {
    /// A text member; an empty one counts as absent.
    pub(crate) fn text(&self, name: &str) -> Option<&'a str> {
        self.0.get(name).and_then(Value::as_str).filter(|text| !text.is_empty())
    }

    /// A text member that must be there.
    pub(crate) fn required(&self, name: &str) -> Result<&'a str, ApiError> {
        self.text(name).ok_or_else(|| constraint("null", name, "Member must not be null"))
    }

    /// A boolean member.
    pub(crate) fn flag(&self, name: &str) -> Option<bool> {
        match self.0.get(name)? {
            Value::Bool(flag) => Some(*flag),
            Value::String(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// A whole number.
    pub(crate) fn integer(&self, name: &str) -> Option<i64> {
        match self.0.get(name)? {
            Value::String(text) => text.parse().ok(),
            value => value.as_i64(),
        }
    }

    /// A list member; absent is empty.
    pub(crate) fn list(&self, name: &str) -> &'a [Value] {
        self.0.get(name).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
    }

    /// A list of texts.
    pub(crate) fn texts(&self, name: &str) -> Vec<String> {
        self.list(name).iter().filter_map(Value::as_str).map(str::to_owned).collect()
    }

    /// The name or id of the stack that an operation is about.
    pub(crate) fn stack_name(&self) -> Result<&'a str, ApiError> {
        self.required("StackName")
    }

    /// The `ClientRequestToken`, checked.
    pub(crate) fn token(&self, member: &str) -> Result<Option<&'a str>, ApiError> {
        let Some(token) = self.text(member) else { return Ok(None) };
        let ok = token.len() <= 128
            && token.starts_with(|c: char| c.is_ascii_alphanumeric())
            && token.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
        if ok {
            return Ok(Some(token));
        }
        Err(constraint(
            &quoted(token),
            member,
            "Member must satisfy regular expression pattern: [a-zA-Z0-9][-a-zA-Z0-9]*",
        ))
    }

    /// The entries of `Parameters`.
    pub(crate) fn parameters(&self) -> Result<Vec<Given>, ApiError> {
        self.list("Parameters")
            .iter()
            .map(|entry| {
                let entry = Input(entry);
                Ok(Given {
                    key: entry.required("ParameterKey")?.to_owned(),
                    value: entry.0.get("ParameterValue").and_then(super::template::text),
                    use_previous: entry.flag("UsePreviousValue").unwrap_or(false),
                })
            })
            .collect()
    }
}

/// A value in quotes, as messages show it.
pub(crate) fn quoted(value: &str) -> String {
    format!("'{value}'")
}

/// The refusal of a member by the service model's constraints.
pub(crate) fn constraint(value: &str, member: &str, rule: &str) -> ApiError {
    let mut characters = member.chars();
    let member: String = characters.next().map(|c| c.to_ascii_lowercase()).into_iter().chain(characters).collect();
    invalid(format!("1 validation error detected: Value {value} at '{member}' failed to satisfy constraint: {rule}"))
}

/// Refuses what is no stack name.
pub(crate) fn check_stack_name(name: &str) -> Result<(), ApiError> {
    if name.len() > 128 {
        return Err(constraint(&quoted(name), "StackName", "Member must have length less than or equal to 128"));
    }
    let ok = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    if ok {
        return Ok(());
    }
    let rule = "Member must satisfy regular expression pattern: [a-zA-Z][-a-zA-Z0-9]*";
    Err(constraint(&quoted(name), "StackName", rule))
}
