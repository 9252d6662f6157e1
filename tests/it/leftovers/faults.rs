#![allow(clippy::expect_used, reason = "helpers of tests")]

use super::{Deployed, deploy, emptying};
use assay::audit::{Overall, render};
use assay::teardown::{Options, TeardownOutcome};
use localcloud::fault::Script;

async fn with_faults(rules: &str) -> Deployed {
    let deployed = deploy().await;
    deployed.cloud.set_faults(Script::from_yaml("faults.yaml", &format!("rules:\n{rules}")).expect("a script"));
    deployed
}

fn lift(deployed: &Deployed) {
    deployed.cloud.set_faults(Script::from_yaml("faults.yaml", "rules: []\n").expect("a script"));
}

#[tokio::test]
async fn a_lost_reply_or_a_throttled_delete_still_ends_complete() {
    for effect in ["drop_after", "drop_before", "throttle"] {
        let rule =
            format!("  - {{service: cloudformation, operation: DeleteStack, when: {{nth: 1}}, effect: {effect}}}\n");
        let deployed = with_faults(&rule).await;
        let report = deployed.tear_down(emptying()).await;
        assert_eq!(report.outcome, TeardownOutcome::Complete, "{effect}: {report:#?}");
        lift(&deployed);
        assert_eq!(deployed.audit().await.overall, Overall::CleanWithResidue, "{effect}");
        deployed.cloud.shutdown().await;
    }
}

#[tokio::test]
async fn expired_credentials_pause_and_the_next_teardown_ends_it() {
    let deployed = with_faults("  - {service: cloudformation, operation: DeleteStack, effect: expired_token}\n").await;
    assert_eq!(deployed.tear_down(emptying()).await.outcome, TeardownOutcome::Paused);
    lift(&deployed);
    assert_eq!(deployed.tear_down(emptying()).await.outcome, TeardownOutcome::Complete);
    assert_eq!(deployed.audit().await.overall, Overall::CleanWithResidue);
    deployed.cloud.shutdown().await;
}

#[tokio::test]
async fn twenty_stacks_go_though_every_third_call_is_throttled() {
    let cloud = localcloud::Cloud::start(localcloud::Options::default()).await.expect("a cloud");
    let clients = super::patient_clients(&cloud).await;
    let names: Vec<String> = (0..20).map(|n| format!("assay-r1-s{n}")).collect();
    let ids = futures_util::future::join_all(names.iter().map(|name| super::queue_stack(&clients, name))).await;
    let rule = "rules:\n  - {service: cloudformation, when: {probability: 0.3}, effect: throttle}\n";
    cloud.set_faults(Script::from_yaml("faults.yaml", rule).expect("a script"));
    let report = super::tear_down_all(&clients, &names, &ids).await;
    assert_eq!((report.outcome, report.stacks.len()), (TeardownOutcome::Complete, 20), "{report:#?}");
    cloud.set_faults(Script::from_yaml("faults.yaml", "rules: []\n").expect("a script"));
    let audit = super::audit_by_prefix(&cloud, &clients).await;
    assert!(audit.overall.is_proven(), "{}", render(&audit));
    cloud.shutdown().await;
}

#[tokio::test]
async fn every_unread_surface_makes_the_audit_inconclusive_and_is_named() {
    let surfaces = [
        ("tagging", "GetResources"),
        ("cloudformation", "ListStacks"),
        ("sqs", "ListQueues"),
        ("dynamodb", "ListTables"),
        ("dynamodbstreams", "ListStreams"),
        ("lambda", "ListFunctions"),
        ("lambda", "ListEventSourceMappings"),
        ("logs", "DescribeLogGroups"),
        ("iam", "ListRoles"),
        ("s3", "HeadBucket"),
    ];
    let deployed = deploy().await;
    assert_eq!(deployed.tear_down(emptying()).await.outcome, TeardownOutcome::Complete);
    for (service, operation) in surfaces {
        for effect in ["denied", "throttle", "{error: {status: 500, code: InternalError}}", "drop_after"] {
            let rule = format!("rules:\n  - {{service: {service}, operation: {operation}, effect: {effect}}}\n");
            deployed.cloud.set_faults(Script::from_yaml("faults.yaml", &rule).expect("a script"));
            let report = deployed.audit().await;
            assert_eq!(report.overall, Overall::Inconclusive, "{operation} {effect}:\n{}", render(&report));
            assert!(report.certificate.unread().any(|c| c.operation == operation), "{operation} {effect}");
        }
    }
    lift(&deployed);
    assert_eq!(deployed.audit().await.overall, Overall::CleanWithResidue);
    deployed.cloud.shutdown().await;
}

#[tokio::test]
async fn damaged_pages_never_make_a_short_list() {
    let deployed = deploy().await;
    let faults = |when: &str, effect: &str| {
        let rules =
            format!("rules:\n  - {{service: tagging, operation: GetResources, when: {when}, effect: {effect}}}\n");
        deployed.cloud.set_faults(Script::from_yaml("faults.yaml", &rules).expect("a script"));
    };
    faults("always", "repeated_page_token");
    let repeated = deployed.audit().await;
    assert!(repeated.certificate.unread().any(|c| c.operation == "GetResources"), "{}", render(&repeated));
    faults("{nth: 1}", "empty_page_with_token");
    let whole = deployed.audit().await;
    assert!(whole.certificate.is_whole(), "{}", render(&whole));
    lift(&deployed);
    assert_eq!(deployed.audit().await.findings.len(), whole.findings.len());
    deployed.cloud.shutdown().await;
}

#[tokio::test]
async fn what_cannot_be_deleted_is_named_and_left_only_when_asked() {
    let rule = "  - {service: cloudformation, operation: DeleteStack, effect: {delete_failed: {logical_id: Queue}}}\n";
    let deployed = with_faults(rule).await;
    let failed = deployed.tear_down(emptying()).await;
    assert_eq!((failed.outcome, failed.stacks[0].attempts), (TeardownOutcome::Incomplete, 2), "{failed:#?}");
    let failing: Vec<_> = failed.stacks[0].failing.iter().map(|r| r.logical_id.as_str()).collect();
    assert_eq!(failing, ["Queue"]);
    let left = deployed.tear_down(Options { retain_failed: true, ..emptying() }).await;
    assert_eq!(left.outcome, TeardownOutcome::CompleteWithRetained, "{left:#?}");
    lift(&deployed);
    let audit = deployed.audit().await;
    assert_eq!((audit.overall, audit.findings[0].kind.label()), (Overall::Leak, "queue"), "{}", render(&audit));
    deployed.cloud.shutdown().await;
}
