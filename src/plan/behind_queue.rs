//! What Lambda refuses, or cuts off, behind a queue, read from a template with its parameters filled in. Pure.

use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A durable execution behind an event source mapping is cut at 15 minutes (Lambda developer guide, durable functions).
const MOST_EXECUTION_S: u64 = 900;

/// Every finding for a template; what depends on values that are not known yet is left to the deployment.
#[must_use]
pub fn findings(component: &str, template: &Value, parameters: &BTreeMap<String, String>) -> Vec<String> {
    let empty = Map::new();
    let resources = template.get("Resources").and_then(Value::as_object).unwrap_or(&empty);
    let view = View { component, template, parameters, resources };
    let mappings = resources.iter().filter(|(_, r)| kind(r) == "AWS::Lambda::EventSourceMapping");
    mappings.flat_map(|(id, mapping)| view.mapping(id, mapping)).collect()
}

struct View<'a> {
    component: &'a str,
    template: &'a Value,
    parameters: &'a BTreeMap<String, String>,
    resources: &'a Map<String, Value>,
}

impl View<'_> {
    fn mapping(&self, id: &str, mapping: &Value) -> Vec<String> {
        let place = format!("{} mapping {id}", self.component);
        let (Some(source), Some(target)) = (property(mapping, "EventSourceArn"), property(mapping, "FunctionName"))
        else {
            return vec![format!("{place}: EventSourceArn and FunctionName are needed")];
        };
        let Some(queue) = self.referred(source).filter(|r| kind(r) == "AWS::SQS::Queue") else { return Vec::new() };
        let mut findings = Vec::new();
        let qualified =
            self.referred(target).is_some_and(|r| matches!(kind(r), "AWS::Lambda::Alias" | "AWS::Lambda::Version"));
        let function = self.function(target);
        let durable = function.and_then(|f| property(f, "DurableConfig"));
        if durable.is_some() && !qualified {
            findings.push(format!(
                "{place}: a durable function needs a version or an alias as the target, not the function"
            ));
        }
        let (timeout, visibility) = (
            function.map(|f| self.number(property(f, "Timeout"), 3)),
            self.number(property(queue, "VisibilityTimeout"), 30),
        );
        if let (Some(Some(timeout)), Some(visibility)) = (timeout, visibility)
            && visibility < timeout
        {
            findings.push(format!(
                "{place}: the queue's visibility timeout of {visibility} s is shorter than the function's timeout of {timeout} s; Lambda refuses it (six times as long is advised)"
            ));
        }
        let execution = durable.and_then(|d| self.number(d.get("ExecutionTimeout"), 0));
        if let Some(execution) = execution.filter(|s| *s > MOST_EXECUTION_S) {
            findings.push(format!(
                "{place}: ExecutionTimeout is {execution} s, behind a queue an execution is cut at {MOST_EXECUTION_S} s"
            ));
        }
        findings
    }

    /// The function behind an alias, a version, or itself.
    fn function(&self, target: &Value) -> Option<&Value> {
        let referred = self.referred(target)?;
        match kind(referred) {
            "AWS::Lambda::Function" => Some(referred),
            "AWS::Lambda::Alias" | "AWS::Lambda::Version" => self.referred(property(referred, "FunctionName")?),
            _ => None,
        }
    }

    /// The resource that a `Ref` or `Fn::GetAtt` names.
    fn referred(&self, value: &Value) -> Option<&Value> {
        let name = match (value.get("Ref"), value.get("Fn::GetAtt")) {
            (Some(name), _) => name.as_str()?,
            (None, Some(Value::Array(parts))) => parts.first()?.as_str()?,
            (None, Some(dotted)) => dotted.as_str()?.split('.').next()?,
            _ => return None,
        };
        self.resources.get(name)
    }

    /// A number, given as such or by a parameter; `None` if it is not known.
    fn number(&self, value: Option<&Value>, default: u64) -> Option<u64> {
        let Some(value) = value else { return Some(default) };
        if let Some(name) = value.get("Ref").and_then(Value::as_str) {
            let given = self.parameters.get(name).map(|text| Value::String(text.clone()));
            let declared = || self.template.get("Parameters")?.get(name)?.get("Default").cloned();
            return read(&given.or_else(declared)?);
        }
        read(value)
    }
}

fn read(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

fn kind(resource: &Value) -> &str {
    resource.get("Type").and_then(Value::as_str).unwrap_or_default()
}

fn property<'a>(resource: &'a Value, name: &str) -> Option<&'a Value> {
    resource.get("Properties")?.get(name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn of(visibility: &Value, timeout: &Value, execution: Option<u32>, target: &Value) -> Vec<String> {
        let mut function = json!({ "Type": "AWS::Lambda::Function", "Properties": { "Timeout": timeout } });
        if let Some(s) = execution {
            function["Properties"]["DurableConfig"] = json!({ "ExecutionTimeout": s });
        }
        let template = json!({ "Resources": {
            "Queue": { "Type": "AWS::SQS::Queue", "Properties": { "VisibilityTimeout": visibility } },
            "Function": function,
            "Alias": { "Type": "AWS::Lambda::Alias", "Properties": { "FunctionName": { "Ref": "Function" } } },
            "Mapping": { "Type": "AWS::Lambda::EventSourceMapping", "Properties": {
                "EventSourceArn": { "Fn::GetAtt": ["Queue", "Arn"] }, "FunctionName": target } },
        } });
        findings("durable", &template, &BTreeMap::from([("V".to_owned(), "60".to_owned())]))
    }

    #[test]
    fn a_short_visibility_timeout_is_found_also_through_a_parameter() {
        let alias = json!({ "Ref": "Alias" });
        for visibility in [json!(60), json!("60"), json!({ "Ref": "V" })] {
            let found = of(&visibility, &json!(120), None, &alias);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].contains("60 s is shorter than the function's timeout of 120 s"), "{found:?}");
        }
        assert_eq!(of(&json!(120), &json!(120), None, &alias), Vec::<String>::new());
        assert_eq!(of(&json!({ "Ref": "Unknown" }), &json!(120), None, &alias), Vec::<String>::new());
    }

    #[test]
    fn a_durable_function_behind_a_queue_is_qualified_and_short() {
        assert_eq!(of(&json!(60), &json!(30), Some(900), &json!({ "Ref": "Alias" })), Vec::<String>::new());
        let found = of(&json!(60), &json!(30), Some(3600), &json!({ "Ref": "Function" }));
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("a version or an alias") && found[1].contains("3600 s"), "{found:?}");
    }

    #[test]
    fn the_studys_own_templates_are_fine() {
        for name in ["conventional", "durable", "provider", "artifacts"] {
            let path = format!("{}/templates/{name}.yaml", env!("CARGO_MANIFEST_DIR"));
            let text = std::fs::read_to_string(&path).expect("template");
            let dialect = yaml::Dialect::CloudFormation;
            let document = yaml::Document::parse(&path, &text, dialect, yaml::Limits::default()).expect("YAML");
            assert_eq!(findings(name, document.value(), &BTreeMap::new()), Vec::<String>::new());
        }
    }
}
