use super::{Deployed, deploy, emptying};
use assay::audit::{AuditReport, AuditScope, Inventory, Kind, Overall, Verdict, render};
use assay::teardown::TeardownOutcome;
use std::time::Duration;

const HOURS_24: Duration = Duration::from_secs(24 * 3_600);

async fn torn_down() -> Deployed {
    let deployed = deploy().await;
    let report = deployed.tear_down(emptying()).await;
    assert_eq!(report.outcome, TeardownOutcome::Complete, "{report:#?}");
    deployed
}

fn stream_verdict(report: &AuditReport) -> Option<&Verdict> {
    report.findings.iter().find(|f| f.kind == Kind::Stream).map(|f| &f.verdict)
}

#[tokio::test]
async fn before_teardown_everything_is_a_leak() {
    let deployed = deploy().await;
    let report = deployed.audit().await;
    assert_eq!(report.overall, Overall::Leak);
    let leaks: Vec<_> = report.findings.iter().filter(|f| f.verdict == Verdict::Leak).map(|f| f.kind.label()).collect();
    assert_eq!(leaks, ["role", "stack", "bucket", "queue", "table", "stream", "log group"], "{}", render(&report));
    deployed.cloud.shutdown().await;
}

#[tokio::test]
async fn the_stream_stays_for_24_hours_and_the_audit_says_so() {
    let deployed = torn_down().await;
    let report = deployed.audit().await;
    assert_eq!(report.overall, Overall::CleanWithResidue, "{}", render(&report));
    let Some(Verdict::ExpectedUntil { at_ms }) = stream_verdict(&report).cloned() else {
        panic!("{}", render(&report))
    };
    let now = deployed.cloud.clock().now_ms();
    assert!((now..=now + 24 * 3_600_000).contains(&at_ms));
    assert!(report.certificate.is_whole());

    deployed.cloud.clock().advance(HOURS_24 - Duration::from_secs(60));
    let report = deployed.audit().await;
    assert_eq!(stream_verdict(&report), Some(&Verdict::ExpectedUntil { at_ms }), "{}", render(&report));

    deployed.cloud.clock().advance(Duration::from_secs(120));
    let report = deployed.audit().await;
    assert!(matches!(stream_verdict(&report), None | Some(Verdict::Ghost)), "{}", render(&report));
    assert_eq!(report.overall, Overall::Clean);
    deployed.cloud.shutdown().await;
}

#[tokio::test]
async fn by_tag_and_prefix_alone_a_clean_run_is_proven_too() {
    let deployed = torn_down().await;
    let scope = AuditScope { inventory: Inventory::default(), run: None, ..deployed.scope() };
    let report = deployed.audit_scope(&scope).await;
    assert_eq!(report.overall, Overall::CleanWithResidue, "{}", render(&report));
    assert!(matches!(stream_verdict(&report), Some(Verdict::ExpectedUntil { .. })));
    deployed.cloud.shutdown().await;
}

#[tokio::test]
async fn another_runs_resources_are_nobodys_business() {
    let deployed = deploy().await;
    let scope = AuditScope {
        tag: Some(("assay:run".into(), "r2".into())),
        prefix: Some("assay-r2-".into()),
        inventory: Inventory::default(),
        ..deployed.scope()
    };
    let report = deployed.audit_scope(&scope).await;
    assert_eq!((report.overall, report.findings.len()), (Overall::Clean, 0), "{}", render(&report));
    deployed.cloud.shutdown().await;
}
