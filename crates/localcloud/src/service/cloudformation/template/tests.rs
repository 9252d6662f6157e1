use super::*;
use proptest::prelude::*;
use serde_json::json;

const QUEUE: &str = "\nResources:\n  Q: {Type: 'AWS::SQS::Queue'}\n";

struct Fixed;

impl Resources for Fixed {
    fn reference(&self, logical_id: &str) -> Option<Value> {
        (logical_id == "Q").then(|| json!("https://queue/q"))
    }

    fn attribute(&self, logical_id: &str, name: &str) -> Option<Value> {
        (logical_id == "Q" && name == "Arn").then(|| json!("arn:q"))
    }
}

fn environment() -> Environment {
    Environment {
        region: "eu-west-1".to_owned(),
        stack_id: "arn:stack".to_owned(),
        stack_name: "demo".to_owned(),
        notification_arns: Vec::new(),
    }
}

fn given(values: &[(&str, &str)]) -> Vec<Given> {
    let one = |(key, value): &(&str, &str)| Given {
        key: (*key).to_owned(),
        value: Some((*value).to_owned()),
        use_previous: false,
    };
    values.iter().map(one).collect()
}

fn inputs(head: &str, values: &[(&str, &str)]) -> Result<Inputs, ApiError> {
    let template = Template::parse(&format!("{head}{QUEUE}"))?;
    Inputs::resolve(template, &given(values), &BTreeMap::new(), environment())
}

const HEAD: &str = "
Parameters:
  Name: {Type: String, Default: jo}
  List: {Type: CommaDelimitedList, Default: 'a, b,c'}
  Stage: {Type: String, Default: test}
Mappings:
  M: {test: {size: 3, zones: [x, y]}}
Conditions:
  IsTest: !Equals [!Ref Stage, test]
  IsProd: !Not [!Condition IsTest]
  Both: !And [!Condition IsTest, !Condition IsProd]
  Either: !Or [!Condition IsTest, !Condition IsProd]
";

fn evaluated(yaml: &str) -> Result<Option<Value>, ApiError> {
    let document = Document::parse("value", yaml, Dialect::CloudFormation, Limits::default()).unwrap();
    let inputs = inputs(HEAD, &[])?;
    let exports = BTreeMap::from([("out".to_owned(), "exported".to_owned())]);
    Scope { inputs: &inputs, resources: &Fixed, exports: &exports }.evaluate(document.value())
}

#[test]
fn every_function_in_short_and_long_form() {
    let table = [
        ("!Ref Name", json!("jo")),
        ("!Ref Q", json!("https://queue/q")),
        ("!Ref List", json!(["a", "b", "c"])),
        ("!Ref AWS::Region", json!("eu-west-1")),
        ("!Ref AWS::AccountId", json!("000000000000")),
        ("!Ref AWS::StackName", json!("demo")),
        ("!Ref AWS::NotificationARNs", json!([])),
        ("!GetAtt Q.Arn", json!("arn:q")),
        ("!GetAtt [Q, Arn]", json!("arn:q")),
        ("Fn::GetAtt: [Q, Arn]", json!("arn:q")),
        ("!Sub '${Name}-${Q.Arn}-${!Keep}-${AWS::Partition}'", json!("jo-arn:q-${Keep}-aws")),
        ("!Sub ['${Own}/${Name}', {Own: !Ref Stage}]", json!("test/jo")),
        ("!Join ['-', [a, !Ref Name, 3]]", json!("a-jo-3")),
        ("!Join ['+', !Ref List]", json!("a+b+c")),
        ("!Select [1, !Ref List]", json!("b")),
        ("!Select ['0', !Split ['.', 'p.q']]", json!("p")),
        ("!Split [',', 'p,q']", json!(["p", "q"])),
        ("!If [IsTest, yes, no]", json!(true)),
        ("!If [IsProd, 1, !If [Either, 2, 3]]", json!(2)),
        ("!If [Both, 1, 0]", json!(0)),
        ("!FindInMap [M, !Ref Stage, size]", json!(3)),
        ("!FindInMap [M, test, zones]", json!(["x", "y"])),
        ("!ImportValue out", json!("exported")),
        ("Fn::ImportValue: !Sub 'out'", json!("exported")),
        ("!Base64 abc", json!("YWJj")),
        ("!Cidr [10.0.0.0/24, 2, 5]", json!(["10.0.0.0/27", "10.0.0.32/27"])),
        ("!GetAZs ''", json!(["eu-west-1a", "eu-west-1b", "eu-west-1c"])),
        ("!GetAZs us-east-1", json!(["us-east-1a", "us-east-1b", "us-east-1c"])),
        ("[1, !Ref AWS::NoValue, {a: !Ref AWS::NoValue, b: 2}]", json!([1, { "b": 2 }])),
        (
            "{Version: 2012-10-17, Switch: off, Answer: Y}",
            json!({ "Version": "2012-10-17", "Switch": false, "Answer": "Y" }),
        ),
    ];
    for (yaml, expected) in table {
        let found = evaluated(yaml).unwrap_or_else(|error| panic!("{yaml}: {error}"));
        assert_eq!(found, Some(expected), "{yaml}");
    }
    assert_eq!(evaluated("!Ref AWS::NoValue").unwrap(), None);
}

