//! Intrinsic functions, evaluated.

use super::inputs::Inputs;
use super::substitute::{Piece, pieces};
use super::{cidr, invalid};
use crate::error::ApiError;
use base64::Engine as _;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Functions that the local cloud evaluates (Template Reference, Intrinsic functions).
pub(super) const FUNCTIONS: [&str; 16] = [
    "Fn::And",
    "Fn::Base64",
    "Fn::Cidr",
    "Fn::Equals",
    "Fn::FindInMap",
    "Fn::GetAZs",
    "Fn::GetAtt",
    "Fn::If",
    "Fn::ImportValue",
    "Fn::Join",
    "Fn::Not",
    "Fn::Or",
    "Fn::Select",
    "Fn::Split",
    "Fn::Sub",
    "Ref",
];

/// Where `Ref` and `Fn::GetAtt` find what has been created.
pub(crate) trait Resources {
    /// The physical id of a resource.
    fn reference(&self, logical_id: &str) -> Option<Value>;
    /// An attribute of a resource.
    fn attribute(&self, logical_id: &str, name: &str) -> Option<Value>;
}

/// Before anything is created.
pub(crate) struct NoResources;

impl Resources for NoResources {
    fn reference(&self, _logical_id: &str) -> Option<Value> {
        None
    }

    fn attribute(&self, _logical_id: &str, _name: &str) -> Option<Value> {
        None
    }
}

/// What a value may refer to.
pub(crate) struct Scope<'a> {
    pub(crate) inputs: &'a Inputs,
    pub(crate) resources: &'a dyn Resources,
    /// Exports of the region's stacks, by name.
    pub(crate) exports: &'a BTreeMap<String, String>,
}

/// The function that an object with one key stands for.
pub(super) fn function(value: &Value) -> Option<(&str, &Value)> {
    let map = value.as_object()?;
    let (name, argument) = map.iter().next()?;
    (map.len() == 1 && (name == "Ref" || name.starts_with("Fn::"))).then_some((name.as_str(), argument))
}

/// A scalar as text, as CloudFormation passes it on.
pub(crate) fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        _ => None,
    }
}

