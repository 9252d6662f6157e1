//! The `Parameters` section and the values given for it.

use super::intrinsic::text;
use super::invalid;
use crate::error::ApiError;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The longest value, in bytes (User Guide, CloudFormation quotas).
const MAX_VALUE_BYTES: usize = 4096;

/// How a value is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    TextList,
    NumberList,
}

/// One declared parameter.
#[derive(Clone, Debug)]
pub(crate) struct Declaration {
    kind: Kind,
    /// The type as the template spells it.
    pub(crate) type_name: String,
    pub(crate) default: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) no_echo: bool,
    pub(crate) allowed_values: Vec<String>,
    allowed_pattern: Option<String>,
    constraint: Option<String>,
    min_length: Option<usize>,
    max_length: Option<usize>,
    min_value: Option<f64>,
    max_value: Option<f64>,
}

/// One entry of a request's `Parameters`.
#[derive(Clone, Debug)]
pub(crate) struct Given {
    pub(crate) key: String,
    pub(crate) value: Option<String>,
    pub(crate) use_previous: bool,
}

/// A parameter with its value.
#[derive(Clone, Debug)]
pub(crate) struct Parameter {
    /// As it was given.
    pub(crate) text: String,
    /// As `Ref` answers it.
    pub(crate) value: Value,
    pub(crate) no_echo: bool,
}

const MEMBERS: [&str; 11] = [
    "AllowedPattern",
    "AllowedValues",
    "ConstraintDescription",
    "Default",
    "Description",
    "MaxLength",
    "MaxValue",
    "MinLength",
    "MinValue",
    "NoEcho",
    "Type",
];

impl Declaration {
    pub(super) fn parse(name: &str, value: &Value) -> Result<Self, ApiError> {
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric()) {
            return Err(invalid(format!("Template format error: Parameter name {name} is non alphanumeric.")));
        }
        let Value::Object(map) = value else {
            return Err(invalid(format!("Template format error: [/Parameters/{name}] must be an object.")));
        };
        if let Some(key) = map.keys().find(|key| !MEMBERS.contains(&key.as_str())) {
            return Err(invalid(format!("Invalid template parameter property '{key}'")));
        }
        let Some(type_name) = map.get("Type").and_then(Value::as_str) else {
            return Err(invalid(format!(
                "Template format error: Every Parameters object must contain a Type member. ({name})"
            )));
        };
        Self::with_type(name, type_name, map)
    }

    fn with_type(name: &str, type_name: &str, map: &Map<String, Value>) -> Result<Self, ApiError> {
        let member = |key: &str| map.get(key).and_then(text);
        Ok(Self {
            kind: kind(name, type_name)?,
            type_name: type_name.to_owned(),
            default: default(name, map)?,
            description: member("Description"),
            no_echo: member("NoEcho").is_some_and(|flag| flag == "true"),
            allowed_values: allowed_values(name, map)?,
            allowed_pattern: member("AllowedPattern"),
            constraint: member("ConstraintDescription"),
            min_length: number(name, map, "MinLength")?,
            max_length: number(name, map, "MaxLength")?,
            min_value: number(name, map, "MinValue")?,
            max_value: number(name, map, "MaxValue")?,
        })
    }

    /// Reads and checks one value.
    fn accept(&self, name: &str, given: &str) -> Result<Parameter, ApiError> {
        if given.len() > MAX_VALUE_BYTES {
            return Err(invalid(format!(
                "Template error: Parameter '{name}' value exceeds the maximum of {MAX_VALUE_BYTES} bytes"
            )));
        }
        let items = self.items(given);
        items.iter().try_for_each(|item| self.check(name, item))?;
        let value = match self.kind {
            Kind::Text | Kind::Number => Value::String(given.to_owned()),
            Kind::TextList | Kind::NumberList => items.into_iter().collect(),
        };
        Ok(Parameter { text: given.to_owned(), value, no_echo: self.no_echo })
    }

    fn items(&self, given: &str) -> Vec<String> {
        match self.kind {
            Kind::Text | Kind::Number => vec![given.to_owned()],
            Kind::TextList | Kind::NumberList if given.is_empty() => Vec::new(),
            Kind::TextList | Kind::NumberList => given.split(',').map(|item| item.trim().to_owned()).collect(),
        }
    }

    fn check(&self, name: &str, item: &str) -> Result<(), ApiError> {
        if !self.allowed_values.is_empty() && !self.allowed_values.iter().any(|allowed| allowed == item) {
            let allowed = self.allowed_values.join(", ");
            return Err(self.refusal(name, &format!("Parameter '{name}' must be one of AllowedValues [{allowed}]")));
        }
        self.check_pattern(name, item)?;
        self.check_length(name, item)?;
        self.check_number(name, item)
    }

    fn check_pattern(&self, name: &str, item: &str) -> Result<(), ApiError> {
        let Some(pattern) = &self.allowed_pattern else { return Ok(()) };
        let whole = regex_lite::Regex::new(&format!("^(?:{pattern})$")).map_err(|error| {
            invalid(format!("Template format error: AllowedPattern of parameter {name} is not valid: {error}"))
        })?;
        if whole.is_match(item) {
            return Ok(());
        }
        Err(self.refusal(name, &format!("Parameter '{name}' must match pattern {pattern}")))
    }

    fn check_length(&self, name: &str, item: &str) -> Result<(), ApiError> {
        let length = item.chars().count();
        if let Some(least) = self.min_length.filter(|least| length < *least) {
            return Err(self.refusal(name, &format!("Parameter '{name}' must contain at least {least} characters")));
        }
        if let Some(most) = self.max_length.filter(|most| length > *most) {
            return Err(self.refusal(name, &format!("Parameter '{name}' must contain at most {most} characters")));
        }
        Ok(())
    }

    fn check_number(&self, name: &str, item: &str) -> Result<(), ApiError> {
        if !matches!(self.kind, Kind::Number | Kind::NumberList) {
            return Ok(());
        }
        let Some(number) = item.trim().parse::<f64>().ok().filter(|number| number.is_finite()) else {
            return Err(invalid(format!("Parameter '{name}' must be a number")));
        };
        if let Some(least) = self.min_value.filter(|least| number < *least) {
            return Err(self.refusal(name, &format!("Parameter '{name}' must be a number not less than {least}")));
        }
        if let Some(most) = self.max_value.filter(|most| number > *most) {
            return Err(self.refusal(name, &format!("Parameter '{name}' must be a number not greater than {most}")));
        }
        Ok(())
    }

    fn refusal(&self, name: &str, plain: &str) -> ApiError {
        match &self.constraint {
            Some(text) => invalid(format!("Parameter {name} failed to satisfy constraint: {text}")),
            None => invalid(plain),
        }
    }
}

