//! The audit by tag alone, as somebody uses it who never ran a study.

use super::{
    AllowRule, AuditScope, DELETED_MS, Kind, Overall, Reply, Request, Verdict, deleted_stack, denied, indexed, only,
    render, role, run, scope, stream,
};

fn by_tag() -> AuditScope {
    let regions = vec!["us-east-1".into(), "eu-west-1".into()];
    AuditScope { regions, tag: Some(("team".into(), "pay".into())), run: None, ..scope() }
}

#[tokio::test]
async fn the_next_command_of_what_is_unknown_can_tell_more() {
    let report = run(&by_tag(), |r| indexed(r, "arn:aws:glue:us-east-1:000000000000:database/d")).await;
    let asks = "aws resourcegroupstaggingapi get-resources --resource-arn-list arn:aws:glue:us-east-1:000000000000:database/d --region ";
    assert!(!report.findings.is_empty(), "{}", render(&report));
    let next = || report.findings.iter().filter_map(|f| f.next.as_deref());
    assert!(
        next().count() == report.findings.len() && next().all(|next| next.starts_with(asks)),
        "{}",
        render(&report)
    );

    let queue = "arn:aws:sqs:us-east-1:000000000000:assay-r1-q";
    let report = run(&by_tag(), |r| indexed(r, queue).or_else(|| denied(r, "GetQueueUrl"))).await;
    let again = "assay audit --tag team=pay --prefix assay-r1- --region us-east-1 --region eu-west-1";
    let unknown: Vec<_> = report.findings.iter().filter(|f| f.verdict == Verdict::Unknown).collect();
    assert!(!unknown.is_empty() && unknown.iter().all(|f| f.next.as_deref() == Some(again)), "{}", render(&report));
}

/// Only the function is tagged; the group has its name and nothing else.
#[tokio::test]
async fn a_living_tagged_function_leads_to_its_untagged_log_group() {
    let scope = AuditScope { regions: vec!["us-east-1".into()], prefix: None, ..by_tag() };
    let report = run(&scope, |r| {
        let arn = "arn:aws:lambda:us-east-1:000000000000:function:pay-worker";
        let function = format!(
            r#"{{"FunctionName":"pay-worker","FunctionArn":"{arn}","CodeSha256":"x","Timeout":3,"Version":"$LATEST"}}"#
        );
        let group = r#"{"logGroups":[{"logGroupName":"/aws/lambda/pay-worker"}]}"#;
        match () {
            () if r.is("DescribeLogGroups") && r.has("/aws/lambda/pay-worker") => Some(Reply::ok(group)),
            () if r.line.contains("/functions/pay-worker/configuration") => Some(Reply::ok(function)),
            () => indexed(r, arn),
        }
    })
    .await;
    let of = |kind: &Kind| report.findings.iter().find(|f| f.kind == *kind).map(|f| (f.id.as_str(), &f.verdict));
    assert_eq!(of(&Kind::Function), Some(("pay-worker", &Verdict::Leak)), "{}", render(&report));
    assert_eq!(of(&Kind::LogGroup), Some(("/aws/lambda/pay-worker", &Verdict::Leak)), "{}", render(&report));
}

#[tokio::test]
async fn a_tag_alone_says_what_it_cannot_see() {
    let report = run(&AuditScope { prefix: None, ..by_tag() }, |_| None).await;
    assert_eq!(report.overall, Overall::Clean);
    assert!(render(&report).contains("shows no IAM roles and policies"), "{}", render(&report));
    assert!(run(&by_tag(), |_| None).await.warnings.is_empty());
}

