//! What the owning service says of types that no template here has: secrets, keys, network interfaces, and any other
//! type through Cloud Control.

use super::{
    AuditReport, AuditScope, DELETED_MS, Kind, MINUTE, Overall, Reply, Request, Verdict, deleted_stack, denied,
    indexed, only, render, resource, run, run_with, scope,
};
use crate::audit::AuditLimits;

const SECRET: &str = "arn:aws:secretsmanager:us-east-1:000000000000:secret:assay-r1-token-AbCdEf";
const KEY: &str = "arn:aws:kms:us-east-1:000000000000:key/1c2d3e4f";
const INTERFACE: &str = "arn:aws:ec2:us-east-1:000000000000:network-interface/eni-1";
const TOPIC: &str = "arn:aws:sns:us-east-1:000000000000:assay-r1-topic";
const DAY: i64 = 24 * 60 * MINUTE;

/// The index lists the ARN, its owner answers the operation with this.
async fn listed(arn: &'static str, operation: &'static str, reply: Reply) -> AuditReport {
    run(&scope(), move |r| indexed(r, arn).or_else(|| r.is(operation).then(|| reply.clone()))).await
}

fn until(at_ms: i64) -> Verdict {
    Verdict::ExpectedUntil { at_ms }
}

fn secret(deleted_s: Option<i64>) -> Reply {
    let deleted = deleted_s.map_or_else(String::new, |at| format!(r#","DeletedDate":{at}"#));
    Reply::ok(format!(r#"{{"ARN":"{SECRET}","Name":"assay-r1-token"{deleted}}}"#))
}

fn key(state: &str, deletion_s: Option<i64>) -> Reply {
    let deletion = deletion_s.map_or_else(String::new, |at| format!(r#","DeletionDate":{at}"#));
    Reply::ok(format!(r#"{{"KeyMetadata":{{"KeyId":"1c2d3e4f","KeyState":"{state}"{deletion}}}}}"#))
}

fn controlled(type_name: &str, id: &str, properties: &str) -> Reply {
    let properties = properties.replace('"', "\\\"");
    let description = format!(r#"{{"Identifier":"{id}","Properties":"{properties}"}}"#);
    Reply::ok(format!(r#"{{"TypeName":"{type_name}","ResourceDescription":{description}}}"#))
}

#[tokio::test]
async fn a_secret_scheduled_for_deletion_is_expected_until_its_window_ends() {
    let ends = DELETED_MS + 7 * DAY;
    let report = listed(SECRET, "DescribeSecret", secret(Some(ends / 1_000))).await;
    assert_eq!((&only(&report).verdict, report.overall), (&until(ends), Overall::CleanWithResidue));
    assert_eq!(only(&report).kind, Kind::Secret);

    let passed = listed(SECRET, "DescribeSecret", secret(Some(DELETED_MS / 1_000))).await;
    assert_eq!(only(&passed).verdict, until(DELETED_MS + 30 * DAY), "the longest window bounds a date that has passed");
    let over = listed(SECRET, "DescribeSecret", secret(Some((DELETED_MS - 31 * DAY) / 1_000))).await;
    assert_eq!((&only(&over).verdict, over.overall), (&Verdict::Leak, Overall::Leak));
}

#[tokio::test]
async fn a_secret_without_a_deletion_is_a_leak_and_a_gone_one_a_ghost() {
    let there = listed(SECRET, "DescribeSecret", secret(None)).await;
    assert_eq!(only(&there).verdict, Verdict::Leak);
    assert!(only(&there).next.as_deref().is_some_and(|next| next.contains("delete-secret")), "{}", render(&there));
    let gone = listed(SECRET, "DescribeSecret", Reply::json_error("ResourceNotFoundException", "gone")).await;
    assert_eq!((&only(&gone).verdict, gone.overall), (&Verdict::Ghost, Overall::Clean));
}

#[tokio::test]
async fn a_key_pending_deletion_is_expected_until_its_date() {
    let ends = DELETED_MS + 30 * DAY;
    let pending = listed(KEY, "DescribeKey", key("PendingDeletion", Some(ends / 1_000))).await;
    assert_eq!((&only(&pending).verdict, pending.overall), (&until(ends), Overall::CleanWithResidue));
    let over = listed(KEY, "DescribeKey", key("PendingDeletion", Some((DELETED_MS - DAY) / 1_000))).await;
    assert_eq!(only(&over).verdict, Verdict::Leak);
    let replicas = listed(KEY, "DescribeKey", key("PendingReplicaDeletion", None)).await;
    assert_eq!(only(&replicas).verdict, Verdict::Unknown, "no date until the last replica is gone");
    for state in ["Enabled", "Disabled"] {
        assert_eq!(only(&listed(KEY, "DescribeKey", key(state, None)).await).verdict, Verdict::Leak);
    }
    let gone = listed(KEY, "DescribeKey", Reply::json_error("NotFoundException", "gone")).await;
    assert_eq!(only(&gone).verdict, Verdict::Ghost);
}

#[tokio::test]
async fn any_type_is_read_through_cloud_control() {
    let there = listed(TOPIC, "GetResource", controlled("AWS::SNS::Topic", TOPIC, "{}")).await;
    assert_eq!((&only(&there).verdict, there.overall), (&Verdict::Leak, Overall::Leak));
    let next =
        format!("aws cloudcontrol delete-resource --type-name AWS::SNS::Topic --identifier {TOPIC} --region us-east-1");
    assert_eq!(only(&there).next, Some(next));
    let gone = listed(TOPIC, "GetResource", Reply::json_error("ResourceNotFoundException", "gone")).await;
    assert_eq!((&only(&gone).verdict, gone.overall), (&Verdict::Ghost, Overall::Clean));
}

#[tokio::test]
async fn what_its_owner_does_not_tell_is_unknown_and_the_cell_is_named() {
    let answers = [
        ("denied", Reply::json_error("AccessDeniedException", "not allowed")),
        ("throttled for ever", Reply::json_error("ThrottlingException", "Rate exceeded")),
        ("unsupported", Reply::json_error("UnsupportedActionException", "no read handler")),
        ("no such type", Reply::json_error("TypeNotFoundException", "no type")),
        ("not emulated", Reply::status(501, r#"{"__type":"NotEmulated","message":"x"}"#)),
        ("server error", Reply::status(500, r#"{"__type":"ServiceInternalErrorException"}"#)),
    ];
    for (what, reply) in answers {
        for (arn, operation) in [(SECRET, "DescribeSecret"), (KEY, "DescribeKey"), (INTERFACE, "GetResource")] {
            let report = listed(arn, operation, reply.clone()).await;
            assert_eq!((&only(&report).verdict, report.overall), (&Verdict::Unknown, Overall::Inconclusive), "{what}");
            let unread: Vec<_> = report.certificate.unread().map(|c| c.operation.as_str()).collect();
            assert_eq!(unread, [operation], "{what}");
        }
    }
}

#[tokio::test]
async fn nothing_is_asked_of_services_that_no_listed_resource_belongs_to() {
    let (report, server) = run_with(&scope(), DELETED_MS, AuditLimits::default(), |_| None).await;
    assert_eq!(report.overall, Overall::Clean);
    for operation in ["DescribeSecret", "DescribeKey", "GetResource", "ListResources"] {
        assert_eq!(server.count(operation), 0, "{operation}");
    }
}

/// The deleted stack had a function and a security group; an interface of the function is still listed.
fn lingering(r: &Request) -> Option<Reply> {
    let properties =
        r#"{"Id":"eni-1","Description":"AWS Lambda VPC ENI-assay-r1-caller-1c2d3e4f-0000-4000-8000-123456789abc"}"#;
    if r.is("ListResources") {
        let properties = properties.replace('"', "\\\"");
        let one = format!(r#"{{"Identifier":"eni-1","Properties":"{properties}"}}"#);
        let other = r#"{"Identifier":"eni-2","Properties":"{\"Description\":\"Primary network interface\"}"}"#;
        return Some(Reply::ok(format!(
            r#"{{"TypeName":"AWS::EC2::NetworkInterface","ResourceDescriptions":[{one},{other}]}}"#
        )));
    }
    if r.is("GetResource") && r.has("AWS::EC2::SecurityGroup") {
        return Some(Reply::json_error("ResourceNotFoundException", "gone"));
    }
    deleted_stack(r, "AWS::Lambda::Function", "assay-r1-caller", "DELETE_COMPLETE")
}

fn networked() -> AuditScope {
    let mut scope = scope();
    scope.inventory.resources.push(resource("AWS::EC2::SecurityGroup", "sg-1"));
    scope
}

#[tokio::test]
async fn an_interface_that_lambda_made_is_expected_for_45_minutes_after_its_function() {
    let limits = AuditLimits::default();
    let (soon, _) = run_with(&networked(), DELETED_MS + 44 * MINUTE, limits, lingering).await;
    assert_eq!((only(&soon).id.as_str(), &only(&soon).verdict), ("eni-1", &until(DELETED_MS + 45 * MINUTE)));
    assert!(only(&soon).reason.contains("normal up to 45 min"), "{}", render(&soon));
    let (late, _) = run_with(&networked(), DELETED_MS + 46 * MINUTE, limits, lingering).await;
    assert_eq!((&only(&late).verdict, late.overall), (&Verdict::Leak, Overall::Leak));
}

#[tokio::test]
async fn an_interface_whose_functions_end_nobody_knows_is_unknown_and_one_of_a_living_function_a_leak() {
    let bare = |r: &Request| (!r.is("ListStacks")).then(|| lingering(r)).flatten();
    let report = run(&networked(), bare).await;
    assert_eq!((&only(&report).verdict, report.overall), (&Verdict::Unknown, Overall::Inconclusive));
    let mut scope = networked();
    scope.inventory.resources.push(resource("AWS::Lambda::Function", "assay-r1-caller"));
    let living = run(&scope, move |r| {
        let function =
            r#"{"FunctionName":"assay-r1-caller","FunctionArn":"a","Version":"$LATEST","CodeSha256":"x","Timeout":3}"#;
        let asked = r.line.contains("assay-r1-caller/configuration");
        asked.then(|| Reply::ok(function)).or_else(|| bare(r))
    })
    .await;
    let found: Vec<_> = living.findings.iter().map(|f| (f.id.as_str(), &f.verdict)).collect();
    assert_eq!(found, [("assay-r1-caller", &Verdict::Leak), ("eni-1", &Verdict::Leak)], "{}", render(&living));
}

#[tokio::test]
async fn not_found_by_an_id_that_may_be_the_wrong_one_proves_nothing() {
    let mut scope = scope();
    scope.inventory.resources.push(resource("AWS::Events::Rule", "assay-r1-rule"));
    let gone = |r: &Request| r.is("GetResource").then(|| Reply::json_error("ResourceNotFoundException", "gone"));
    let report = run(&scope, gone).await;
    assert_eq!((&only(&report).verdict, report.overall), (&Verdict::Unknown, Overall::Inconclusive));
    assert!(only(&report).reason.contains("primary identifier"), "{}", render(&report));
}

#[tokio::test]
async fn what_a_custom_resource_made_is_unknown_until_a_rule_answers_for_it() {
    let mut scope = scope();
    scope.inventory.resources.push(resource("Custom::Seed", "seed-1"));
    let report = run(&scope, |_| None).await;
    assert_eq!(only(&report).verdict, Verdict::Unknown);
    assert!(only(&report).reason.contains("only its provider knows"), "{}", render(&report));
}

#[tokio::test]
async fn a_denied_owner_beside_a_leak_is_a_leak() {
    let report = run(&scope(), |r| {
        let both = format!(
            r#"{{"ResourceTagMappingList":[{{"ResourceARN":"{SECRET}","Tags":[]}},{{"ResourceARN":"{KEY}","Tags":[]}}]}}"#
        );
        let index = || r.is("GetResources").then(|| Reply::ok(both.clone()));
        index().or_else(|| denied(r, "DescribeKey")).or_else(|| r.is("DescribeSecret").then(|| secret(None)))
    })
    .await;
    assert_eq!(report.overall, Overall::Leak);
    let verdicts: Vec<_> = report.findings.iter().map(|f| &f.verdict).collect();
    assert_eq!(verdicts, [&Verdict::Leak, &Verdict::Unknown]);
}