impl Scope<'_> {
    /// The value with all functions replaced; `None` is `AWS::NoValue`, which removes what holds it.
    pub(crate) fn evaluate(&self, value: &Value) -> Result<Option<Value>, ApiError> {
        match value {
            Value::Array(items) => {
                let items = items.iter().map(|item| self.evaluate(item));
                Ok(Some(Value::Array(items.filter_map(Result::transpose).collect::<Result<_, _>>()?)))
            }
            Value::Object(map) => match function(value) {
                Some((name, argument)) => self.call(name, argument),
                None => self.object(map).map(|map| Some(Value::Object(map))),
            },
            scalar => Ok(Some(scalar.clone())),
        }
    }

    /// An object whose values hold functions.
    pub(crate) fn object(&self, map: &Map<String, Value>) -> Result<Map<String, Value>, ApiError> {
        let mut result = Map::new();
        for (key, value) in map {
            if let Some(value) = self.evaluate(value)? {
                result.insert(key.clone(), value);
            }
        }
        Ok(result)
    }

    /// A value that must be a scalar.
    pub(crate) fn scalar(&self, value: &Value, what: &str) -> Result<String, ApiError> {
        let value = self.evaluate(value)?.unwrap_or(Value::Null);
        text(&value).ok_or_else(|| invalid(format!("Template error: {what} must be a string, found {value}")))
    }

    fn call(&self, name: &str, argument: &Value) -> Result<Option<Value>, ApiError> {
        let parts = argument.as_array().map(Vec::as_slice).unwrap_or_default();
        match (name, parts) {
            ("Ref", _) => self.reference(argument),
            ("Fn::If", [condition, yes, no]) => self.evaluate(if self.condition(condition)? { yes } else { no }),
            ("Fn::GetAtt", _) => self.attribute(argument).map(Some),
            ("Fn::Sub", _) => self.substitute(argument).map(Some),
            ("Fn::Join", [delimiter, list]) => self.join(delimiter, list).map(Some),
            ("Fn::Select", [index, list]) => self.select(index, list).map(Some),
            ("Fn::Split", [delimiter, source]) => self.split(delimiter, source).map(Some),
            ("Fn::FindInMap", [map, top, second]) => self.find(map, top, second).map(Some),
            ("Fn::FindInMap", [_, _, _, _]) => Err(ApiError::not_emulated("Fn::FindInMap with a default value")),
            ("Fn::Base64", _) => {
                let plain = self.scalar(argument, "Fn::Base64")?;
                Ok(Some(Value::String(base64::engine::general_purpose::STANDARD.encode(plain))))
            }
            ("Fn::Cidr", [block, count, bits]) => self.cidr(block, count, Some(bits)).map(Some),
            ("Fn::Cidr", [block, count]) => self.cidr(block, count, None).map(Some),
            ("Fn::GetAZs", _) => self.zones(argument).map(Some),
            ("Fn::ImportValue", _) => self.import(argument).map(Some),
            _ if FUNCTIONS.contains(&name) => {
                Err(invalid(format!("Template error: every {name} object must have its own form of arguments")))
            }
            _ => Err(ApiError::not_emulated(format!("the intrinsic function {name}"))),
        }
    }

    fn condition(&self, name: &Value) -> Result<bool, ApiError> {
        let name = name.as_str().ok_or_else(|| invalid("Template error: Fn::If needs the name of a condition"))?;
        self.inputs.conditions.get(name).copied().ok_or_else(|| super::condition::unresolved(name, "Resources"))
    }

    fn reference(&self, argument: &Value) -> Result<Option<Value>, ApiError> {
        let Value::String(name) = argument else {
            return Err(invalid("Template format error: every Ref object must have a single String value."));
        };
        if name == "AWS::NoValue" {
            return Ok(None);
        }
        self.inputs
            .value(name)
            .or_else(|| self.resources.reference(name))
            .map(Some)
            .ok_or_else(|| super::check::unresolved(&[name], "Resources"))
    }

    fn attribute(&self, argument: &Value) -> Result<Value, ApiError> {
        let malformed = || {
            invalid(
                "Template error: every Fn::GetAtt object requires two non-empty parameters, the resource name and the resource attribute",
            )
        };
        let (logical, name) = match argument {
            Value::String(dotted) => {
                let (logical, name) = dotted.split_once('.').ok_or_else(malformed)?;
                (logical.to_owned(), name.to_owned())
            }
            Value::Array(parts) => match parts.as_slice() {
                [Value::String(logical), name] => (logical.clone(), self.scalar(name, "Fn::GetAtt")?),
                _ => return Err(malformed()),
            },
            _ => return Err(malformed()),
        };
        self.attribute_of(&logical, &name)
    }

    fn attribute_of(&self, logical: &str, name: &str) -> Result<Value, ApiError> {
        if let Some(value) = self.resources.attribute(logical, name) {
            return Ok(value);
        }
        let Some(definition) = self.inputs.template.resources.get(logical) else {
            return Err(invalid(format!(
                "Template error: instance of Fn::GetAtt references undefined resource {logical}"
            )));
        };
        Err(invalid(format!(
            "Template error: resource {logical} does not support attribute type {name} in Fn::GetAtt ({})",
            definition.kind
        )))
    }

    fn substitute(&self, argument: &Value) -> Result<Value, ApiError> {
        let malformed = || {
            invalid(
                "Template error: One or more Fn::Sub intrinsic functions don't specify expected arguments. Specify a string as first argument, and an optional second argument to specify a mapping of values to replace in the string",
            )
        };
        let (source, variables) = match argument {
            Value::String(source) => (source, Map::new()),
            Value::Array(parts) => match parts.as_slice() {
                [Value::String(source), Value::Object(variables)] => (source, self.object(variables)?),
                _ => return Err(malformed()),
            },
            _ => return Err(malformed()),
        };
        let mut result = String::new();
        for piece in pieces(source)? {
            match piece {
                Piece::Text(text) => result.push_str(&text),
                Piece::Variable(name) => result.push_str(&self.variable(&name, &variables)?),
            }
        }
        Ok(Value::String(result))
    }

    fn variable(&self, name: &str, variables: &Map<String, Value>) -> Result<String, ApiError> {
        let value = match (variables.get(name), name.split_once('.')) {
            (Some(value), _) => value.clone(),
            (None, Some((logical, attribute))) => self.attribute_of(logical, attribute)?,
            (None, None) => self.reference(&Value::String(name.to_owned()))?.unwrap_or(Value::Null),
        };
        text(&value).ok_or_else(|| {
            invalid(format!("Template error: variable {name} in Fn::Sub expression does not resolve to a string"))
        })
    }

    fn list(&self, value: &Value, what: &str) -> Result<Vec<Value>, ApiError> {
        match self.evaluate(value)? {
            Some(Value::Array(items)) => Ok(items),
            _ => Err(invalid(format!("Template error: {what} must be a list"))),
        }
    }

    fn join(&self, delimiter: &Value, list: &Value) -> Result<Value, ApiError> {
        let Value::String(delimiter) = delimiter else {
            return Err(invalid(
                "Template error: every Fn::Join object requires two parameters, (1) a string delimiter and (2) a list of strings to be joined",
            ));
        };
        let items = self.list(list, "the second argument of Fn::Join")?;
        let items: Option<Vec<String>> = items.iter().map(text).collect();
        let items = items.ok_or_else(|| invalid("Template error: Fn::Join can only join strings"))?;
        Ok(Value::String(items.join(delimiter)))
    }

    fn select(&self, index: &Value, list: &Value) -> Result<Value, ApiError> {
        let index = self.scalar(index, "the index of Fn::Select")?;
        let items = self.list(list, "the second argument of Fn::Select")?;
        let found = index.parse::<usize>().ok().and_then(|at| items.get(at).cloned());
        found.filter(|value| !value.is_null()).ok_or_else(|| {
            invalid(format!("Template error: Fn::Select cannot select nonexistent value at index {index}"))
        })
    }

    fn split(&self, delimiter: &Value, source: &Value) -> Result<Value, ApiError> {
        let Some(delimiter) = delimiter.as_str().filter(|text| !text.is_empty()) else {
            return Err(invalid(
                "Template error: every Fn::Split object requires a string delimiter that is not empty",
            ));
        };
        let source = self.scalar(source, "the source of Fn::Split")?;
        Ok(source.split(delimiter).map(str::to_owned).collect())
    }

    fn find(&self, map: &Value, top: &Value, second: &Value) -> Result<Value, ApiError> {
        let map = self.scalar(map, "the map name of Fn::FindInMap")?;
        let top = self.scalar(top, "the top key of Fn::FindInMap")?;
        let second = self.scalar(second, "the second key of Fn::FindInMap")?;
        let found = self.inputs.template.mappings.get(&map).and_then(|m| m.get(&top)).and_then(|m| m.get(&second));
        found
            .cloned()
            .ok_or_else(|| invalid(format!("Template error: Unable to get mapping for {map}::{top}::{second}")))
    }

    fn cidr(&self, block: &Value, count: &Value, bits: Option<&Value>) -> Result<Value, ApiError> {
        let number = |value: &Value, what: &str| -> Result<u32, ApiError> {
            let text = self.scalar(value, what)?;
            text.parse().map_err(|_| invalid(format!("Template error: {what} must be a number, found {text}")))
        };
        let block = self.scalar(block, "the block of Fn::Cidr")?;
        let count = number(count, "the count of Fn::Cidr")?;
        let bits = bits.map_or(Ok(8), |bits| number(bits, "the cidrBits of Fn::Cidr"))?;
        Ok(cidr::blocks(&block, count, bits)?.into_iter().collect())
    }

    fn zones(&self, argument: &Value) -> Result<Value, ApiError> {
        let region = self.scalar(argument, "Fn::GetAZs")?;
        let region = if region.is_empty() { &self.inputs.environment.region } else { &region };
        Ok(["a", "b", "c"].iter().map(|zone| format!("{region}{zone}")).collect())
    }

    fn import(&self, argument: &Value) -> Result<Value, ApiError> {
        let name = self.scalar(argument, "Fn::ImportValue")?;
        let value = self.exports.get(&name).cloned().map(Value::String);
        value.ok_or_else(|| invalid(format!("No export named {name} found.")))
    }
}
