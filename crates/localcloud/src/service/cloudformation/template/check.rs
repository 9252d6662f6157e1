//! Refusals that need no parameters: the first thing CreateStack and ValidateTemplate do.

use super::graph::refuse_cycles;
use super::reference::{Reference, references};
use super::{Template, condition, invalid};
use crate::error::ApiError;
use serde_json::Value;

const PSEUDO: [&str; 8] = [
    "AWS::AccountId",
    "AWS::NoValue",
    "AWS::NotificationARNs",
    "AWS::Partition",
    "AWS::Region",
    "AWS::StackId",
    "AWS::StackName",
    "AWS::URLSuffix",
];

/// Checks counts, references and circles.
pub(super) fn check(template: &Template) -> Result<(), ApiError> {
    if template.resources.is_empty() {
        return Err(invalid("Template format error: At least one Resources member must be defined."));
    }
    check_counts(template)?;
    condition::check(template)?;
    check_conditions_of(template)?;
    check_depends_on(template)?;
    for definition in template.resources.values() {
        definition.properties.values().try_for_each(|value| check_value(template, value, "Resources"))?;
    }
    for output in template.outputs.values() {
        check_value(template, &output.value, "Outputs")?;
        output.export.iter().try_for_each(|name| check_value(template, name, "Outputs"))?;
    }
    refuse_cycles(template)
}

/// Quotas of one template (User Guide, CloudFormation quotas).
fn check_counts(template: &Template) -> Result<(), ApiError> {
    let counts = [
        ("resources", template.resources.len(), 500),
        ("parameters", template.parameters.len(), 200),
        ("outputs", template.outputs.len(), 200),
        ("mappings", template.mappings.len(), 200),
    ];
    match counts.into_iter().find(|(_, count, limit)| count > limit) {
        Some((what, count, limit)) => Err(invalid(format!(
            "Template format error: Number of {what}, {count}, is greater than maximum allowed, {limit}"
        ))),
        None => Ok(()),
    }
}

fn check_conditions_of(template: &Template) -> Result<(), ApiError> {
    let resources = template.resources.values().filter_map(|definition| definition.condition.as_ref());
    let outputs = template.outputs.values().filter_map(|output| output.condition.as_ref());
    let named = resources.map(|name| (name, "Resources")).chain(outputs.map(|name| (name, "Outputs")));
    for (name, section) in named {
        if !template.conditions.contains_key(name) {
            return Err(condition::unresolved(name, section));
        }
    }
    Ok(())
}

fn check_depends_on(template: &Template) -> Result<(), ApiError> {
    let named = template.resources.values().flat_map(|definition| &definition.depends_on);
    let missing: Vec<&str> = named.filter(|name| !template.resources.contains_key(*name)).map(String::as_str).collect();
    if missing.is_empty() { Ok(()) } else { Err(unresolved(&missing, "Resources")) }
}

fn check_value(template: &Template, value: &Value, section: &str) -> Result<(), ApiError> {
    for reference in references(value) {
        match reference {
            Reference::Name(name) => {
                let known = PSEUDO.contains(&name.as_str())
                    || template.parameters.contains_key(&name)
                    || template.resources.contains_key(&name);
                if !known {
                    return Err(unresolved(&[&name], section));
                }
            }
            Reference::Attribute(name) if !template.resources.contains_key(&name) => {
                return Err(invalid(format!(
                    "Template error: instance of Fn::GetAtt references undefined resource {name}"
                )));
            }
            Reference::Condition(name) if !template.conditions.contains_key(&name) => {
                return Err(condition::unresolved(&name, section));
            }
            Reference::Mapping(name) if !template.mappings.contains_key(&name) => {
                return Err(invalid(format!(
                    "Template error: Mapping named '{name}' is not present in the 'Mappings' section of template."
                )));
            }
            Reference::UnknownFunction(name) => {
                return Err(ApiError::not_emulated(format!("the intrinsic function {name}")));
            }
            _ => {}
        }
    }
    Ok(())
}

/// Names in `section` for which there is neither resource nor parameter.
pub(super) fn unresolved(names: &[&str], section: &str) -> ApiError {
    invalid(format!(
        "Template format error: Unresolved resource dependencies [{}] in the {section} block of the template",
        names.join(", ")
    ))
}