fn kind(name: &str, type_name: &str) -> Result<Kind, ApiError> {
    match type_name {
        "String" => Ok(Kind::Text),
        "Number" => Ok(Kind::Number),
        "CommaDelimitedList" => Ok(Kind::TextList),
        "List<Number>" => Ok(Kind::NumberList),
        "List<String>" => Ok(Kind::TextList),
        other if other.starts_with("AWS::") || other.starts_with("List<AWS::") => {
            Err(ApiError::not_emulated(format!("the parameter type {other}")))
        }
        other => Err(invalid(format!("Template format error: Unrecognized parameter type: {other} ({name})"))),
    }
}

fn default(name: &str, map: &Map<String, Value>) -> Result<Option<String>, ApiError> {
    match map.get("Default") {
        None => Ok(None),
        Some(value) => text(value)
            .map(Some)
            .ok_or_else(|| invalid(format!("Template format error: Every Default member must be a string. ({name})"))),
    }
}

fn allowed_values(name: &str, map: &Map<String, Value>) -> Result<Vec<String>, ApiError> {
    let malformed = || invalid(format!("Template format error: AllowedValues of {name} must be a list of strings."));
    match map.get("AllowedValues") {
        None => Ok(Vec::new()),
        Some(Value::Array(items)) => items.iter().map(|item| text(item).ok_or_else(malformed)).collect(),
        Some(_) => Err(malformed()),
    }
}

fn number<T: std::str::FromStr>(name: &str, map: &Map<String, Value>, key: &str) -> Result<Option<T>, ApiError> {
    let Some(value) = map.get(key) else { return Ok(None) };
    let parsed = text(value).and_then(|text| text.parse().ok());
    parsed
        .map(Some)
        .ok_or_else(|| invalid(format!("Template format error: {key} of parameter {name} must be a number.")))
}

/// Gives every declared parameter its value: given, previous, or default.
pub(super) fn resolve(
    declared: &BTreeMap<String, Declaration>,
    given: &[Given],
    previous: &BTreeMap<String, String>,
) -> Result<BTreeMap<String, Parameter>, ApiError> {
    refuse_unknown(declared, given)?;
    let mut resolved = BTreeMap::new();
    let mut missing = Vec::new();
    for (name, declaration) in declared {
        let entry = given.iter().find(|entry| entry.key == *name);
        let value = match entry {
            Some(entry) if entry.use_previous => previous.get(name).cloned(),
            Some(entry) => entry.value.clone(),
            None => None,
        };
        match value.or_else(|| declaration.default.clone()) {
            Some(value) => {
                resolved.insert(name.clone(), declaration.accept(name, &value)?);
            }
            None => missing.push(name.as_str()),
        }
    }
    if missing.is_empty() {
        return Ok(resolved);
    }
    Err(invalid(format!("Parameters: [{}] must have values", missing.join(", "))))
}

fn refuse_unknown(declared: &BTreeMap<String, Declaration>, given: &[Given]) -> Result<(), ApiError> {
    let unknown: Vec<&str> =
        given.iter().map(|entry| entry.key.as_str()).filter(|key| !declared.contains_key(*key)).collect();
    if !unknown.is_empty() {
        return Err(invalid(format!("Parameters: [{}] do not exist in the template", unknown.join(", "))));
    }
    let mut keys: Vec<&str> = given.iter().map(|entry| entry.key.as_str()).collect();
    keys.sort_unstable();
    match keys.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => Err(invalid(format!("Duplicate Parameter key {}", pair[0]))),
        None => Ok(()),
    }
}
