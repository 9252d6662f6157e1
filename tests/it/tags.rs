//! `assay tags verify` as a program: every resource asked natively, what is wrong named.

use crate::support::{Lab, Programs};
use serde_json::Value;
use std::path::Path;

const TEMPLATE: &str = "Resources:
  Queue:
    Type: AWS::SQS::Queue
    Properties: {QueueName: !Sub '${AWS::StackName}-q'}
  Policy:
    Type: AWS::SQS::QueuePolicy
    Properties:
      Queues: [!Ref Queue]
      PolicyDocument: {Version: '2012-10-17', Statement: [{Effect: Deny, Principal: '*', Action: 'sqs:SendMessage', Resource: '*'}]}
  Table:
    Type: AWS::DynamoDB::Table
    Properties:
      BillingMode: PAY_PER_REQUEST
      AttributeDefinitions: [{AttributeName: id, AttributeType: S}]
      KeySchema: [{AttributeName: id, KeyType: HASH}]
  Group:
    Type: AWS::Logs::LogGroup
    Properties: {LogGroupName: !Sub '/${AWS::StackName}/g'}
  Role:
    Type: AWS::IAM::Role
    Properties:
      AssumeRolePolicyDocument:
        Version: 2012-10-17
        Statement: [{Effect: Allow, Principal: {Service: lambda.amazonaws.com}, Action: 'sts:AssumeRole'}]
";

fn lab() -> Lab {
    Lab::open(&Programs::of(Path::new(env!("CARGO_BIN_EXE_assay"))), None)
}

/// Stacks side by side, each with its own cost centre.
fn deploy(lab: &Lab, stacks: &[&str]) {
    let template = lab.runs().with_file_name("tags.yaml");
    std::fs::write(&template, TEMPLATE).expect("write");
    let running = stacks.iter().map(|stack| {
        let tag = format!("CostCenter={stack}");
        let args = ["deploy", &template.display().to_string(), "--stack", stack, "--tag", &tag, "--yes", "--json"];
        lab.start(&at(lab, &args))
    });
    for running in running.collect::<Vec<_>>() {
        let ended = running.wait();
        assert_eq!(ended.code, Some(0), "{ended:?}");
    }
}

fn at(lab: &Lab, args: &[&str]) -> Vec<String> {
    let endpoint = lab.cloud().endpoint();
    args.iter().copied().chain(["--region", "us-east-1", "--endpoint-url", &endpoint]).map(str::to_owned).collect()
}

/// Exit code, and what is said of each type.
fn verify(lab: &Lab, stack: &str) -> (Option<i32>, Vec<(String, Value)>) {
    let ended = lab.start(&at(lab, &["tags", "verify", "--stack", stack, "--json"])).wait();
    let proof: Value = serde_json::from_str(ended.stdout.lines().last().unwrap_or_default()).expect("JSON");
    let resources = proof["resources"].as_array().expect("resources").clone();
    let said =
        resources.into_iter().map(|r| (r["kind"].as_str().unwrap_or_default().to_owned(), r["standing"].clone()));
    (ended.code, said.collect())
}

fn of<'a>(said: &'a [(String, Value)], kind: &str) -> &'a Value {
    said.iter().find(|(k, _)| k == kind).map_or(&Value::Null, |(_, standing)| standing)
}

#[test]
fn two_stacks_deployed_at_once_have_their_own_tags_and_untaggable_types_are_named() {
    let lab = lab();
    deploy(&lab, &["one", "two"]);
    for stack in ["one", "two"] {
        let (code, said) = verify(&lab, stack);
        assert_eq!((code, said.len()), (Some(0), 6), "{said:?}");
        assert_eq!(of(&said, "AWS::SQS::QueuePolicy")["is"], "untaggable");
        for kind in ["CloudFormation::Stack", "SQS::Queue", "DynamoDB::Table", "Logs::LogGroup", "IAM::Role"] {
            assert_eq!(of(&said, &format!("AWS::{kind}"))["is"], "proven", "{kind}");
        }
    }
    let queues = lab.queue_tags(&["one-q", "two-q"]);
    for (tags, own) in queues.iter().zip(["one", "two"]) {
        assert_eq!(tags.get("CostCenter").map(String::as_str), Some(own), "{tags:?}");
        assert_eq!(tags.len(), 2, "each key once: {tags:?}");
    }
}

#[test]
fn what_lacks_a_tag_or_has_another_value_is_named() {
    let lab = lab();
    deploy(&lab, &["one"]);
    lab.tag_queue("one-q", "CostCenter", "somebody-else");
    let (code, said) = verify(&lab, "one");
    assert_eq!(code, Some(10));
    let queue = of(&said, "AWS::SQS::Queue");
    assert_eq!((&queue["is"], &queue["found"]), (&Value::from("differs"), &Value::from("somebody-else")), "{queue}");
    lab.untag_queue("one-q", "CostCenter");
    let (code, said) = verify(&lab, "one");
    assert_eq!(code, Some(10));
    assert_eq!(of(&said, "AWS::SQS::Queue")["keys"], serde_json::json!(["CostCenter"]));
    lab.faults("rules:\n  - {service: sqs, operation: ListQueueTags, effect: denied}\n");
    let (code, said) = verify(&lab, "one");
    assert_eq!((code, &of(&said, "AWS::SQS::Queue")["is"]), (Some(20), &Value::from("unread")), "{said:?}");
}

#[test]
fn a_runs_resources_are_judged_by_its_plan_and_those_of_another_variant_are_traced() {
    let lab = lab();
    let mut args = lab.run_args();
    args.extend(["--on-interrupt".to_owned(), "keep".to_owned()]);
    let mut running = lab.start(&args);
    assert!(lab.until(&mut running, |lab| lab.sealed("deploy")), "{}", running.stderr());
    running.signal(rustix::process::Signal::INT);
    let kept = running.wait();
    assert_eq!(kept.code, Some(130), "{kept:?}");
    let run = lab.run_folder().expect("run").display().to_string();
    let whole = lab.assay(&["tags", "verify", &run]);
    assert_eq!(whole.code, Some(0), "{whole:?}");
    assert!(whole.stdout.contains("cannot carry tags") && whole.stdout.contains(" 0 wrong"), "{whole:?}");

    let name = lab.run_folder().and_then(|f| Some(f.file_name()?.to_string_lossy().into_owned())).expect("name");
    lab.tag_queue(&format!("assay-{name}-conventional-requests.fifo"), "assay:variant", "shared");
    let wrong = lab.assay(&["tags", "verify", &run]);
    assert_eq!(wrong.code, Some(10), "{wrong:?}");
    assert!(wrong.stdout.contains("the value of variant artifacts, not `conventional`"), "{wrong:?}");
    let clean = lab.resume();
    assert_eq!(lab.living_stacks(), Vec::<String>::new(), "{clean:?}");
    let gone = lab.assay(&["tags", "verify", &run]);
    assert_eq!(gone.code, Some(20), "nothing is left to prove: {gone:?}");
    let cost = lab.assay(&["cost", &run, "--yes"]);
    assert_eq!(cost.code, Some(20), "{cost:?}");
    assert!(cost.stderr.contains("USD 0.01") && !cost.stdout.contains("0.00"), "{cost:?}");
}
