//! Teardown against a scripted CloudFormation and S3.

mod leave;
mod slow;

use super::{
    BucketEntry, FunctionEntry, Options, StackEntry, StackReport, StackResult, TeardownInput, TeardownLimits,
    TeardownOutcome, TeardownReport, teardown,
};
use crate::cloud::Pace;
use crate::cloud::testing::{Reply, Request, Server};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const ID: &str = "arn:aws:cloudformation:us-east-1:000000000000:stack/assay-x/1";

/// One stack and one bucket.
#[derive(Clone, Debug)]
struct Fake {
    /// Statuses that the looks after a deletion show; the last one stays.
    after_delete: Vec<&'static str>,
    status: &'static str,
    tag: &'static str,
    protected: bool,
    /// Logical id and status of each resource, once the stack is settled.
    resources: Vec<(&'static str, &'static str)>,
    objects: u32,
    refills: u32,
    deletes: usize,
    reply_to_delete: Option<Reply>,
    mapping: &'static str,
    running: bool,
    resource_type: &'static str,
    /// Members of `DescribeStackEvents`.
    events: String,
    template: &'static str,
    /// Somebody writes an object just before the first deletion.
    late_write: bool,
    mapping_denied: bool,
}

impl Default for Fake {
    fn default() -> Self {
        Self {
            after_delete: vec!["DELETE_IN_PROGRESS", "DELETE_COMPLETE"],
            status: "CREATE_COMPLETE",
            tag: "run-1",
            protected: false,
            resources: vec![("Queue", "DELETE_COMPLETE")],
            objects: 0,
            refills: 0,
            deletes: 0,
            reply_to_delete: None,
            mapping: "Enabled",
            running: true,
            resource_type: "AWS::SQS::Queue",
            events: EVENT.to_owned(),
            template: "Resources: {}",
            late_write: false,
            mapping_denied: false,
        }
    }
}

impl Fake {
    fn answer(&mut self, request: &Request) -> Reply {
        if request.is("DescribeStacks") {
            return self.describe();
        }
        if request.is("DeleteStack") {
            self.deletes += 1;
            self.objects += u32::from(std::mem::take(&mut self.late_write));
            return self.reply_to_delete.take().unwrap_or_else(|| Reply::query("DeleteStack", ""));
        }
        if request.is("UpdateTerminationProtection") {
            self.protected = false;
            return Reply::query("UpdateTerminationProtection", &format!("<StackId>{ID}</StackId>"));
        }
        if request.is("ListStackResources") {
            return self.list_resources();
        }
        if request.is("DescribeStackEvents") {
            return Reply::query("DescribeStackEvents", &format!("<StackEvents>{}</StackEvents>", self.events));
        }
        if request.is("GetTemplate") {
            return Reply::query("GetTemplate", &format!("<TemplateBody>{}</TemplateBody>", self.template));
        }
        if request.line.contains("/event-source-mappings/") {
            return self.mapping(request);
        }
        if request.line.contains("durable-executions") {
            return self.executions(request);
        }
        self.s3(request)
    }

