//! What is left behind when asked: first exactly what failed, and only then what CloudFormation skips.

use super::{Fake, Options, StackResult, TeardownInput, TeardownOutcome, ids, input, only, run};

fn forced() -> TeardownInput {
    TeardownInput { options: Options { retain_failed: true, ..Options::default() }, ..input() }
}

/// A stack that fails twice, and then goes through these statuses.
fn stubborn(after: &[&'static str]) -> Fake {
    let twice = ["DELETE_FAILED", "DELETE_FAILED", "DELETE_FAILED"];
    let resources = vec![("Queue", "DELETE_COMPLETE"), ("Bucket", "DELETE_FAILED")];
    Fake { after_delete: [&twice[..], after].concat(), resources, ..Fake::default() }
}

#[tokio::test]
async fn when_asked_exactly_the_failing_ids_are_retained_and_kept_as_debts() {
    let (report, server) = run(stubborn(&["DELETE_FAILED", "DELETE_COMPLETE"]), forced()).await;
    assert_eq!(report.outcome, TeardownOutcome::CompleteWithRetained, "{report:?}");
    assert_eq!(ids(&only(&report).retained), ["Bucket"]);
    let deletes: Vec<_> = server.requests().into_iter().filter(|r| r.is("DeleteStack")).collect();
    assert_eq!(deletes.len(), 3);
    assert!(deletes[2].has("RetainResources.member.1=Bucket") && !deletes[2].has("RetainResources.member.2"));
    assert!(!deletes[1].has("RetainResources"));
    assert!(deletes.iter().all(|d| !d.has("FORCE_DELETE_STACK")));
}

#[tokio::test]
async fn if_retaining_fails_too_the_stack_is_forced_once_and_what_was_skipped_is_told() {
    let after = ["DELETE_FAILED", "DELETE_IN_PROGRESS", "DELETE_FAILED", "DELETE_IN_PROGRESS", "DELETE_COMPLETE"];
    let (report, server) = run(stubborn(&after), forced()).await;
    assert_eq!(report.outcome, TeardownOutcome::CompleteWithRetained, "{report:?}");
    assert_eq!(ids(&only(&report).retained), ["Bucket"]);
    let deletes: Vec<_> = server.requests().into_iter().filter(|r| r.is("DeleteStack")).collect();
    assert_eq!((deletes.len(), only(&report).attempts), (4, 4));
    assert!(deletes[3].has("DeletionMode=FORCE_DELETE_STACK") && !deletes[3].has("RetainResources"));
}

#[tokio::test]
async fn a_stack_that_never_goes_ends_after_a_bounded_number_of_deletes() {
    let (report, server) = run(stubborn(&["DELETE_FAILED"]), forced()).await;
    assert_eq!((report.outcome, &only(&report).result), (TeardownOutcome::Incomplete, &StackResult::Failed));
    assert_eq!((server.count("DeleteStack"), ids(&only(&report).failing)), (4, vec!["Bucket"]));
}
