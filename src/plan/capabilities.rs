//! Which acknowledgements CloudFormation wants for a template. Pure.

use serde_json::Value;

/// Properties that give an IAM resource a name of its own (CloudFormation API reference, CreateStack).
const NAMES: [&str; 6] =
    ["RoleName", "ManagedPolicyName", "GroupName", "UserName", "InstanceProfileName", "ServerCertificateName"];

/// Capabilities that a template needs: `CAPABILITY_NAMED_IAM` if it names an IAM resource, else `CAPABILITY_IAM` if it
/// has any, and `CAPABILITY_AUTO_EXPAND` for macros, wherever in the template they stand.
#[must_use]
pub fn needed(template: &Value) -> Vec<String> {
    let resources = template.get("Resources").and_then(Value::as_object).into_iter().flat_map(|r| r.values());
    let is_iam = |r: &&Value| r.get("Type").and_then(Value::as_str).is_some_and(|t| t.starts_with("AWS::IAM::"));
    let iam: Vec<_> = resources.filter(is_iam).collect();
    let named = |r: &&Value| NAMES.iter().any(|name| r.get("Properties").is_some_and(|p| p.get(name).is_some()));
    let mut needed = Vec::new();
    if iam.iter().any(named) {
        needed.push("CAPABILITY_NAMED_IAM".to_owned());
    } else if !iam.is_empty() {
        needed.push("CAPABILITY_IAM".to_owned());
    }
    if template.get("Transform").is_some() || has_macro(template) {
        needed.push("CAPABILITY_AUTO_EXPAND".to_owned());
    }
    needed
}

fn has_macro(value: &Value) -> bool {
    match value {
        Value::Object(map) => map.contains_key("Fn::Transform") || map.values().any(has_macro),
        Value::Array(items) => items.iter().any(has_macro),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::needed;
    use serde_json::json;

    fn of(properties: &serde_json::Value) -> Vec<String> {
        needed(&json!({ "Resources": { "R": { "Type": "AWS::IAM::Role", "Properties": properties } } }))
    }

    #[test]
    fn a_named_role_needs_more_than_an_unnamed_one() {
        assert_eq!(of(&json!({})), ["CAPABILITY_IAM"]);
        assert_eq!(of(&json!({ "RoleName": "r" })), ["CAPABILITY_NAMED_IAM"]);
        assert_eq!(needed(&json!({ "Resources": { "Q": { "Type": "AWS::SQS::Queue" } } })), Vec::<String>::new());
    }

    #[test]
    fn a_macro_is_found_wherever_it_stands() {
        let nested =
            json!({ "Properties": { "Fn::Transform": { "Name": "AWS::Include" } }, "Type": "AWS::SQS::Queue" });
        assert_eq!(needed(&json!({ "Resources": { "Q": nested } })), ["CAPABILITY_AUTO_EXPAND"]);
        assert_eq!(needed(&json!({ "Transform": "AWS::LanguageExtensions" })), ["CAPABILITY_AUTO_EXPAND"]);
    }
}