    /// Switching off takes one look.
    fn mapping(&mut self, request: &Request) -> Reply {
        if self.mapping_denied {
            return Reply::status(403, r#"{"__type":"AccessDeniedException","message":"not allowed"}"#);
        }
        let state = self.mapping;
        self.mapping = match (request.line.starts_with("PUT"), state) {
            (true, _) => "Disabling",
            (false, "Disabling") => "Disabled",
            (false, state) => state,
        };
        Reply::ok(format!(r#"{{"UUID":"u-1","State":"{state}"}}"#))
    }

    fn executions(&mut self, request: &Request) -> Reply {
        if request.line.starts_with("POST") {
            self.running = false;
            return Reply::ok(r#"{"StopTimestamp":1}"#);
        }
        let running = r#"{"DurableExecutionArn":"arn:aws:lambda:us-east-1:000000000000:function:f:1/durable-execution/a/b",
            "DurableExecutionName":"a","FunctionArn":"f","Status":"RUNNING","StartTimestamp":1}"#;
        Reply::ok(format!(r#"{{"DurableExecutions":[{}]}}"#, if self.running { running } else { "" }))
    }

    fn describe(&mut self) -> Reply {
        if self.deletes > 0 && !self.after_delete.is_empty() {
            self.status = if self.after_delete.len() > 1 { self.after_delete.remove(0) } else { self.after_delete[0] };
        }
        if self.status == "EXPIRED" {
            return Reply::query_error("ExpiredToken", "The security token included in the request is expired");
        }
        let (status, tag, protected) = (self.status, self.tag, self.protected);
        let inner = format!(
            "<Stacks><member><StackId>{ID}</StackId><StackName>assay-x</StackName><StackStatus>{status}</StackStatus>\
             <EnableTerminationProtection>{protected}</EnableTerminationProtection>\
             <Tags><member><Key>assay:run</Key><Value>{tag}</Value></member></Tags>\
             <CreationTime>2026-11-30T20:00:00.000Z</CreationTime></member></Stacks>"
        );
        Reply::query("DescribeStacks", &inner)
    }

    fn list_resources(&self) -> Reply {
        let members: String = self.resources.iter().map(|(logical, status)| format!(
            "<member><LogicalResourceId>{logical}</LogicalResourceId><PhysicalResourceId>p-{logical}</PhysicalResourceId>\
             <ResourceType>{}</ResourceType><ResourceStatus>{status}</ResourceStatus>\
             <ResourceStatusReason>because</ResourceStatusReason>\
             <LastUpdatedTimestamp>2026-11-30T20:00:00.000Z</LastUpdatedTimestamp></member>",
            self.resource_type
        )).collect();
        Reply::query("ListStackResources", &format!("<StackResourceSummaries>{members}</StackResourceSummaries>"))
    }

    fn s3(&mut self, request: &Request) -> Reply {
        let line = &request.line;
        if line.starts_with("HEAD /assay-bucket") {
            return Reply::ok("");
        }
        if line.contains("?versions") {
            let versions: String = (0..self.objects)
                .map(|n| format!("<DeleteMarker><Key>k{n}</Key><VersionId>v{n}</VersionId></DeleteMarker>"))
                .collect();
            return Reply::ok(format!(
                "<ListVersionsResult><IsTruncated>false</IsTruncated>{versions}</ListVersionsResult>"
            ));
        }
        if line.contains("?uploads") {
            return Reply::ok(
                "<ListMultipartUploadsResult><IsTruncated>false</IsTruncated></ListMultipartUploadsResult>",
            );
        }
        if line.contains("?delete") {
            self.objects = u32::from(self.refills > 0);
            self.refills = self.refills.saturating_sub(1);
            return Reply::ok("<DeleteResult></DeleteResult>");
        }
        Reply::query_error("NotExpected", line)
    }
}

const EVENT: &str = "<member><StackId>s</StackId><EventId>e1</EventId><StackName>assay-x</StackName>\
    <LogicalResourceId>assay-x</LogicalResourceId><Timestamp>2026-11-30T20:00:00.000Z</Timestamp>\
    <ResourceStatusReason>Delete canceled. Export E is in use by other-stack</ResourceStatusReason></member>";

fn input() -> TeardownInput {
    let stack = StackEntry { name: "assay-x".into(), id: Some(ID.into()), ..StackEntry::default() };
    TeardownInput {
        run: "run-1".into(),
        account: "000000000000".into(),
        run_tag: "assay:run".into(),
        stacks: vec![stack],
        ..TeardownInput::default()
    }
}

fn with_bucket(empty_buckets: bool) -> TeardownInput {
    let bucket = BucketEntry { name: "assay-bucket".into(), stack: "assay-x".into() };
    TeardownInput { buckets: vec![bucket], options: Options { empty_buckets, ..Options::default() }, ..input() }
}

fn limits() -> TeardownLimits {
    let ms = Duration::from_millis;
    let pace = Pace { interval: ms(1), ceiling: ms(3), timeout: Duration::from_secs(20), attempts: 40 };
    TeardownLimits { stack: pace, settle: pace, ..TeardownLimits::default() }
}

async fn run(fake: Fake, input: TeardownInput) -> (TeardownReport, Server) {
    run_with(fake, input, limits(), Arc::new(())).await
}

async fn run_with(
    fake: Fake,
    input: TeardownInput,
    limits: TeardownLimits,
    observer: Arc<dyn super::Observer>,
) -> (TeardownReport, Server) {
    let fake = Mutex::new(fake);
    let server = Server::start(move |request| fake.lock().expect("no panic").answer(request)).await;
    let clients = server.clients().await;
    let report = teardown(input, &clients, limits, &CancellationToken::new(), observer).await;
    (report, server)
}

fn only(report: &TeardownReport) -> &StackReport {
    assert_eq!(report.stacks.len(), 1);
    &report.stacks[0]
}

fn ids(resources: &[super::FailingResource]) -> Vec<&str> {
    resources.iter().map(|r| r.logical_id.as_str()).collect()
}

#[tokio::test]
async fn nothing_created_makes_no_call() {
    let (report, server) =
        run(Fake::default(), TeardownInput { run: "run-1".into(), ..TeardownInput::default() }).await;
    assert_eq!(report.outcome, TeardownOutcome::NothingToDo);
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn a_stack_is_done_only_when_its_id_says_so_and_the_first_delete_retains_nothing() {
    let (report, server) = run(Fake::default(), input()).await;
    assert_eq!((report.outcome, &only(&report).result), (TeardownOutcome::Complete, &StackResult::Deleted));
    let deletes: Vec<_> = server.requests().into_iter().filter(|r| r.is("DeleteStack")).collect();
    assert_eq!(deletes.len(), 1);
    assert!(!deletes[0].has("RetainResources") && deletes[0].has("assay-x%2F1"));
}

#[tokio::test]
async fn failing_resources_are_named_after_one_retry() {
    let fake = Fake {
        after_delete: vec!["DELETE_IN_PROGRESS", "DELETE_FAILED"],
        resources: vec![("Queue", "DELETE_COMPLETE"), ("Bucket", "DELETE_FAILED")],
        ..Fake::default()
    };
    let (report, server) = run(fake, input()).await;
    assert_eq!((report.outcome, &only(&report).result), (TeardownOutcome::Incomplete, &StackResult::Failed));
    assert_eq!(ids(&only(&report).failing), ["Bucket"]);
    assert_eq!(server.count("DeleteStack"), 2);
    assert_eq!(
        report.problems[0].reason,
        "DELETE_FAILED after 2 attempts: Bucket (because); --force-failed deletes the stack and leaves exactly these \
         behind (RetainResources, else FORCE_DELETE_STACK)"
    );
    assert_eq!(report.problems[0].next.as_deref(), Some("assay teardown run-1 --force-failed"));
}

#[tokio::test]
async fn a_cancelled_delete_stops_at_once_and_names_the_holder() {
    let fake = Fake { after_delete: vec!["CREATE_COMPLETE"], ..Fake::default() };
    let (report, server) = run(fake, input()).await;
    assert!(
        matches!(&only(&report).result, StackResult::Refused { holder } if holder.contains("in use by other-stack")),
        "{report:?}"
    );
    assert_eq!(server.count("DeleteStack"), 1);
    assert!(server.count("DescribeStacks") <= 3);
}

#[tokio::test]
async fn protection_is_lifted_only_when_asked() {
    let fake = Fake { protected: true, ..Fake::default() };
    let (report, server) = run(fake.clone(), input()).await;
    assert_eq!(report.outcome, TeardownOutcome::Refused);
    assert_eq!(server.count("DeleteStack") + server.count("UpdateTerminationProtection"), 0);
    assert_eq!(report.problems[0].next.as_deref(), Some("assay teardown run-1 --disable-protection"));
    let options = Options { disable_protection: true, ..Options::default() };
    let (report, server) = run(fake, TeardownInput { options, ..input() }).await;
    assert_eq!(report.outcome, TeardownOutcome::Complete);
    assert_eq!(server.count("UpdateTerminationProtection"), 1);
}

#[tokio::test]
async fn a_namesake_that_nothing_proves_to_be_ours_is_left_alone() {
    let mut input = input();
    input.stacks[0].id = None;
    input.stacks[0].create_token = Some("t-1".into());
    let (report, server) = run(Fake { tag: "run-2", ..Fake::default() }, input.clone()).await;
    assert_eq!(only(&report).result, StackResult::NotOurs);
    assert_eq!(server.count("DeleteStack"), 0);
    let (report, _) = run(Fake::default(), input).await;
    assert_eq!(report.outcome, TeardownOutcome::Complete, "the run's tag proves it");
}

#[tokio::test]
async fn resources_may_contradict_delete_complete() {
    let fake = Fake { resources: vec![("Bucket", "DELETE_FAILED")], ..Fake::default() };
    let (report, _) = run(fake, input()).await;
    assert!(matches!(only(&report).result, StackResult::Unknown { .. }));
    assert_eq!(report.outcome, TeardownOutcome::Incomplete);
    let fake = Fake { resources: vec![("Table", "DELETE_SKIPPED")], ..Fake::default() };
    let (report, _) = run(fake, input()).await;
    assert_eq!(report.outcome, TeardownOutcome::CompleteWithRetained);
    assert_eq!(ids(&only(&report).retained), ["Table"]);
}

#[tokio::test]
async fn expired_credentials_pause() {
    let fake = Fake { after_delete: vec!["DELETE_IN_PROGRESS", "EXPIRED"], ..Fake::default() };
    let (report, _) = run(fake, input()).await;
    assert_eq!((report.outcome, &only(&report).result), (TeardownOutcome::Paused, &StackResult::Paused));
    assert_eq!(report.problems[0].next.as_deref(), Some("assay teardown run-1"));
}

#[tokio::test]
async fn a_lost_reply_to_the_delete_is_asked_again_with_the_same_token() {
    let fake = Fake { reply_to_delete: Some(Reply::Drop), ..Fake::default() };
    let (report, server) = run(fake, input()).await;
    assert_eq!(report.outcome, TeardownOutcome::Complete);
    let tokens: Vec<_> = server
        .requests()
        .into_iter()
        .filter(|r| r.is("DeleteStack"))
        .map(|r| r.body.split("ClientRequestToken=").nth(1).unwrap_or_default().to_owned())
        .collect();
    assert_eq!(tokens.len(), 2);
    assert_eq!(tokens[0], tokens[1]);
}

#[tokio::test]
async fn a_stack_that_is_gone_needs_no_delete() {
    let (report, server) = run(Fake { status: "DELETE_COMPLETE", ..Fake::default() }, input()).await;
    assert_eq!((report.outcome, &only(&report).result), (TeardownOutcome::Complete, &StackResult::AlreadyGone));
    assert_eq!(server.count("DeleteStack"), 0);
}

#[tokio::test]
async fn a_full_bucket_holds_its_stack_unless_emptying_is_allowed() {
    let (report, server) = run(Fake { objects: 1, ..Fake::default() }, with_bucket(false)).await;
    assert_eq!(report.outcome, TeardownOutcome::Refused);
    assert_eq!(report.buckets[0].found, 1);
    assert_eq!(server.count("DeleteStack"), 0);
    assert_eq!(report.problems[0].next.as_deref(), Some("assay teardown run-1 --empty-buckets"));
}

#[tokio::test]
async fn a_bucket_that_fills_again_is_emptied_again_within_bounds() {
    let (report, _) = run(Fake { objects: 3, refills: 1, ..Fake::default() }, with_bucket(true)).await;
    assert_eq!(report.outcome, TeardownOutcome::Complete, "{report:?}");
    assert_eq!((report.buckets[0].found, report.buckets[0].deleted, report.buckets[0].rounds), (3, 4, 2));
    let (report, server) = run(Fake { objects: 1, refills: 999, ..Fake::default() }, with_bucket(true)).await;
    assert_eq!(report.outcome, TeardownOutcome::Refused);
    assert_eq!(server.count("DeleteStack"), 0);
    assert!(report.problems[0].reason.contains("after 5 rounds"), "{report:?}");
}

#[tokio::test]
async fn after_a_late_write_the_bucket_is_emptied_and_the_stack_deleted_again() {
    let fake = Fake {
        objects: 1,
        late_write: true,
        after_delete: vec!["DELETE_FAILED", "DELETE_IN_PROGRESS", "DELETE_COMPLETE"],
        ..Fake::default()
    };
    let (report, server) = run(fake, with_bucket(true)).await;
    assert_eq!(
        (report.outcome, &only(&report).result),
        (TeardownOutcome::Complete, &StackResult::Deleted),
        "{report:?}"
    );
    let emptied = server.requests().iter().filter(|r| r.line.contains("?delete")).count();
    assert_eq!((server.count("DeleteStack"), emptied), (2, 2));
}

#[tokio::test]
async fn a_step_that_fails_does_not_keep_the_others_from_being_done() {
    let input = TeardownInput { mappings: vec!["u-1".into()], ..input() };
    let (report, server) = run(Fake { mapping_denied: true, ..Fake::default() }, input).await;
    assert_eq!(only(&report).result, StackResult::Deleted, "{report:?}");
    assert_eq!((server.count("DeleteStack"), report.problems[0].subject.as_str()), (1, "u-1"));
}

#[tokio::test]
async fn running_executions_are_stopped_once_and_mappings_go_first() {
    let function = FunctionEntry { name: "f".into(), versions: vec!["1".into()] };
    let input = TeardownInput { functions: vec![function], mappings: vec!["u-1".into()], ..input() };
    let (report, server) = run(Fake::default(), input).await;
    assert_eq!((report.outcome, report.problems.len()), (TeardownOutcome::Complete, 0), "{report:?}");
    assert_eq!((report.executions_stopped.len(), report.mappings_disabled), (1, vec!["u-1".to_owned()]));
    let order: Vec<_> = server
        .requests()
        .iter()
        .filter(|r| r.line.starts_with("PUT") || r.line.contains("/stop") || r.is("DeleteStack"))
        .map(|r| r.line.split('/').nth(1).unwrap_or_default().to_owned())
        .collect();
    assert_eq!(order, ["2015-03-31", "2025-12-01", " HTTP"], "off, stopped, deleted");
}
