//! The names that a template gives to its resources, as far as they are known before a deployment. Pure.

use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Types that take a name of their own: property, what people call it, characters allowed (the service's quotas page).
const NAMED: [(&str, &str, &str, usize); 8] = [
    ("AWS::Lambda::Function", "FunctionName", "function", 64),
    ("AWS::IAM::Role", "RoleName", "role", 64),
    ("AWS::IAM::ManagedPolicy", "ManagedPolicyName", "policy", 128),
    ("AWS::SQS::Queue", "QueueName", "queue", 80),
    ("AWS::DynamoDB::Table", "TableName", "table", 255),
    ("AWS::Logs::LogGroup", "LogGroupName", "log group", 512),
    ("AWS::S3::Bucket", "BucketName", "bucket", 63),
    ("AWS::SecretsManager::Secret", "Name", "secret", 512),
];

/// A resource with a name that is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    /// Logical id.
    pub logical_id: String,
    /// CloudFormation type.
    pub kind: String,
    /// What people call it.
    pub what: &'static str,
    /// The name.
    pub name: String,
    /// Characters allowed.
    pub most: usize,
}

impl Named {
    /// Why the name is refused, if it is too long.
    #[must_use]
    pub fn too_long(&self) -> Option<String> {
        let length = self.name.chars().count();
        (length > self.most).then(|| {
            format!(
                "{} name {} ({}) has {length} characters, {} are allowed",
                self.what, self.name, self.logical_id, self.most
            )
        })
    }
}

/// Every named resource of a template. `known` holds parameter values and pseudo parameters (`AWS::StackName`, …);
/// defaults are read from the template. What depends on anything else is left out.
#[must_use]
pub fn named(template: &Value, known: &BTreeMap<String, String>) -> Vec<Named> {
    let resources = template.get("Resources").and_then(Value::as_object).into_iter().flatten();
    let values = Values { template, known };
    let one = |(logical_id, resource): (&String, &Value)| {
        let kind = resource.get("Type")?.as_str()?;
        let (_, property, what, most) = NAMED.into_iter().find(|(of, ..)| *of == kind)?;
        let name = values.text(resource.get("Properties")?.get(property)?)?;
        Some(Named { logical_id: logical_id.clone(), kind: kind.to_owned(), what, name, most })
    };
    resources.filter_map(one).collect()
}

struct Values<'a> {
    template: &'a Value,
    known: &'a BTreeMap<String, String>,
}

impl Values<'_> {
    fn text(&self, value: &Value) -> Option<String> {
        match value {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Object(map) if map.len() == 1 => self.function(map),
            _ => None,
        }
    }

    fn function(&self, map: &Map<String, Value>) -> Option<String> {
        let (name, argument) = map.iter().next()?;
        match name.as_str() {
            "Ref" => self.variable(argument.as_str()?),
            "Fn::Sub" => match argument {
                Value::Array(parts) => self.substitute(parts.first()?.as_str()?, parts.get(1)?.as_object()),
                text => self.substitute(text.as_str()?, None),
            },
            "Fn::Join" => {
                let (separator, parts) = (argument.get(0)?.as_str()?, argument.get(1)?.as_array()?);
                let parts: Option<Vec<String>> = parts.iter().map(|part| self.text(part)).collect();
                Some(parts?.join(separator))
            }
            _ => None,
        }
    }

    /// A parameter's or pseudo parameter's value.
    fn variable(&self, name: &str) -> Option<String> {
        let default = || self.text(self.template.get("Parameters")?.get(name)?.get("Default")?);
        self.known.get(name).cloned().or_else(default)
    }

    /// `${Name}` replaced, `${!Name}` left as `${Name}`.
    fn substitute(&self, text: &str, own: Option<&Map<String, Value>>) -> Option<String> {
        let mut parts = text.split("${");
        let mut out = parts.next()?.to_owned();
        for part in parts {
            let (name, rest) = part.split_once('}')?;
            match name.strip_prefix('!') {
                Some(literal) => out.push_str(&format!("${{{literal}}}")),
                None => {
                    let given = own.and_then(|own| own.get(name)).and_then(|value| self.text(value));
                    out.push_str(&given.or_else(|| self.variable(name))?);
                }
            }
            out.push_str(rest);
        }
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn names(name: &Value) -> Vec<String> {
        let template = json!({
            "Parameters": { "Stage": { "Default": "test" }, "Late": {} },
            "Resources": { "Q": { "Type": "AWS::SQS::Queue", "Properties": { "QueueName": name } } },
        });
        let known = BTreeMap::from([("AWS::StackName".to_owned(), "s".to_owned())]);
        named(&template, &known).into_iter().map(|n| n.name).collect()
    }

    #[test]
    fn names_are_worked_out_as_cloudformation_does() {
        for (value, name) in [
            (json!("plain"), "plain"),
            (json!({ "Ref": "Stage" }), "test"),
            (json!({ "Fn::Sub": "${AWS::StackName}-${Stage}-${!x}.fifo" }), "s-test-${x}.fifo"),
            (json!({ "Fn::Sub": ["${A}-q", { "A": { "Ref": "AWS::StackName" } }] }), "s-q"),
            (json!({ "Fn::Join": ["-", [{ "Ref": "AWS::StackName" }, "q"]] }), "s-q"),
        ] {
            assert_eq!(names(&value), [name], "{value}");
        }
        for unknown in [json!({ "Ref": "Late" }), json!({ "Fn::Sub": "${Late}-q" }), json!({ "Fn::ImportValue": "x" })]
        {
            assert_eq!(names(&unknown), Vec::<String>::new(), "{unknown}");
        }
    }

    #[test]
    fn each_type_has_its_own_limit() {
        let of = |kind: &str, property: &str, length: usize| {
            let name = "x".repeat(length);
            let template = json!({ "Resources": { "R": { "Type": kind, "Properties": { property: name } } } });
            named(&template, &BTreeMap::new()).iter().find_map(Named::too_long)
        };
        for (kind, property, _, most) in NAMED {
            assert_eq!(of(kind, property, most), None);
            let numbers = format!("{} characters, {most} are allowed", most + 1);
            assert!(of(kind, property, most + 1).is_some_and(|why| why.contains(&numbers)), "{kind}");
        }
    }
}
