//! GetTemplate, GetTemplateSummary and ValidateTemplate.

use super::super::input::Input;
use super::super::template::{Declaration, Template};
use super::{Answer, intake, no_stack_with_id};
use crate::cloud::{Cloud, Context};
use crate::error::ApiError;
use serde_json::{Value, json};

pub(super) fn get_template(cloud: &Cloud, ctx: &Context, input: &Input<'_>) -> Answer {
    let change_set = input.text("ChangeSetName");
    let stages = json!(["Original", "Processed"]);
    cloud.with(&ctx.region, |state| {
        let stacks = &state.cloudformation;
        if let Some(wanted) = change_set {
            let (_, found) = super::change_set::find(stacks, wanted, input.text("StackName"))?;
            return Ok(json!({ "TemplateBody": found.body, "StagesAvailable": stages }));
        }
        let name = input.stack_name()?;
        let stack = stacks.find(name).ok_or_else(|| no_stack_with_id(name))?;
        Ok(json!({ "TemplateBody": stack.body, "StagesAvailable": stages }))
    })
}

pub(super) fn get_template_summary(cloud: &Cloud, ctx: &Context, input: &Input<'_>) -> Answer {
    let body = match input.text("StackName") {
        Some(name) => cloud.with(&ctx.region, |state| {
            let stack = state.cloudformation.find(name).ok_or_else(|| no_stack_with_id(name))?;
            Ok::<String, ApiError>(stack.body.clone())
        })?,
        None => intake::body(cloud, input, None)?,
    };
    let template = Template::parse(&body)?;
    let mut kinds: Vec<&str> = template.resources.values().map(|definition| definition.kind.as_str()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let mut summary = common(&template);
    summary["Parameters"] = template.parameters.iter().map(|(key, declared)| declaration(key, declared)).collect();
    summary["ResourceTypes"] = json!(kinds);
    summary["Version"] = json!("2010-09-09");
    summary["Metadata"] = json!(template.metadata.as_ref().map(ToString::to_string));
    Ok(summary)
}

pub(super) fn validate_template(cloud: &Cloud, input: &Input<'_>) -> Answer {
    let body = intake::body(cloud, input, None)?;
    let template = Template::parse(&body)?;
    let mut summary = common(&template);
    summary["Parameters"] = template.parameters.iter().map(|(key, declared)| parameter(key, declared)).collect();
    Ok(summary)
}

fn common(template: &Template) -> Value {
    let needed = intake::needed_capability(template);
    json!({
        "Description": template.description,
        "Capabilities": needed.iter().map(|(capability, _)| capability).collect::<Vec<_>>(),
        "CapabilitiesReason": needed.as_ref().map(|(_, reason)| reason),
        "DeclaredTransforms": [],
    })
}

fn parameter(key: &str, declared: &Declaration) -> Value {
    json!({
        "ParameterKey": key,
        "DefaultValue": declared.default,
        "NoEcho": declared.no_echo,
        "Description": declared.description,
    })
}

fn declaration(key: &str, declared: &Declaration) -> Value {
    let mut shown = parameter(key, declared);
    shown["ParameterType"] = json!(declared.type_name);
    if !declared.allowed_values.is_empty() {
        shown["ParameterConstraints"] = json!({ "AllowedValues": declared.allowed_values });
    }
    shown
}
