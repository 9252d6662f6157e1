//! The `Conditions` section, resolved to true and false before anything else.

use super::intrinsic::{NoResources, Scope, function, text};
use super::{Template, inputs::Inputs, invalid};
use crate::error::ApiError;
use serde_json::Value;
use std::collections::BTreeMap;

/// Every condition's value. `inputs` has the parameters; its own conditions are not looked at.
pub(super) fn resolve(inputs: &Inputs) -> Result<BTreeMap<String, bool>, ApiError> {
    let mut known = BTreeMap::new();
    for name in inputs.template.conditions.keys() {
        named(inputs, name, &mut known, &mut Vec::new())?;
    }
    Ok(known)
}

fn named(
    inputs: &Inputs,
    name: &str,
    known: &mut BTreeMap<String, bool>,
    path: &mut Vec<String>,
) -> Result<bool, ApiError> {
    if let Some(value) = known.get(name) {
        return Ok(*value);
    }
    if path.iter().any(|outer| outer == name) {
        return Err(invalid(format!("Template format error: Circular dependency between conditions [{name}]")));
    }
    let Some(expression) = inputs.template.conditions.get(name) else {
        return Err(unresolved(name, "Conditions"));
    };
    path.push(name.to_owned());
    let value = expression_value(inputs, expression, known, path)?;
    path.pop();
    known.insert(name.to_owned(), value);
    Ok(value)
}

fn expression_value(
    inputs: &Inputs,
    expression: &Value,
    known: &mut BTreeMap<String, bool>,
    path: &mut Vec<String>,
) -> Result<bool, ApiError> {
    let malformed = || invalid(format!("Template format error: {expression} is not a boolean condition expression"));
    let (name, argument) = match function(expression) {
        Some(found) => found,
        // In this section `Condition` is a function too.
        None => match expression {
            Value::Object(map) if map.len() == 1 => ("Condition", map.get("Condition").ok_or_else(malformed)?),
            _ => return Err(malformed()),
        },
    };
    let operands = argument.as_array().map(Vec::as_slice).unwrap_or_default();
    match (name, operands) {
        ("Condition", _) => named(inputs, argument.as_str().ok_or_else(malformed)?, known, path),
        ("Fn::Equals", [left, right]) => Ok(operand(inputs, left)? == operand(inputs, right)?),
        ("Fn::Not", [one]) => Ok(!expression_value(inputs, one, known, path)?),
        ("Fn::And", [_, _, ..]) => all(inputs, operands, known, path),
        ("Fn::Or", [_, _, ..]) => {
            let values = each(inputs, operands, known, path)?;
            Ok(values.contains(&true))
        }
        _ => Err(malformed()),
    }
}

fn all(
    inputs: &Inputs,
    operands: &[Value],
    known: &mut BTreeMap<String, bool>,
    path: &mut Vec<String>,
) -> Result<bool, ApiError> {
    Ok(!each(inputs, operands, known, path)?.contains(&false))
}

fn each(
    inputs: &Inputs,
    operands: &[Value],
    known: &mut BTreeMap<String, bool>,
    path: &mut Vec<String>,
) -> Result<Vec<bool>, ApiError> {
    if operands.len() > 10 {
        return Err(invalid("Template error: Fn::And and Fn::Or take 2 to 10 conditions"));
    }
    operands.iter().map(|operand| expression_value(inputs, operand, known, path)).collect()
}

fn operand(inputs: &Inputs, value: &Value) -> Result<Value, ApiError> {
    let scope = Scope { inputs, resources: &NoResources, exports: &BTreeMap::new() };
    let value = scope.evaluate(value)?.unwrap_or(Value::Null);
    // `Equals` compares text: 1 and "1", true and "true" are the same.
    Ok(text(&value).map_or(value, Value::String))
}

/// A name in `section` for which there is no condition.
pub(super) fn unresolved(name: &str, section: &str) -> ApiError {
    invalid(format!(
        "Template format error: Unresolved condition dependency {name} in the {section} block of the template"
    ))
}

/// Conditions that expressions name, for the check before parameters are known.
pub(super) fn check(template: &Template) -> Result<(), ApiError> {
    template.conditions.values().try_for_each(|expression| check_names(template, expression))
}

fn check_names(template: &Template, value: &Value) -> Result<(), ApiError> {
    match value {
        Value::Array(items) => items.iter().try_for_each(|item| check_names(template, item)),
        Value::Object(map) => {
            if let (1, Some(Value::String(name))) = (map.len(), map.get("Condition"))
                && !template.conditions.contains_key(name)
            {
                return Err(unresolved(name, "Conditions"));
            }
            map.values().try_for_each(|item| check_names(template, item))
        }
        _ => Ok(()),
    }
}
