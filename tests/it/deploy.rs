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

    let again = result(&place.deploy(&template, &[]).await);
    assert_eq!((&again["unchanged"], &again["stack_id"]), (&Value::Bool(true), &done["stack_id"]));
    let other = place.deploy(&template, &["--tag", "Owner=me"]).await;
    assert_eq!(other.status.code(), Some(64));
    assert!(
        said(&other).contains("exists already") && said(&other).contains("assay delete --stack s"),
        "{}",
        said(&other)
    );

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
