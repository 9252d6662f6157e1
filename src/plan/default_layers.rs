//! Retry layers that a template leaves at their defaults, each named with what the default is. Pure.

use serde_json::{Map, Value};

/// One warning for each layer that is not set.
#[must_use]
pub fn warnings(component: &str, template: &Value) -> Vec<String> {
    let empty = Map::new();
    let resources = template.get("Resources").and_then(Value::as_object).unwrap_or(&empty);
    resources.iter().flat_map(|(id, resource)| of(component, id, resource, resources)).collect()
}

fn of(component: &str, id: &str, resource: &Value, resources: &Map<String, Value>) -> Vec<String> {
    let has = |name: &str| property(resource, name).is_some();
    let place = format!("template of {component}, {id}");
    let kind = resource.get("Type").and_then(Value::as_str).unwrap_or_default();
    match kind {
        "AWS::SQS::Queue" if !has("RedrivePolicy") && feeds_a_function(id, resources) => vec![format!(
            "{place}: no RedrivePolicy; by default a message is delivered again until its retention ends (4 days)"
        )],
        "AWS::Lambda::EventSourceMapping" if is_stream(resource) && !has("MaximumRetryAttempts") => vec![format!(
            "{place}: no MaximumRetryAttempts; by default (-1) a failing batch is repeated until its records expire (24 h)"
        )],
        "AWS::Lambda::Function" => function(&place, resource),
        _ => Vec::new(),
    }
}

/// The durable step's layer, as far as the function's environment sets it. The SDK's own layer is the protocol's
/// `sdk_attempts`, which has no default.
fn function(place: &str, resource: &Value) -> Vec<String> {
    let variables = property(resource, "Environment").and_then(|e| e.get("Variables"));
    let set = variables.and_then(|v| v.get("RETRY_ATTEMPTS")).is_some();
    if set || property(resource, "DurableConfig").is_none() {
        return Vec::new();
    }
    vec![format!("{place}: no RETRY_ATTEMPTS; by default a durable step makes six attempts with jitter")]
}

fn property<'a>(resource: &'a Value, name: &str) -> Option<&'a Value> {
    resource.get("Properties")?.get(name)
}

/// Whether an event source mapping reads this queue.
fn feeds_a_function(queue: &str, resources: &Map<String, Value>) -> bool {
    let mappings = resources.values().filter(|r| r.get("Type").is_some_and(|t| t == "AWS::Lambda::EventSourceMapping"));
    let mut sources = mappings.filter_map(|m| property(m, "EventSourceArn")?.get("Fn::GetAtt"));
    sources.any(|get| match get {
        Value::Array(parts) => parts.first().is_some_and(|name| name == queue),
        dotted => dotted.as_str().and_then(|text| text.split('.').next()) == Some(queue),
    })
}

fn is_stream(mapping: &Value) -> bool {
    property(mapping, "EventSourceArn").is_some_and(|source| source.to_string().contains("Stream"))
}

#[cfg(test)]
mod tests {
    use super::warnings;
    use serde_json::{Value, json};

    fn of(kind: &str, properties: &Value) -> Vec<String> {
        let mapping = json!({ "Type": "AWS::Lambda::EventSourceMapping", "Properties": {
            "EventSourceArn": { "Fn::GetAtt": ["R", "Arn"] } } });
        warnings("x", &json!({ "Resources": { "R": { "Type": kind, "Properties": properties }, "M": mapping } }))
    }

    #[test]
    fn each_layer_left_alone_is_named_with_its_default() {
        let durable = json!({ "DurableConfig": { "ExecutionTimeout": 60 } });
        let stream = json!({ "EventSourceArn": { "Fn::GetAtt": "Table.StreamArn" } });
        for (kind, properties, default) in [
            ("AWS::SQS::Queue", json!({}), "4 days"),
            ("AWS::Lambda::EventSourceMapping", stream, "(-1)"),
            ("AWS::Lambda::Function", durable, "six attempts with jitter"),
        ] {
            let found = of(kind, &properties);
            assert!(found.len() == 1 && found[0].contains(default), "{kind}: {found:?}");
        }
    }

    #[test]
    fn layers_that_are_set_are_not() {
        let set = json!({ "DurableConfig": {}, "Environment": { "Variables": { "RETRY_ATTEMPTS": 2 } } });
        assert_eq!(of("AWS::Lambda::Function", &set), Vec::<String>::new());
        assert_eq!(of("AWS::SQS::Queue", &json!({ "RedrivePolicy": {} })), Vec::<String>::new());
    }
}
