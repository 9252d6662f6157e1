//! The audit against a scripted account: empty unless a test says otherwise.

mod gate;
mod owners;

use super::{
    AllowRule, AuditLimits, AuditReport, AuditScope, DurableFunction, Finding, InventoryResource, InventoryStream,
    Kind, Overall, Verdict, Window, audit_at, render,
};
use crate::cloud::PageCap;
use crate::cloud::testing::{Reply, Request, Server};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

const ACCOUNT: &str = "000000000000";
const PREFIX: &str = "assay-r1-";
const STREAM: &str = "arn:aws:dynamodb:us-east-1:000000000000:table/assay-r1-provider-journal/stream/2026";
const STACK: &str = "arn:aws:cloudformation:us-east-1:000000000000:stack/assay-r1-provider/1";
/// 2026-11-30T20:00:00Z.
const DELETED_MS: i64 = 1_796_068_800_000;
const MINUTE: i64 = 60_000;

fn empty(request: &Request) -> Reply {
    for operation in ["ListStacks", "ListStackResources", "DescribeStackEvents", "ListPolicies"] {
        if request.is(operation) {
            return Reply::query(operation, "");
        }
    }
    if request.is("ListRoles") {
        return Reply::query("ListRoles", &format!("<Roles>{}</Roles>", role("AWSServiceRoleForSupport")));
    }
    if request.is("DescribeStacks") {
        return Reply::query_error("ValidationError", "Stack with id x does not exist");
    }
    if request.is("GetRole") {
        return Reply::query_error("NoSuchEntity", "no such role");
    }
    let not_found = ["DescribeTable", "DescribeStream"].iter().any(|op| request.is(op));
    if not_found || request.line.contains("/configuration") || request.line.contains("durable-executions") {
        let body = r#"{"__type":"ResourceNotFoundException","message":"gone"}"#;
        return Reply::status(if request.line.starts_with("GET") { 404 } else { 400 }, body);
    }
    if request.is("GetQueueUrl") {
        return Reply::json_error("QueueDoesNotExist", "gone");
    }
    if request.line.starts_with("HEAD") {
        return Reply::status(404, "");
    }
    Reply::ok("{}")
}

fn role(name: &str) -> String {
    format!(
        "<member><Path>/</Path><RoleName>{name}</RoleName><RoleId>i</RoleId>\
         <Arn>arn:aws:iam::{ACCOUNT}:role/{name}</Arn><CreateDate>2026-11-30T20:00:00Z</CreateDate></member>"
    )
}

fn scope() -> AuditScope {
    AuditScope {
        account: ACCOUNT.into(),
        regions: vec!["us-east-1".into()],
        tag: Some(("assay:run".into(), "r1".into())),
        prefix: Some(PREFIX.into()),
        run: Some("r1".into()),
        ..AuditScope::default()
    }
}

fn resource(resource_type: &str, physical_id: &str) -> InventoryResource {
    InventoryResource { resource_type: resource_type.into(), physical_id: physical_id.into() }
}

/// A scope with one stream of a deleted table.
fn with_stream() -> AuditScope {
    let mut scope = scope();
    let deleted = Some(Window { not_before_ms: Some(DELETED_MS), not_after_ms: Some(DELETED_MS) });
    scope.inventory.streams.push(InventoryStream { arn: STREAM.into(), deleted });
    scope
}

fn stream(request: &Request, status: &str) -> Option<Reply> {
    let described = format!(
        r#"{{"StreamDescription":{{"StreamArn":"{STREAM}","StreamStatus":"{status}","TableName":"assay-r1-provider-journal"}}}}"#
    );
    request.is("DescribeStream").then(|| Reply::ok(described))
}

