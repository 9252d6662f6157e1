use super::{BUCKET, deploy, deploy_with, emptying};
use assay::audit::{Kind, Overall, Verdict, render};
use assay::cloud::{buckets, stacks};
use assay::teardown::{Options, StackResult, TeardownOutcome};

#[tokio::test]
async fn a_full_bucket_is_named_and_emptied_only_when_allowed() {
    let deployed = deploy().await;
    for key in ["a", "b"] {
        assert!(buckets::put_by_digest(&deployed.clients, BUCKET, key, b"x".to_vec()).await.is_done());
    }
    let held = deployed.tear_down(Options::default()).await;
    assert_eq!((held.outcome, held.buckets[0].found), (TeardownOutcome::Refused, 2), "{held:#?}");
    assert_eq!(held.problems[0].next.as_deref(), Some("assay teardown r1 --empty-buckets"));
    let report = deployed.tear_down(emptying()).await;
    assert_eq!((report.outcome, report.buckets[0].deleted), (TeardownOutcome::Complete, 2), "{report:#?}");
    assert_eq!(deployed.audit().await.overall, Overall::CleanWithResidue);
    deployed.cloud.shutdown().await;
}

#[tokio::test]
async fn tearing_down_twice_is_the_same_as_once() {
    let deployed = deploy().await;
    assert_eq!(deployed.tear_down(emptying()).await.outcome, TeardownOutcome::Complete);
    let again = deployed.tear_down(emptying()).await;
    assert_eq!((again.outcome, &again.stacks[0].result), (TeardownOutcome::Complete, &StackResult::AlreadyGone));
    deployed.cloud.shutdown().await;
}

#[tokio::test]
async fn a_protected_stack_is_refused_without_leave() {
    let deployed = deploy().await;
    assert!(stacks::set_termination_protection(&deployed.clients, &deployed.stack.id, true).await.is_done());
    let refused = deployed.tear_down(emptying()).await;
    assert!(matches!(&refused.stacks[0].result, StackResult::Refused { holder } if holder.contains("protection")));
    let report = deployed.tear_down(Options { disable_protection: true, ..emptying() }).await;
    assert_eq!(report.outcome, TeardownOutcome::Complete, "{report:#?}");
    deployed.cloud.shutdown().await;
}

#[tokio::test]
async fn what_the_template_retains_is_counted_and_audited_as_a_leak() {
    for policy in ["Retain", "RetainExceptOnCreate"] {
        retained(policy).await;
    }
}

async fn retained(policy: &str) {
    let deployed = deploy_with(policy).await;
    let report = deployed.tear_down(emptying()).await;
    assert_eq!(report.outcome, TeardownOutcome::CompleteWithRetained, "{report:#?}");
    let retained: Vec<_> = report.stacks[0].retained.iter().map(|r| r.logical_id.as_str()).collect();
    assert_eq!(retained, ["Table"]);
    let audit = deployed.audit().await;
    let leaks: Vec<_> = audit.findings.iter().filter(|f| f.verdict == Verdict::Leak).map(|f| &f.kind).collect();
    assert_eq!(leaks, [&Kind::Table, &Kind::Stream], "{}", render(&audit));
    deployed.cloud.shutdown().await;
}