#[test]
fn misuse_is_refused_by_name() {
    let table = [
        ("!Select [3, [a]]", "nonexistent value at index 3"),
        ("!FindInMap [M, prod, size]", "Unable to get mapping for M::prod::size"),
        ("!ImportValue none", "No export named none found."),
        ("!GetAtt Q.Colour", "does not support attribute type Colour"),
        ("!Join [',', {a: 1}]", "must be a list"),
        ("!Sub '${List}'", "does not resolve to a string"),
        ("!Sub '${a b}'", "variable names in Fn::Sub"),
        ("!Cidr [10.0.0.0/24, 9, 6]", "cannot hold"),
        ("Fn::Transform: {Name: AWS::Include}", "Fn::Transform"),
        ("!If [IsTest, 1]", "Fn::If"),
        ("!Ref Nobody", "[Nobody]"),
    ];
    for (yaml, expected) in table {
        let error = evaluated(yaml).unwrap_err();
        assert!(error.message.contains(expected), "{yaml}: {error}");
    }
}

#[test]
fn templates_are_refused_with_the_services_words() {
    let table = [
        ("[]", "unsupported structure"),
        ("{\"Resources\": ", "JSON not well-formed. (line 1"),
        ("Resources: [", "YAML not well-formed"),
        ("Resources: {}", "At least one Resources member"),
        ("Foo: 1\nResources: {}", "Invalid template property or properties [Foo]"),
        ("AWSTemplateFormatVersion: 2010-09-10\nResources: {}", "AWSTemplateFormatVersion"),
        ("Resources: {a-b: {Type: T}}", "Resource name a-b is non alphanumeric."),
        ("Resources: {A: {}}", "[/Resources/A] Every Resources object must contain a Type member."),
        ("Resources: {A: {Type: T, Foo: 1}}", "Invalid template resource property 'Foo'"),
        ("Resources: {A: {Type: T, Properties: {P: !Ref B}}}", "Unresolved resource dependencies [B] in the Resources"),
        ("Resources: {A: {Type: T, DependsOn: B}}", "Unresolved resource dependencies [B]"),
        ("Resources: {A: {Type: T, Properties: {P: !GetAtt B.C}}}", "references undefined resource B"),
        ("Resources: {A: {Type: T, Condition: C}}", "Unresolved condition dependency C in the Resources"),
        ("Resources: {A: {Type: T, Properties: {P: !If [C, 1, 2]}}}", "Unresolved condition dependency C"),
        ("Conditions: {C: !Not [!Condition D]}\nResources: {A: {Type: T}}", "Unresolved condition dependency D"),
        ("Resources: {A: {Type: T, Properties: {P: !FindInMap [M, a, b]}}}", "Mapping named 'M'"),
        ("Resources: {A: {Type: T}}\nOutputs: {O: {Value: !Ref B}}", "[B] in the Outputs block"),
        ("Resources: {A: {Type: T}}\nOutputs: {O: {}}", "must contain a Value"),
        ("Parameters: {P: {}}\nResources: {A: {Type: T}}", "must contain a Type member"),
        ("Parameters: {P: {Type: Text}}\nResources: {A: {Type: T}}", "Unrecognized parameter type: Text"),
        ("Resources: {A: {Type: T, DeletionPolicy: Keep}}", "Unrecognized DeletionPolicy Keep"),
        (
            "Resources: {A: {Type: T, DependsOn: B}, B: {Type: T, DependsOn: A}, C: {Type: T, DependsOn: A}, D: {Type: T}}",
            "Circular dependency between resources: [A, B]",
        ),
    ];
    for (body, expected) in table {
        let error = Template::parse(body).unwrap_err();
        assert_eq!(error.code, "ValidationError", "{body}");
        assert!(error.message.contains(expected), "{body}: {error}");
    }
}

#[test]
fn what_is_not_emulated_is_loud() {
    for body in [
        "Transform: AWS::Serverless-2016-10-31\nResources: {A: {Type: T}}",
        "Resources: {A: {Type: T, Properties: {P: {Fn::ToJsonString: {}}}}}",
        "Resources: {A: {Type: T, Properties: {P: !Transform {Name: AWS::Include}}}}",
        "Resources: {A: {Type: T, UpdatePolicy: {}}}",
        "Parameters: {P: {Type: 'AWS::SSM::Parameter::Value<String>'}}\nResources: {A: {Type: T}}",
    ] {
        assert_eq!(Template::parse(body).unwrap_err().code, "NotEmulated", "{body}");
    }
}

