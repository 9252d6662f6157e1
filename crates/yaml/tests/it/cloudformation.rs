//! CloudFormation's dialect.

use crate::template;
use serde_json::json;

#[test]
fn short_forms_become_long_forms() {
    for (text, value) in [
        ("!Ref A", json!({"Ref": "A"})),
        ("!Ref AWS::StackName", json!({"Ref": "AWS::StackName"})),
        ("!Condition A", json!({"Condition": "A"})),
        ("!Sub '${A}-b'", json!({"Fn::Sub": "${A}-b"})),
        ("!Sub ['${A}', {A: 1}]", json!({"Fn::Sub": ["${A}", {"A": 1}]})),
        ("!GetAtt A.Arn", json!({"Fn::GetAtt": ["A", "Arn"]})),
        ("!GetAtt A.Outputs.B", json!({"Fn::GetAtt": ["A", "Outputs.B"]})),
        ("!GetAtt [A, Arn]", json!({"Fn::GetAtt": ["A", "Arn"]})),
        ("!Join ['', [a, !Ref B]]", json!({"Fn::Join": ["", ["a", {"Ref": "B"}]]})),
        ("!Select [0, !GetAZs '']", json!({"Fn::Select": [0, {"Fn::GetAZs": ""}]})),
        ("!Split [',', 'a,b']", json!({"Fn::Split": [",", "a,b"]})),
        ("!If [C, a, !Ref AWS::NoValue]", json!({"Fn::If": ["C", "a", {"Ref": "AWS::NoValue"}]})),
        ("!Not [!Condition C]", json!({"Fn::Not": [{"Condition": "C"}]})),
        ("!And [!Condition C, !Condition D]", json!({"Fn::And": [{"Condition": "C"}, {"Condition": "D"}]})),
        ("!Or [!Condition C, !Condition D]", json!({"Fn::Or": [{"Condition": "C"}, {"Condition": "D"}]})),
        ("!Equals [!Ref A, b]", json!({"Fn::Equals": [{"Ref": "A"}, "b"]})),
        ("!FindInMap [A, b, c]", json!({"Fn::FindInMap": ["A", "b", "c"]})),
        ("!ImportValue a", json!({"Fn::ImportValue": "a"})),
        ("!ImportValue\n  Fn::Sub: '${A}'", json!({"Fn::ImportValue": {"Fn::Sub": "${A}"}})),
        ("!Base64 abc", json!({"Fn::Base64": "abc"})),
        ("!Cidr [10.0.0.0/16, 6, 8]", json!({"Fn::Cidr": ["10.0.0.0/16", 6, 8]})),
        ("!GetAZs us-east-1", json!({"Fn::GetAZs": "us-east-1"})),
        (
            "!Transform {Name: AWS::Include, Parameters: {Location: !Sub 's3://${B}/x'}}",
            json!({"Fn::Transform": {"Name": "AWS::Include", "Parameters": {"Location": {"Fn::Sub": "s3://${B}/x"}}}}),
        ),
    ] {
        let document = template(&format!("v: {}\n", text.replace('\n', "\n  "))).unwrap();
        assert_eq!(document.value(), &json!({ "v": value }), "{text}");
    }
}

#[test]
fn a_tagged_scalar_is_text() {
    let document = template("a: !Ref 123\nb: !Sub yes\nc: !GetAZs\n").unwrap();
    assert_eq!(document.value(), &json!({"a": {"Ref": "123"}, "b": {"Fn::Sub": "yes"}, "c": {"Fn::GetAZs": ""}}));
}

#[test]
fn loose_scalars_are_read_as_the_service_reads_them() {
    let document = template(
        "AWSTemplateFormatVersion: 2010-09-09\nVersion: 2012-10-17\na: [YES, N, 2026-01-01, off, Y, \"no\", on]\n",
    )
    .unwrap();
    assert_eq!(
        document.value(),
        &json!({
            "AWSTemplateFormatVersion": "2010-09-09",
            "Version": "2012-10-17",
            "a": [true, "N", "2026-01-01", false, "Y", "no", true],
        })
    );
}

#[test]
fn json_templates_are_yaml_too() {
    let document = template("{\n\t\"Resources\": {\"A\": {\"Type\": \"AWS::SQS::Queue\"}}\n}\n").unwrap();
    assert_eq!(document.value(), &json!({"Resources": {"A": {"Type": "AWS::SQS::Queue"}}}));
}

#[test]
fn unknown_short_forms_and_half_attributes_are_located() {
    let unknown = template("a:\n  b: !Reff X\n").unwrap_err();
    assert_eq!(unknown.to_string(), "t.yaml:2:6: `!Reff` is not a short form that CloudFormation knows");
    assert_eq!(unknown.help(), Some("did you mean `!Ref`?"));
    let half = template("a: !GetAtt Queue\n").unwrap_err();
    assert_eq!(half.to_string(), "t.yaml:1:4: `!GetAtt Queue` names no attribute");
}