#[tokio::test]
async fn the_stream_of_a_living_table_goes_with_its_table() {
    let report = run(&by_tag(), |r| {
        let arn = "arn:aws:dynamodb:us-east-1:000000000000:table/assay-r1-provider-journal/stream/2026";
        let table = format!(
            r#"{{"Table":{{"TableName":"assay-r1-provider-journal","TableArn":"a","TableStatus":"ACTIVE","LatestStreamArn":"{arn}"}}}}"#
        );
        let home = r.head.contains("/us-east-1/");
        let list = format!(r#"{{"Streams":[{{"StreamArn":"{arn}"}}]}}"#);
        let names = r#"{"TableNames":["assay-r1-provider-journal"]}"#;
        match () {
            () if !home => None,
            () if r.is("ListTables") => Some(Reply::ok(names)),
            () if r.is("ListStreams") => Some(Reply::ok(list)),
            () if r.is("DescribeTable") => Some(Reply::ok(table)),
            () => stream(r, "ENABLED"),
        }
    })
    .await;
    let found: Vec<_> = report.findings.iter().map(|f| (&f.kind, &f.verdict)).collect();
    assert_eq!(found, [(&Kind::Table, &Verdict::Leak), (&Kind::Stream, &Verdict::Leak)], "{}", render(&report));
    let next = "aws dynamodb delete-table --table-name assay-r1-provider-journal --region us-east-1";
    assert!(report.findings.iter().all(|f| f.next.as_deref() == Some(next)), "{}", render(&report));
}

#[tokio::test]
async fn many_that_one_owner_answers_for_are_one_line() {
    let rule = AllowRule { resource: "shared-*".into(), owner: "platform".into(), expires_at_ms: i64::MAX };
    let scope = AuditScope { regions: vec!["us-east-1".into()], allow: vec![rule], ..by_tag() };
    let report = run(&scope, |r| {
        let one = |n| format!(r#"{{"ResourceARN":"arn:aws:sqs:us-east-1:000000000000:shared-{n}","Tags":[]}}"#);
        let all: Vec<String> = (0..30).map(one).collect();
        let body = format!(r#"{{"ResourceTagMappingList":[{}]}}"#, all.join(","));
        r.is("GetResources").then(|| Reply::ok(body))
    })
    .await;
    assert_eq!((report.overall, report.findings.len()), (Overall::Clean, 30));
    assert_eq!(render(&report).lines().count(), 2, "{}", render(&report));
    assert!(render(&report).starts_with("allowed (platform) 30 resources"), "{}", render(&report));
}

/// Groups of three functions of each of two runs.
fn groups(r: &Request) -> Option<Reply> {
    let name = |run, n| format!(r#"{{"logGroupName":"/aws/lambda/assay-{run}-f{n}"}}"#);
    let of = |run: &'static str| (0..3).map(move |n| name(run, n)).collect::<Vec<_>>().join(",");
    let asked = |run: &str| r.is("DescribeLogGroups") && r.has(&format!(r#""/aws/lambda/assay-{run}-""#));
    let run = ["r1", "r10"].into_iter().find(|run| asked(run))?;
    Some(Reply::ok(format!(r#"{{"logGroups":[{}]}}"#, of(run))))
}

#[tokio::test]
async fn groups_of_two_runs_are_told_apart() {
    for run_id in ["r1", "r10"] {
        let prefix = format!("assay-{run_id}-");
        let report = run(&AuditScope { prefix: Some(prefix.clone()), ..scope() }, groups).await;
        let ids: Vec<_> = report.findings.iter().map(|f| f.id.as_str()).collect();
        assert_eq!(ids.len(), 3, "{}", render(&report));
        assert!(ids.iter().all(|id| id.starts_with(&format!("/aws/lambda/{prefix}f"))), "{ids:?}");
    }
}

#[tokio::test]
async fn a_log_group_outlives_its_stacks_word() {
    let report = run(&scope(), |r| {
        let body = r#"{"logGroups":[{"logGroupName":"/aws/apigateway/access"}]}"#;
        let asked = r.is("DescribeLogGroups") && r.has("/aws/apigateway/access");
        deleted_stack(r, "AWS::Logs::LogGroup", "/aws/apigateway/access", "DELETE_COMPLETE")
            .or_else(|| asked.then(|| Reply::ok(body)))
    })
    .await;
    assert_eq!((only(&report).kind.label(), &only(&report).verdict), ("log group", &Verdict::Leak));
}

#[tokio::test]
async fn roles_that_aws_made_are_nobodys_leak() {
    let everything = AuditScope { prefix: Some(String::new()), tag: None, ..scope() };
    let report = run(&everything, |r| {
        let roles: String =
            ["AWSServiceRoleForSupport", "AWSServiceRoleForTrustedAdvisor", "OrganizationAccountAccessRole"]
                .map(role)
                .concat();
        r.is("ListRoles").then(|| Reply::query("ListRoles", &format!("<Roles>{roles}</Roles>")))
    })
    .await;
    assert_eq!((report.overall, report.findings.len()), (Overall::Clean, 0), "{}", render(&report));
    assert!(report.judged_at_ms > DELETED_MS);
}
