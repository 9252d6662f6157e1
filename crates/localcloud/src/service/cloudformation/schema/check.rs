//! Values against shapes: refusals worded as AWS words them, and scalars brought into the type that is asked for.

use super::{Field, Shape, of};
use crate::error::ApiError;
use crate::service::cloudformation::plan::UNKNOWN;
use crate::service::cloudformation::resource::Kind;
use crate::service::cloudformation::template::text;
use serde_json::{Map, Number, Value};

/// Something wrong with a property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// JSON pointer below `Properties`, empty for the properties themselves.
    pub(crate) path: String,
    pub(crate) message: String,
}

/// Why properties cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// AWS would refuse them too.
    Invalid(Vec<Problem>),
    /// AWS would take them.
    NotEmulated(String),
}

impl Refusal {
    /// The reason that a resource fails with.
    pub(crate) fn reason(&self, logical_id: &str) -> String {
        match self {
            Self::NotEmulated(what) => ApiError::not_emulated(what).to_string(),
            Self::Invalid(problems) => {
                let lines: Vec<String> =
                    problems.iter().map(|problem| format!("[#{}: {}]", problem.path, problem.message)).collect();
                format!("Properties validation failed for resource {logical_id} with message:\n{}", lines.join("\n"))
            }
        }
    }
}

/// Checks evaluated properties and turns scalars into the types that the services take: a parameter is always
/// text, but a timeout is a number.
pub(crate) fn conform(kind: Kind, properties: &Map<String, Value>) -> Result<Map<String, Value>, Refusal> {
    let schema = of(kind);
    if let Some(name) = properties.keys().find(|name| schema.unemulated.contains(&name.as_str())) {
        return Err(Refusal::NotEmulated(format!("the property {name} of {}", kind.name())));
    }
    let mut problems = Vec::new();
    let conformed = object(schema.fields, properties, "", &mut problems);
    if problems.is_empty() { Ok(conformed) } else { Err(Refusal::Invalid(problems)) }
}

fn object(fields: &[Field], value: &Map<String, Value>, path: &str, problems: &mut Vec<Problem>) -> Map<String, Value> {
    let mut problem = |message: String| problems.push(Problem { path: path.to_owned(), message });
    for field in fields.iter().filter(|field| field.required && !value.contains_key(field.name)) {
        problem(format!("required key [{}] not found", field.name));
    }
    for key in value.keys().filter(|key| !fields.iter().any(|field| field.name == key.as_str())) {
        problem(format!("extraneous key [{key}] is not permitted"));
    }
    let known = fields.iter().filter_map(|field| Some((field, value.get(field.name)?)));
    known
        .filter_map(|(field, value)| {
            let path = format!("{path}/{}", field.name);
            Some((field.name.to_owned(), conform_value(&field.shape, value, &path, problems)?))
        })
        .collect()
}

fn conform_value(shape: &Shape, value: &Value, path: &str, problems: &mut Vec<Problem>) -> Option<Value> {
    if value.as_str() == Some(UNKNOWN) {
        return Some(value.clone());
    }
    match (shape, value) {
        (Shape::Json, value) => Some(value.clone()),
        (Shape::Text, value) => text(value).map(Value::String).or_else(|| mismatch("String", value, path, problems)),
        (Shape::Integer, value) => integer(value).or_else(|| mismatch("Number", value, path, problems)),
        (Shape::Boolean, value) => boolean(value).or_else(|| mismatch("Boolean", value, path, problems)),
        (Shape::List(item), Value::Array(items)) => Some(
            items
                .iter()
                .enumerate()
                .filter_map(|(at, value)| conform_value(item, value, &format!("{path}/{at}"), problems))
                .collect(),
        ),
        (Shape::List(_), value) => mismatch("JSONArray", value, path, problems),
        (Shape::Map(item), Value::Object(map)) => Some(Value::Object(
            map.iter()
                .filter_map(|(key, value)| {
                    Some((key.clone(), conform_value(item, value, &format!("{path}/{key}"), problems)?))
                })
                .collect(),
        )),
        (Shape::Object(fields), Value::Object(map)) => Some(Value::Object(object(fields, map, path, problems))),
        (Shape::Map(_) | Shape::Object(_), value) => mismatch("JSONObject", value, path, problems),
    }
}

fn integer(value: &Value) -> Option<Value> {
    match value {
        Value::Number(number) if number.is_i64() || number.is_u64() => Some(value.clone()),
        Value::String(text) => text.trim().parse::<i64>().ok().map(|number| Value::Number(Number::from(number))),
        _ => None,
    }
}

fn boolean(value: &Value) -> Option<Value> {
    match value {
        Value::Bool(_) => Some(value.clone()),
        Value::String(text) if text.eq_ignore_ascii_case("true") => Some(Value::Bool(true)),
        Value::String(text) if text.eq_ignore_ascii_case("false") => Some(Value::Bool(false)),
        _ => None,
    }
}

fn mismatch(expected: &str, value: &Value, path: &str, problems: &mut Vec<Problem>) -> Option<Value> {
    let found = match value {
        Value::Null => "Null",
        Value::Bool(_) => "Boolean",
        Value::Number(_) => "Number",
        Value::String(_) => "String",
        Value::Array(_) => "JSONArray",
        Value::Object(_) => "JSONObject",
    };
    let message = format!("expected type: {expected}, found: {found}");
    problems.push(Problem { path: path.to_owned(), message });
    None
}