fn indexed(request: &Request, arn: &str) -> Option<Reply> {
    let body = format!(r#"{{"ResourceTagMappingList":[{{"ResourceARN":"{arn}","Tags":[]}}]}}"#);
    request.is("GetResources").then(|| Reply::ok(body))
}

fn denied(request: &Request, operation: &str) -> Option<Reply> {
    request.is(operation).then(|| Reply::json_error("AccessDeniedException", "not allowed"))
}

type Override = dyn Fn(&Request) -> Option<Reply> + Send + Sync;

async fn run_with(
    scope: &AuditScope,
    now_ms: i64,
    limits: AuditLimits,
    over: impl Fn(&Request) -> Option<Reply> + Send + Sync + 'static,
) -> (AuditReport, Server) {
    let over: Box<Override> = Box::new(over);
    let server = Server::start(move |request| over(request).unwrap_or_else(|| empty(request))).await;
    let clients = server.clients().await;
    let report = audit_at(scope, &clients, limits, &CancellationToken::new(), || now_ms).await;
    (report, server)
}

async fn run(scope: &AuditScope, over: impl Fn(&Request) -> Option<Reply> + Send + Sync + 'static) -> AuditReport {
    run_with(scope, DELETED_MS + MINUTE, AuditLimits::default(), over).await.0
}

fn only(report: &AuditReport) -> &Finding {
    assert_eq!(report.findings.len(), 1, "{}", render(report));
    &report.findings[0]
}

#[tokio::test]
async fn an_empty_account_is_clean_and_the_certificate_says_what_was_read() {
    let report = run(&scope(), |_| None).await;
    assert_eq!((report.overall, report.findings.len()), (Overall::Clean, 0), "{}", render(&report));
    let cells: Vec<_> = report.certificate.cells.iter().map(|c| c.operation.as_str()).collect();
    for operation in ["GetResources", "ListStacks", "ListQueues", "ListRoles", "DescribeLogGroups", "ListStreams"] {
        assert!(cells.contains(&operation), "{operation} in {cells:?}");
    }
    assert!(report.certificate.is_whole());
}

#[tokio::test]
async fn an_audit_that_looks_nowhere_is_not_clean() {
    let nowhere = AuditScope { regions: Vec::new(), ..scope() };
    assert_eq!(run(&nowhere, |_| None).await.overall, Overall::Inconclusive);
}

#[tokio::test]
async fn what_only_the_index_lists_is_a_ghost_and_a_denial_is_not() {
    let arn = "arn:aws:sqs:us-east-1:000000000000:assay-r1-requests.fifo";
    let ghost = run(&scope(), move |r| indexed(r, arn)).await;
    assert_eq!((&only(&ghost).verdict, ghost.overall), (&Verdict::Ghost, Overall::Clean));
    let denied = run(&scope(), move |r| indexed(r, arn).or_else(|| denied(r, "GetQueueUrl"))).await;
    assert_eq!((&only(&denied).verdict, denied.overall), (&Verdict::Unknown, Overall::Inconclusive));
    assert_eq!(denied.certificate.unread().map(|c| c.operation.as_str()).collect::<Vec<_>>(), ["GetQueueUrl"]);
}

#[tokio::test]
async fn a_role_is_found_by_prefix_though_the_index_knows_none() {
    let report = run(&scope(), |r| {
        r.is("ListRoles").then(|| Reply::query("ListRoles", &format!("<Roles>{}</Roles>", role("assay-r1-x"))))
    })
    .await;
    assert_eq!((&only(&report).verdict, &only(&report).kind), (&Verdict::Leak, &Kind::Role));
    assert_eq!(only(&report).next.as_deref(), Some("aws iam delete-role --role-name assay-r1-x"));
}

#[tokio::test]
async fn an_untagged_log_group_that_lambda_made_is_a_leak() {
    let report = run(&scope(), |r| {
        let body = r#"{"logGroups":[{"logGroupName":"/aws/lambda/assay-r1-provider"}]}"#;
        (r.is("DescribeLogGroups") && r.has(r#""/aws/lambda/assay-r1-""#)).then(|| Reply::ok(body))
    })
    .await;
    assert_eq!((&only(&report).verdict, only(&report).id.as_str()), (&Verdict::Leak, "/aws/lambda/assay-r1-provider"));
}

#[tokio::test]
async fn a_deleted_tables_stream_is_residue_for_24_hours_and_a_leak_after() {
    let day = 24 * 60 * MINUTE;
    let until = Verdict::ExpectedUntil { at_ms: DELETED_MS + day };
    for (age, verdict, overall) in [
        (3 * 60 * MINUTE, until.clone(), Overall::CleanWithResidue),
        (day - MINUTE, until, Overall::CleanWithResidue),
        (day + MINUTE, Verdict::Leak, Overall::Leak),
    ] {
        let limits = AuditLimits::default();
        let (report, _) = run_with(&with_stream(), DELETED_MS + age, limits, |r| stream(r, "DISABLED")).await;
        assert_eq!((&only(&report).verdict, report.overall), (&verdict, overall), "{age}");
    }
    let report = run(&with_stream(), |r| stream(r, "ENABLED")).await;
    assert_eq!(only(&report).verdict, Verdict::Leak);
}

#[tokio::test]
async fn a_stream_that_only_its_name_makes_ours_is_unknown_until_its_tags_prove_it() {
    let listed = |r: &Request| {
        let list = format!(
            r#"{{"Streams":[{{"StreamArn":"{STREAM}"}},{{"StreamArn":"{}"}}]}}"#,
            STREAM.replace("assay-r1", "other")
        );
        r.is("ListStreams").then(|| Reply::ok(list)).or_else(|| stream(r, "DISABLED"))
    };
    let report = run(&scope(), listed).await;
    assert_eq!((&only(&report).verdict, report.overall), (&Verdict::Unknown, Overall::Inconclusive));
    let tags = r#"{"Tags":[{"Key":"assay:run","Value":"r1"}]}"#;
    let report =
        run(&scope(), move |r| r.is("ListTagsOfResource").then(|| Reply::ok(tags)).or_else(|| listed(r))).await;
    assert!(only(&report).reason.contains("when its table was deleted is not known"), "{}", render(&report));
}

#[tokio::test]
async fn stack_events_tell_when_a_table_went() {
    let mut scope = scope();
    scope.inventory.stacks.push(STACK.into());
    scope.inventory.resources.push(resource("AWS::DynamoDB::Table", "assay-r1-provider-journal"));
    let (report, _) = run_with(&scope, DELETED_MS + 25 * 60 * MINUTE, AuditLimits::default(), |r| {
        deleted_stack(r, "AWS::DynamoDB::Table", "assay-r1-provider-journal", "DELETE_COMPLETE").or_else(|| {
            let list = format!(r#"{{"Streams":[{{"StreamArn":"{STREAM}"}}]}}"#);
            r.is("ListStreams").then(|| Reply::ok(list)).or_else(|| stream(r, "DISABLED"))
        })
    })
    .await;
    assert_eq!((&only(&report).kind, &only(&report).verdict), (&Kind::Stream, &Verdict::Leak), "{}", render(&report));
}

/// One deleted stack with one resource.
fn deleted_stack(r: &Request, resource_type: &str, physical_id: &str, status: &str) -> Option<Reply> {
    let time = "2026-11-30T20:00:00Z";
    if r.is("ListStacks") {
        return Some(Reply::query(
            "ListStacks",
            &format!(
                "<StackSummaries><member><StackId>{STACK}</StackId><StackName>assay-r1-provider</StackName>\
             <CreationTime>{time}</CreationTime><DeletionTime>{time}</DeletionTime>\
             <StackStatus>DELETE_COMPLETE</StackStatus></member></StackSummaries>"
            ),
        ));
    }
    if r.is("ListStackResources") {
        return Some(Reply::query(
            "ListStackResources",
            &format!(
                "<StackResourceSummaries><member><LogicalResourceId>L</LogicalResourceId>\
             <PhysicalResourceId>{physical_id}</PhysicalResourceId><ResourceType>{resource_type}</ResourceType>\
             <LastUpdatedTimestamp>{time}</LastUpdatedTimestamp><ResourceStatus>{status}</ResourceStatus>\
             </member></StackResourceSummaries>"
            ),
        ));
    }
    r.is("DescribeStackEvents").then(|| {
        let event = |id, status| format!(
            "<member><StackId>{STACK}</StackId><EventId>{id}</EventId><StackName>s</StackName><LogicalResourceId>L</LogicalResourceId>\
             <Timestamp>{time}</Timestamp><ResourceStatus>{status}</ResourceStatus></member>"
        );
        let events = event("2", "DELETE_COMPLETE") + &event("1", "DELETE_IN_PROGRESS");
        Reply::query("DescribeStackEvents", &format!("<StackEvents>{events}</StackEvents>"))
    })
}

#[tokio::test]
async fn delete_complete_is_not_proof() {
    let bucket = |r: &Request| {
        let answer = |root: &str| Reply::ok(format!("<{root}><IsTruncated>false</IsTruncated></{root}>"));
        let contents = |r: &Request| match () {
            () if r.line.contains("?versions") => answer("ListVersionsResult"),
            () if r.line.contains("?uploads") => answer("ListMultipartUploadsResult"),
            () => Reply::ok(""),
        };
        deleted_stack(r, "AWS::S3::Bucket", "assay-r1-artifacts", "DELETE_COMPLETE")
            .or_else(|| r.line.contains("/assay-r1-artifacts").then(|| contents(r)))
    };
    let report = run(&scope(), bucket).await;
    assert_eq!((&only(&report).kind, &only(&report).verdict), (&Kind::Bucket, &Verdict::Leak));
    assert!(only(&report).reason.contains("0 versions"), "{}", render(&report));
}

#[tokio::test]
async fn retained_resources_are_counted() {
    let report = run(&scope(), |r| {
        let table = r#"{"Table":{"TableName":"kept","TableArn":"a","TableStatus":"ACTIVE"}}"#;
        deleted_stack(r, "AWS::DynamoDB::Table", "kept", "DELETE_SKIPPED")
            .or_else(|| r.is("DescribeTable").then(|| Reply::ok(table)))
    })
    .await;
    assert_eq!((only(&report).id.as_str(), &only(&report).verdict), ("kept", &Verdict::Leak));
}

#[tokio::test]
async fn a_queue_may_answer_for_a_minute_after_its_deletion() {
    let name = "assay-r1-requests.fifo";
    let answer = |r: &Request| {
        deleted_stack(r, "AWS::SQS::Queue", "https://q/0/assay-r1-requests.fifo", "DELETE_COMPLETE")
            .or_else(|| r.is("GetQueueUrl").then(|| Reply::ok(r#"{"QueueUrl":"https://q/0/assay-r1-requests.fifo"}"#)))
            .or_else(|| {
                r.is("ListQueues").then(|| Reply::ok(r#"{"QueueUrls":["https://q/0/assay-r1-requests.fifo"]}"#))
            })
    };
    let limits = AuditLimits::default();
    let (soon, _) = run_with(&scope(), DELETED_MS + 30_000, limits, answer).await;
    assert_eq!((only(&soon).id.as_str(), soon.overall), (name, Overall::CleanWithResidue));
    let (late, _) = run_with(&scope(), DELETED_MS + 61_000, limits, answer).await;
    assert_eq!(only(&late).verdict, Verdict::Leak);
}

#[tokio::test]
async fn a_denied_type_is_named_and_a_leak_outranks_it() {
    let report = run(&scope(), |r| denied(r, "ListQueues")).await;
    assert_eq!(report.overall, Overall::Inconclusive);
    assert!(render(&report).contains("not read      us-east-1 sqs ListQueues"), "{}", render(&report));
    let both = run(&scope(), |r| {
        let roles = || Reply::query("ListRoles", &format!("<Roles>{}</Roles>", role("assay-r1-x")));
        denied(r, "ListQueues").or_else(|| r.is("ListRoles").then(roles))
    })
    .await;
    assert_eq!(both.overall, Overall::Leak);
}

#[tokio::test]
async fn throttling_once_is_nothing_and_for_ever_is_unknown() {
    let calls = AtomicUsize::new(0);
    let once = run(&scope(), move |r| {
        let throttle = r.is("GetResources") && calls.fetch_add(1, Ordering::SeqCst) == 0;
        throttle.then(|| Reply::json_error("ThrottledException", "Rate exceeded"))
    })
    .await;
    assert_eq!(once.overall, Overall::Clean, "{}", render(&once));
    let mut scope = scope();
    scope.inventory.stacks.push(STACK.into());
    let ever = run(&scope, |r| r.is("DescribeStacks").then(|| Reply::query_error("Throttling", "Rate exceeded"))).await;
    assert_eq!((&only(&ever).verdict, ever.overall), (&Verdict::Unknown, Overall::Inconclusive));
    assert!(ever.certificate.unread().any(|c| c.operation == "DescribeStacks"));
}

#[tokio::test]
async fn the_page_cap_is_unread_and_never_a_short_list() {
    let page = r#"{"ResourceTagMappingList":[],"PaginationToken":"TOKEN"}"#;
    let count = Arc::new(AtomicUsize::new(0));
    let limits = AuditLimits { cap: PageCap(3), ..AuditLimits::default() };
    let (report, server) = run_with(&scope(), DELETED_MS, limits, move |r| {
        let n = count.fetch_add(1, Ordering::SeqCst);
        r.is("GetResources").then(|| Reply::ok(page.replace("TOKEN", &format!("t{n}"))))
    })
    .await;
    assert_eq!(report.overall, Overall::Inconclusive);
    assert_eq!(server.count("GetResources"), 3);
}

#[tokio::test]
async fn what_a_rule_allows_is_not_read_and_unused_rules_are_warned_about() {
    let rule =
        |resource: &str| AllowRule { resource: resource.into(), owner: "payments".into(), expires_at_ms: i64::MAX };
    let scope = AuditScope { allow: vec![rule("assay-r1-kept"), rule("nobody")], ..scope() };
    let arn = "arn:aws:sqs:us-east-1:000000000000:assay-r1-kept";
    let limits = AuditLimits::default();
    let (report, server) =
        run_with(&scope, DELETED_MS, limits, move |r| indexed(r, arn).or_else(|| denied(r, "GetQueueUrl"))).await;
    assert!(matches!(&only(&report).verdict, Verdict::Allowed { owner, .. } if owner == "payments"));
    assert_eq!((report.overall, server.count("GetQueueUrl")), (Overall::Clean, 0));
    assert_eq!(report.warnings, ["the allow rule for nobody (owner payments) is not used"]);
}

#[tokio::test]
async fn a_review_shell_is_a_leak() {
    let report = run(&scope(), |r| {
        let inner = format!(
            "<StackSummaries><member><StackId>{STACK}</StackId><StackName>assay-r1-provider</StackName>\
             <CreationTime>2026-11-30T20:00:00Z</CreationTime><StackStatus>REVIEW_IN_PROGRESS</StackStatus></member></StackSummaries>"
        );
        r.is("ListStacks").then(|| Reply::query("ListStacks", &inner))
    })
    .await;
    assert_eq!((&only(&report).kind, &only(&report).verdict), (&Kind::Stack, &Verdict::Leak));
    assert_eq!(only(&report).next.as_deref(), Some("assay teardown r1"));
}

#[tokio::test]
async fn a_stack_that_vanished_between_two_calls_is_gone() {
    let mut scope = scope();
    scope.inventory.stacks.push(STACK.into());
    assert_eq!(run(&scope, |_| None).await.overall, Overall::Clean);
}

#[tokio::test]
async fn the_second_reading_finds_what_appears_late() {
    let calls = AtomicUsize::new(0);
    let limits = AuditLimits { settle: Duration::from_millis(1), ..AuditLimits::default() };
    let (report, _) = run_with(&scope(), DELETED_MS, limits, move |r| {
        let asked = r.is("DescribeLogGroups") && r.has(r#""/aws/lambda/assay-r1-""#);
        let body = r#"{"logGroups":[{"logGroupName":"/aws/lambda/assay-r1-provider"}]}"#;
        (asked && calls.fetch_add(1, Ordering::SeqCst) > 0).then(|| Reply::ok(body))
    })
    .await;
    assert!(only(&report).late && report.readings == 2);
    assert_eq!(report.overall, Overall::Leak);
}

#[tokio::test]
async fn an_interrupted_audit_is_never_clean() {
    let server = Server::start(empty).await;
    let cancel = CancellationToken::new();
    cancel.cancel();
    let limits = AuditLimits { settle: Duration::from_secs(60), ..AuditLimits::default() };
    let report = audit_at(&scope(), &server.clients().await, limits, &cancel, || DELETED_MS).await;
    assert_eq!(report.overall, Overall::Inconclusive);
}

#[tokio::test]
async fn running_executions_and_orphaned_mappings_are_leaks() {
    let mut scope = scope();
    scope
        .inventory
        .durable
        .push(DurableFunction { name: "assay-r1-durable-caller".into(), versions: vec!["1".into()] });
    let report = run(&scope, |r| {
        let execution = r#"{"DurableExecutions":[{"DurableExecutionArn":"arn:aws:lambda:us-east-1:000000000000:function:f:1/durable-execution/a/b",
            "DurableExecutionName":"a","FunctionArn":"f","Status":"RUNNING","StartTimestamp":1}]}"#;
        let mapping = r#"{"EventSourceMappings":[{"UUID":"u-1","State":"Enabled",
            "FunctionArn":"arn:aws:lambda:us-east-1:000000000000:function:assay-r1-durable-caller:live"},
            {"UUID":"u-2","State":"Enabled","FunctionArn":"arn:aws:lambda:us-east-1:000000000000:function:other"}]}"#;
        if r.line.contains("durable-executions") {
            return Some(Reply::ok(execution));
        }
        r.line.contains("event-source-mappings").then(|| Reply::ok(mapping))
    })
    .await;
    let found: Vec<_> = report.findings.iter().map(|f| (&f.kind, &f.verdict)).collect();
    assert_eq!(found, [(&Kind::Mapping, &Verdict::Leak), (&Kind::Execution, &Verdict::Leak)], "{}", render(&report));
}

#[tokio::test]
async fn a_type_without_native_look_up_is_unknown() {
    let report = run(&scope(), |r| indexed(r, "arn:aws:glue:us-east-1:000000000000:database/d")).await;
    assert_eq!((&only(&report).verdict, report.overall), (&Verdict::Unknown, Overall::Inconclusive));
}

#[tokio::test]
async fn a_table_made_again_beside_an_old_stream_gives_two_findings() {
    let report = run(&with_stream(), |r| {
        let table = r#"{"Table":{"TableName":"assay-r1-provider-journal","TableArn":"a","TableStatus":"ACTIVE","LatestStreamArn":"newer"}}"#;
        let names = r#"{"TableNames":["assay-r1-provider-journal"]}"#;
        stream(r, "DISABLED")
            .or_else(|| r.is("DescribeTable").then(|| Reply::ok(table)))
            .or_else(|| r.is("ListTables").then(|| Reply::ok(names)))
    })
    .await;
    let found: Vec<_> = report.findings.iter().map(|f| (&f.kind, &f.verdict)).collect();
    assert_eq!(found, [(&Kind::Table, &Verdict::Leak), (&Kind::Stream, &Verdict::Unknown)]);
}

#[tokio::test]
async fn expired_credentials_leave_every_cell_unread() {
    let report = run(&scope(), |r| {
        let query = r.body.contains("Action=");
        Some(if query {
            Reply::query_error("ExpiredToken", "x")
        } else {
            Reply::json_error("ExpiredTokenException", "x")
        })
    })
    .await;
    assert_eq!(report.overall, Overall::Inconclusive);
    assert_eq!(report.certificate.unread().count(), report.certificate.cells.len());
}

#[tokio::test]
async fn each_resource_is_looked_up_once_whatever_names_it() {
    let mut scope = scope();
    scope.inventory.resources.push(resource("AWS::SQS::Queue", "https://q/0/assay-r1-requests.fifo"));
    let limits = AuditLimits::default();
    let arn = "arn:aws:sqs:us-east-1:000000000000:assay-r1-requests.fifo";
    let (report, server) = run_with(&scope, DELETED_MS, limits, move |r| indexed(r, arn)).await;
    assert_eq!((&only(&report).verdict, server.count("GetQueueUrl")), (&Verdict::Ghost, 1));
}
