use super::check::Refusal;
use super::*;
use serde_json::json;

fn map(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => panic!("{other} is no object"),
    }
}

#[test]
fn text_becomes_the_type_that_is_asked_for() {
    let given = map(json!({ "FifoQueue": "true", "VisibilityTimeout": "360", "QueueName": 7 }));
    let conformed = conform(Kind::Queue, &given).unwrap();
    assert_eq!(Value::Object(conformed), json!({ "FifoQueue": true, "VisibilityTimeout": 360, "QueueName": "7" }));
}

#[test]
fn unknown_missing_and_mistyped_keys_are_all_named() {
    let given = map(json!({
        "Code": { "S3Bucket": "b", "Key": "k" }, "Timeout": "soon", "DurableConfig": { "Execution": 1 }, "Foo": 1
    }));
    let Err(refusal) = conform(Kind::Function, &given) else { panic!("refused") };
    assert_eq!(
        refusal.reason("Fn"),
        "Properties validation failed for resource Fn with message:\n\
         [#: required key [Role] not found]\n\
         [#: extraneous key [Foo] is not permitted]\n\
         [#/Code: extraneous key [Key] is not permitted]\n\
         [#/DurableConfig: required key [ExecutionTimeout] not found]\n\
         [#/DurableConfig: extraneous key [Execution] is not permitted]\n\
         [#/Timeout: expected type: Number, found: String]"
    );
}

#[test]
fn a_known_property_without_emulation_is_said() {
    let refusal = conform(Kind::Function, &map(json!({ "VpcConfig": {} }))).unwrap_err();
    assert_eq!(refusal, Refusal::NotEmulated("the property VpcConfig of AWS::Lambda::Function".to_owned()));
}

#[test]
fn replacement_follows_create_only_properties() {
    let old = map(json!({ "QueueName": "a", "VisibilityTimeout": 1 }));
    assert!(!replaces(Kind::Queue, &old, &map(json!({ "QueueName": "a", "VisibilityTimeout": 2 }))));
    assert!(replaces(Kind::Queue, &old, &map(json!({ "QueueName": "b", "VisibilityTimeout": 1 }))));
}

#[test]
fn a_function_cannot_become_durable_in_place() {
    let plain = map(json!({ "Timeout": 1 }));
    let durable = map(json!({ "Timeout": 1, "DurableConfig": { "ExecutionTimeout": 60 } }));
    let longer = map(json!({ "Timeout": 1, "DurableConfig": { "ExecutionTimeout": 90 } }));
    assert!(replaces(Kind::Function, &plain, &durable));
    assert!(!replaces(Kind::Function, &durable, &longer));
}
