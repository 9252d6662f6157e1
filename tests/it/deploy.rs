//! `assay deploy`, `assay delete` and `assay tags` against the local cloud, as programs.

#![allow(clippy::expect_used, clippy::panic, reason = "helpers of tests")]

use localcloud::Cloud;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Output;

const QUEUE: &str = "Resources:
  Queue:
    Type: AWS::SQS::Queue
    Properties: {QueueName: !Sub '${AWS::StackName}-q'}
  Role:
    Type: AWS::IAM::Role
    Properties:
      RoleName: !Sub '${AWS::StackName}-role'
      AssumeRolePolicyDocument:
        Version: 2012-10-17
        Statement: [{Effect: Allow, Principal: {Service: lambda.amazonaws.com}, Action: 'sts:AssumeRole'}]
Outputs:
  QueueName: {Value: !GetAtt Queue.QueueName}
";

/// Two queues of one name: the second cannot be made.
const BROKEN: &str = "Resources:
  First:
    Type: AWS::SQS::Queue
    Properties: {QueueName: twice}
  Second:
    Type: AWS::SQS::Queue
    DependsOn: First
    Properties: {QueueName: twice, VisibilityTimeout: 7}
";

struct Place {
    cloud: Cloud,
    folder: tempfile::TempDir,
}

impl Place {
    async fn new() -> Self {
        let cloud = Cloud::start(localcloud::Options::default()).await.expect("a cloud");
        Self { cloud, folder: tempfile::tempdir().expect("folder") }
    }

    fn template(&self, text: &str) -> PathBuf {
        let path = self.folder.path().join("t.yaml");
        std::fs::write(&path, text).expect("write");
        path
    }

    async fn assay(&self, arguments: &[&str]) -> Output {
        let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_assay"));
        command.args(arguments).current_dir(self.folder.path()).env("AWS_ENDPOINT_URL", self.cloud.endpoint());
        command.env("AWS_REGION", "us-east-1").output().await.expect("assay runs")
    }

    async fn deploy(&self, template: &Path, more: &[&str]) -> Output {
        let template = template.display().to_string();
        let start = ["deploy", &template, "--stack", "s", "--tag", "CostCenter=payments", "--yes", "--json"];
        self.assay(&[&start[..], more].concat()).await
    }
}