#[test]
fn parameters_are_checked() {
    let head = "
Parameters:
  Env: {Type: String, AllowedValues: [dev, prod], Default: dev}
  Name: {Type: String, AllowedPattern: '[a-z]+', MinLength: 2, MaxLength: 4, Default: abc}
  Size: {Type: Number, MinValue: 1, MaxValue: 5, Default: 3}
  Word: {Type: String, AllowedPattern: x, ConstraintDescription: only x, Default: x}
";
    let table: [(&[(&str, &str)], &str); 9] = [
        (&[("Env", "test")], "Parameter 'Env' must be one of AllowedValues"),
        (&[("Name", "a1")], "Parameter 'Name' must match pattern [a-z]+"),
        (&[("Name", "a")], "must contain at least 2 characters"),
        (&[("Name", "abcde")], "must contain at most 4 characters"),
        (&[("Size", "six")], "Parameter 'Size' must be a number"),
        (&[("Size", "6")], "must be a number not greater than 5"),
        (&[("Word", "y")], "Parameter Word failed to satisfy constraint: only x"),
        (&[("None", "y")], "Parameters: [None] do not exist in the template"),
        (&[("Env", "dev"), ("Env", "prod")], "Duplicate Parameter key Env"),
    ];
    for (values, expected) in table {
        let error = inputs(head, values).unwrap_err();
        assert!(error.message.contains(expected), "{values:?}: {error}");
    }
    assert!(inputs(head, &[("Env", "prod"), ("Name", "zz"), ("Size", "5")]).is_ok());
    let missing = inputs("Parameters: {A: {Type: String}, B: {Type: Number}}", &[("A", "x")]).unwrap_err();
    assert_eq!(missing.message, "Parameters: [B] must have values");
}

#[test]
fn dependencies_come_from_references_and_skip_what_is_not_created() {
    let body = "
Conditions: {Never: !Equals [1, 2]}
Resources:
  A: {Type: T}
  B: {Type: T, Properties: {P: !Sub 'x${A.Arn}'}}
  C: {Type: T, DependsOn: [A], Properties: {P: [!Ref B]}}
  D: {Type: T, Condition: Never}
  E: {Type: T, Properties: {P: !If [Never, !Ref D, 1]}}
";
    let inputs = Inputs::resolve(Template::parse(body).unwrap(), &[], &BTreeMap::new(), environment()).unwrap();
    let expected = [("A", vec![]), ("B", vec!["A"]), ("C", vec!["A", "B"]), ("E", vec![])];
    let found = dependencies(&inputs);
    let found: Vec<(&str, Vec<&str>)> =
        found.iter().map(|(name, on)| (name.as_str(), on.iter().map(String::as_str).collect())).collect();
    assert_eq!(found, expected);
}

proptest! {
    #[test]
    fn any_text_is_a_template_or_an_error(body in ".{0,200}") {
        let _ = Template::parse(&body);
    }

    #[test]
    fn any_yaml_like_text_is_a_template_or_an_error(
        body in "(Resources|Parameters|Outputs|Conditions): (\\{|\\[|!Ref |!Sub |!If |A: |Type: |'\\$\\{|,|\\}|\\]|\n  ){0,24}"
    ) {
        let _ = Template::parse(&body);
    }

    #[test]
    fn any_value_evaluates_or_is_refused(value in values()) {
        let inputs = inputs(HEAD, &[]).unwrap();
        let scope = Scope { inputs: &inputs, resources: &Fixed, exports: &BTreeMap::new() };
        let _ = scope.evaluate(&value);
        let _ = reference::references(&value);
        let _ = imports(&value);
    }

    #[test]
    fn any_sections_are_a_template_or_an_error(value in values(), name in "[A-Z][a-z]{0,3}", property in values()) {
        let body = json!({
            "Conditions": { "C": value.clone() }, "Parameters": { "P": value.clone() },
            "Resources": { name: { "Type": "T", "Properties": { "P": property }, "DependsOn": value.clone() } },
            "Outputs": { "O": value },
        });
        if let Ok(template) = Template::parse(&body.to_string()) {
            let _ = Inputs::resolve(template, &[], &BTreeMap::new(), environment());
        }
    }
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        "[a-zA-Z.${}!:/0-9]{0,12}".prop_map(Value::from),
        Just(json!("Q")),
        Just(json!("Q.Arn")),
        Just(json!("IsTest")),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            (prop::sample::select(intrinsic::FUNCTIONS.to_vec()), inner.clone())
                .prop_map(|(name, v)| json!({ name: v })),
            (prop::sample::select(intrinsic::FUNCTIONS.to_vec()), prop::collection::vec(inner.clone(), 1..4))
                .prop_map(|(name, v)| json!({ name: v })),
            prop::collection::hash_map("[A-Za-z:]{1,9}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}