fn result(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().last().unwrap_or_else(|| panic!("no line; stderr: {}", said(output)));
    serde_json::from_str(line).expect("JSON")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[tokio::test]
async fn a_template_is_deployed_once_and_deleted() {
    let place = Place::new().await;
    let template = place.template(QUEUE);
    let output = place.deploy(&template, &[]).await;
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let done = result(&output);
    assert_eq!(done["status"], "CREATE_COMPLETE");
    assert_eq!(done["outputs"]["QueueName"], "s-q");
    assert_eq!(done["tags"]["CostCenter"], "payments");
    assert_eq!(done["template_sha256"], evidence::digest::Digest::of(QUEUE.as_bytes()).to_string());
    // A named role needs the stronger capability, and it was sent, or the cloud would have refused.
    assert_eq!(done["capabilities"], serde_json::json!(["CAPABILITY_NAMED_IAM"]));
    let events = String::from_utf8_lossy(&output.stdout).matches("\"event\":\"stack\"").count();
    assert!(events >= 6, "live events: {events}");

    assert_eq!(done["action"], "create");
    let again = result(&place.deploy(&template, &[]).await);
    assert_eq!((&again["unchanged"], &again["stack_id"]), (&Value::Bool(true), &done["stack_id"]));
    assert_eq!(again["action"], "none");
    let gone = place.assay(&["delete", "--stack", "s", "--yes", "--json"]).await;
    assert_eq!(gone.status.code(), Some(0), "{}", said(&gone));
    assert_eq!(result(&gone)["status"], "DELETE_COMPLETE");
    let nothing = place.assay(&["delete", "--stack", "s", "--yes", "--json"]).await;
    assert_eq!((nothing.status.code(), &result(&nothing)["status"]), (Some(0), &Value::from("NOT_FOUND")));
    // A queue's name rests for 60 seconds after its deletion, so a log group shows that the same request can be made
    // again and that a deleted stack is not taken for a new one.
    let group = place.template("Resources:\n  G:\n    Type: AWS::Logs::LogGroup\n");
    let first = result(&place.deploy(&group, &[]).await);
    assert_eq!(place.assay(&["delete", "--stack", "s", "--yes"]).await.status.code(), Some(0));
    let anew = result(&place.deploy(&group, &[]).await);
    assert_eq!(anew["status"], "CREATE_COMPLETE");
    assert_ne!(anew["stack_id"], first["stack_id"]);
    place.cloud.shutdown().await;
}

#[tokio::test]
async fn another_request_for_the_same_stack_updates_it() {
    let place = Place::new().await;
    let first = result(&place.deploy(&place.template(QUEUE), &[]).await);
    let longer = QUEUE.replace(
        "QueueName: !Sub '${AWS::StackName}-q'",
        "QueueName: !Sub '${AWS::StackName}-q', VisibilityTimeout: 77",
    );
    let template = place.template(&longer);
    let output = place.deploy(&template, &[]).await;
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let updated = result(&output);
    assert_eq!((&updated["action"], &updated["status"]), (&Value::from("update"), &Value::from("UPDATE_COMPLETE")));
    assert_eq!(updated["stack_id"], first["stack_id"]);
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(told.contains("UPDATE_IN_PROGRESS") && !told.contains("CREATE_IN_PROGRESS"), "only this operation: {told}");

    let same = result(&place.deploy(&template, &[]).await);
    assert_eq!((&same["action"], &same["unchanged"]), (&Value::from("none"), &Value::Bool(true)));
    // Another text that says the same: CloudFormation answers that nothing is to be updated.
    let reworded = place.template(&format!("{longer}# a remark\n"));
    let reworded = place.deploy(&reworded, &[]).await;
    assert_eq!(reworded.status.code(), Some(0), "{}", said(&reworded));
    assert_eq!(result(&reworded)["action"], "none");
    let tagged = result(&place.deploy(&template, &["--tag", "Owner=me"]).await);
    assert_eq!((&tagged["action"], &tagged["tags"]["Owner"]), (&Value::from("update"), &Value::from("me")));
    place.cloud.shutdown().await;
}

#[tokio::test]
async fn a_failed_update_names_its_own_cause_and_the_rollback_hides_nothing() {
    let place = Place::new().await;
    let good = BROKEN.replace("QueueName: twice, VisibilityTimeout: 7", "QueueName: other");
    assert_eq!(place.deploy(&place.template(&good), &[]).await.status.code(), Some(0));
    // Only a replacement that cannot be made fails here; early validation looks at new resources alone.
    let failing = "Resources:\n  First:\n    Type: AWS::SQS::Queue\n    Properties: {QueueName: twice, VisibilityTimeout: 7}\n  Second:\n    Type: AWS::SQS::Queue\n    DependsOn: First\n    Properties: {QueueName: twice, VisibilityTimeout: 8}\n";
    let failed = place.deploy(&place.template(failing), &[]).await;
    assert_eq!(failed.status.code(), Some(20), "{}", said(&failed));
    let text = said(&failed);
    for part in
        ["UPDATE_ROLLBACK_COMPLETE", "root cause: Second (AWS::SQS::Queue) UPDATE_FAILED", "is as it was before"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let mended = result(&place.deploy(&place.template(&good), &["--tag", "Owner=me"]).await);
    assert_eq!(mended["status"], "UPDATE_COMPLETE");
    place.cloud.shutdown().await;
}

#[tokio::test]
async fn lost_answers_and_a_name_that_is_still_taken_end_in_one_stack() {
    let place = Place::new().await;
    let template = place.template("Resources:\n  G:\n    Type: AWS::Logs::LogGroup\n");
    let fault = |operation: &str, effect: &str| {
        let text = format!("rules:\n  - {{operation: {operation}, when: {{nth: 1}}, effect: {effect}}}\n");
        place.cloud.set_faults(localcloud::fault::Script::from_yaml("script", &text).expect("script"));
    };
    fault("CreateStack", "drop_after");
    let made = place.deploy(&template, &[]).await;
    assert_eq!(made.status.code(), Some(0), "{}", said(&made));
    fault("UpdateStack", "drop_after");
    let changed = place.deploy(&template, &["--tag", "Owner=me"]).await;
    assert_eq!((changed.status.code(), &result(&changed)["action"]), (Some(0), &Value::from("update")));
    assert_eq!(place.assay(&["delete", "--stack", "s", "--yes"]).await.status.code(), Some(0));
    // A deletion that has not reached every part of CloudFormation: the name is said to be taken, and is not.
    fault("CreateStack", "{error: {status: 400, code: AlreadyExistsException}}");
    let anew = place.deploy(&template, &[]).await;
    assert_eq!((anew.status.code(), &result(&anew)["action"]), (Some(0), &Value::from("create")), "{}", said(&anew));
    place.cloud.shutdown().await;
}

#[tokio::test]
async fn a_queue_name_that_still_rests_is_told_as_such() {
    let place = Place::new().await;
    let template = place.template(QUEUE);
    assert_eq!(place.deploy(&template, &[]).await.status.code(), Some(0));
    assert_eq!(place.assay(&["delete", "--stack", "s", "--yes"]).await.status.code(), Some(0));
    let soon = place.deploy(&template, &[]).await;
    assert_eq!(soon.status.code(), Some(20));
    assert!(said(&soon).contains("wait 60 s and give the same command again"), "{}", said(&soon));
    place.cloud.shutdown().await;
}

#[tokio::test]
async fn shells_and_strangers_are_left_alone_and_a_plan_makes_neither() {
    let place = Place::new().await;
    let client = crate::support::cloudformation(&place.cloud.endpoint());
    let body = "Resources:\n  G:\n    Type: AWS::Logs::LogGroup\n";
    let shell = client.create_change_set().stack_name("s").change_set_name("c").template_body(body);
    shell.change_set_type(aws_sdk_cloudformation::types::ChangeSetType::Create).send().await.expect("a shell");
    let template = place.template(body);
    let refused = place.deploy(&template, &[]).await;
    assert_eq!(refused.status.code(), Some(64));
    assert!(said(&refused).contains("empty shell of a change set"), "{}", said(&refused));
    let gone = place.assay(&["delete", "--stack", "s", "--any", "--yes", "--json"]).await;
    assert_eq!((gone.status.code(), &result(&gone)["status"]), (Some(0), &Value::from("DELETE_COMPLETE")));

    client.create_stack().stack_name("s").template_body(body).send().await.expect("a stack");
    let foreign = place.deploy(&template, &[]).await;
    assert_eq!(foreign.status.code(), Some(64), "{}", said(&foreign));
    assert!(said(&foreign).contains("was not deployed by assay"), "{}", said(&foreign));
    let kept = place.assay(&["delete", "--stack", "s", "--yes"]).await;
    assert_eq!(kept.status.code(), Some(64));
    assert!(said(&kept).contains("--any"), "{}", said(&kept));

    let before = place.cloud.calls();
    let protocol = concat!(env!("CARGO_MANIFEST_DIR"), "/protocols/study-1.yaml");
    for _ in 0..2 {
        let plan = place.assay(&["plan", protocol]).await;
        assert_eq!(plan.status.code(), Some(0), "{}", said(&plan));
    }
    assert_eq!(place.cloud.calls(), before, "a plan calls nothing");
    place.cloud.shutdown().await;
}

/// Case 42: another's operation on the stack is named as far as it can be known.
#[tokio::test]
async fn a_busy_stack_names_who_holds_it() {
    let place = Place::new().await;
    let script = "rules:\n  - {service: cloudformation, operation: CreateStack, effect: half_created_stack}\n";
    place.cloud.set_faults(localcloud::fault::Script::from_yaml("script", script).expect("script"));
    let client = crate::support::cloudformation(&place.cloud.endpoint());
    let tag = |key: &str, value: &str| aws_sdk_cloudformation::types::Tag::builder().key(key).value(value).build();
    let create = client.create_stack().stack_name("s").template_body(QUEUE);
    let create = create.capabilities(aws_sdk_cloudformation::types::Capability::CapabilityNamedIam);
    create.tags(tag("assay:run", "r7")).tags(tag("assay:owner", "me")).send().await.expect("a stack");
    let busy = place.deploy(&place.template(QUEUE), &[]).await;
    assert_eq!(busy.status.code(), Some(64), "{}", said(&busy));
    for part in
        ["stack s is CREATE_IN_PROGRESS since 2", "its last event at 2", "held by run r7, owner me", "wait for it"]
    {
        assert!(said(&busy).contains(part), "{part}: {}", said(&busy));
    }
    place.cloud.shutdown().await;
}

#[tokio::test]
async fn a_failed_deploy_names_its_root_cause_and_is_replaced_when_mended() {
    let place = Place::new().await;
    let failed = place.deploy(&place.template(BROKEN), &[]).await;
    assert_eq!(failed.status.code(), Some(20), "{}", said(&failed));
    let text = said(&failed);
    assert!(text.contains("root cause: Second (AWS::SQS::Queue)"), "{text}");
    assert!(text.contains("assay delete --stack s"), "{text}");

    let foreign = place.template(QUEUE).display().to_string();
    let other = ["deploy", &foreign, "--stack", "s", "--tag", "CostCenter=other", "--yes"];
    let other = place.assay(&other).await;
    assert_eq!(other.status.code(), Some(64));
    assert!(
        said(&other).contains("Second") && said(&other).contains("assay delete --stack s --any"),
        "{}",
        said(&other)
    );

    let mended = place.deploy(&place.template(QUEUE), &[]).await;
    assert_eq!(mended.status.code(), Some(0), "{}", said(&mended));
    assert_eq!(result(&mended)["status"], "CREATE_COMPLETE");
    place.cloud.shutdown().await;
}

#[tokio::test]
async fn early_validation_is_told_with_resource_and_reason() {
    let place = Place::new().await;
    let queue = "Resources:\n  Q:\n    Type: AWS::SQS::Queue\n    Properties: {QueueName: taken}\n";
    assert_eq!(place.deploy(&place.template(queue), &[]).await.status.code(), Some(0));
    let template = place.template(queue).display().to_string();
    let second = place.assay(&["deploy", &template, "--stack", "t", "--tag", "k=v", "--yes"]).await;
    assert_eq!(second.status.code(), Some(20));
    let text = said(&second);
    for part in ["root cause: Q (AWS::SQS::Queue)", "NAME_CONFLICT_VALIDATION", "'taken' already exists"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    place.cloud.shutdown().await;
}

#[tokio::test]
async fn a_stack_of_a_run_or_of_somebody_else_is_not_deleted() {
    let place = Place::new().await;
    let refused = place.deploy(&place.template(QUEUE), &["--tag", "assay:run=r"]).await;
    assert_eq!(refused.status.code(), Some(64));
    assert!(said(&refused).contains("`assay:` is this tool's own"), "{}", said(&refused));
    let nobody = place.assay(&["deploy", "none.yaml", "--stack", "s", "--tag", "k=v"]).await;
    assert_eq!(nobody.status.code(), Some(64));
    place.cloud.shutdown().await;
}

/// Case 23: before the question, for whoever decides.
#[tokio::test]
async fn what_a_deletion_would_orphan_is_said_before_it_is_asked() {
    let place = Place::new().await;
    let kept = "Resources:
  Keep: {Type: 'AWS::Logs::LogGroup', DeletionPolicy: Retain, Properties: {LogGroupName: /kept}}
  Spare: {Type: 'AWS::Logs::LogGroup', DeletionPolicy: RetainExceptOnCreate, Properties: {LogGroupName: /spared}}
  Go: {Type: 'AWS::Logs::LogGroup', Properties: {LogGroupName: /gone}}
";
    let deployed = place.deploy(&place.template(kept), &[]).await;
    assert_eq!(deployed.status.code(), Some(0), "{}", said(&deployed));
    let asked = place.assay(&["delete", "--stack", "s"]).await;
    assert_eq!(asked.status.code(), Some(64), "nobody answers: {}", said(&asked));
    let text = said(&asked).split_whitespace().collect::<Vec<_>>().join(" ");
    for line in ["will orphan Keep (AWS::Logs::LogGroup) /kept", "will orphan Spare (AWS::Logs::LogGroup) /spared"] {
        assert!(text.contains(line), "{text}");
    }
    assert!(!text.contains("/gone"), "{text}");
    place.cloud.shutdown().await;
}

/// Case 86: Lambda would refuse it after the rest of the stack was made.
#[tokio::test]
async fn a_queue_that_is_impatient_with_its_function_is_refused_before_anything_is_sent() {
    let place = Place::new().await;
    let template = "Resources:
  Q: {Type: 'AWS::SQS::Queue', Properties: {VisibilityTimeout: 60}}
  F:
    Type: AWS::Lambda::Function
    Properties: {Timeout: 120, Runtime: provided.al2023, Handler: h, Role: r, Code: {S3Bucket: b, S3Key: k}}
  M:
    Type: AWS::Lambda::EventSourceMapping
    Properties: {EventSourceArn: !GetAtt Q.Arn, FunctionName: !Ref F}
";
    let refused = place.deploy(&place.template(template), &[]).await;
    assert_eq!(refused.status.code(), Some(64), "{}", said(&refused));
    assert!(said(&refused).contains("60 s is shorter than the function's timeout of 120 s"), "{}", said(&refused));
    assert!(!place.cloud.calls().keys().any(|(_, operation)| operation == "CreateStack"));
    place.cloud.shutdown().await;
}

#[tokio::test]
async fn a_long_template_goes_through_s3() {
    let place = Place::new().await;
    let bucket = "Resources:\n  B:\n    Type: AWS::S3::Bucket\n    Properties: {BucketName: long-templates}\n";
    assert_eq!(place.deploy(&place.template(bucket), &[]).await.status.code(), Some(0));
    let long = format!("{QUEUE}# {}\n", "x".repeat(52_000));
    let template = place.template(&long).display().to_string();
    let start = ["deploy", &template, "--stack", "t", "--tag", "k=v", "--yes", "--json"];
    let refused = place.assay(&start).await;
    assert_eq!(refused.status.code(), Some(64));
    assert!(said(&refused).contains("--bucket"), "{}", said(&refused));
    let sent = place.assay(&[&start[..], &["--bucket", "long-templates"]].concat()).await;
    assert_eq!(sent.status.code(), Some(0), "{}", said(&sent));
    assert_eq!(result(&sent)["sent"], "s3");
    place.cloud.shutdown().await;
}
