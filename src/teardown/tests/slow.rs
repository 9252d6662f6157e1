//! Deletions that take long without anything being wrong, and those that do not end.

use super::{Fake, StackResult, TeardownLimits, TeardownOutcome, input, limits, only, run, run_with};
use crate::cloud::Pace;
use crate::teardown::{Note, Observer};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Keeps the hints.
#[derive(Debug, Default)]
struct Hints(Mutex<Vec<String>>);

impl Observer for Hints {
    fn note(&self, note: &Note<'_>) {
        if let Note::Event { hint: Some(hint), .. } = note {
            self.0.lock().expect("no panic").push((*hint).to_owned());
        }
    }
}

const SEED: &str = "
Resources:
  Handler: {Type: 'AWS::Lambda::Function'}
  Seed: {Type: 'Custom::Seed', Properties: {ServiceToken: !GetAtt Handler.Arn}}
";

fn event(logical_id: &str, resource_type: &str, status: &str, reason: &str) -> String {
    format!(
        "<member><StackId>s</StackId><EventId>{logical_id}-{status}</EventId><StackName>assay-x</StackName>\
         <LogicalResourceId>{logical_id}</LogicalResourceId><ResourceType>{resource_type}</ResourceType>\
         <Timestamp>2026-11-30T20:00:00.000Z</Timestamp><ResourceStatus>{status}</ResourceStatus>\
         <ResourceStatusReason>{reason}</ResourceStatusReason></member>"
    )
}

/// A stack's time is up at once; what is slow has longer.
fn impatient() -> TeardownLimits {
    let ms = Duration::from_millis;
    let stack = Pace { interval: ms(1), ceiling: ms(2), timeout: ms(1), attempts: 5_000 };
    TeardownLimits { stack, ..limits() }
}

/// Many looks at a deletion in progress, then its end.
fn long(end: &'static str) -> Vec<&'static str> {
    [vec!["DELETE_IN_PROGRESS"; 60], vec![end]].concat()
}

#[tokio::test]
async fn interfaces_that_lambda_removes_are_waited_for_and_told() {
    let words = "CloudFormation is waiting for NetworkInterfaces associated with the Lambda Function to be cleaned up.";
    let events = event("Caller", "AWS::Lambda::Function", "DELETE_IN_PROGRESS", words);
    let fake = Fake { after_delete: long("DELETE_COMPLETE"), events, ..Fake::default() };
    let hints = Arc::new(Hints::default());
    let (report, _) = run_with(fake.clone(), input(), impatient(), hints.clone()).await;
    assert_eq!(report.outcome, TeardownOutcome::Complete, "{report:?}");
    assert_eq!(*hints.0.lock().expect("no panic"), ["ENI reaper, normal up to 45 min"]);

    let plain = Fake { events: String::new(), ..fake };
    let (report, _) = run_with(plain, input(), impatient(), Arc::new(())).await;
    assert!(matches!(&only(&report).result, StackResult::Unknown { reason } if reason.contains("no end within")));
}

#[test]
fn by_default_interfaces_have_45_minutes_and_a_custom_resource_its_hour() {
    let limits = TeardownLimits::default();
    assert!(limits.interfaces > Duration::from_secs(45 * 60));
    assert!(limits.custom_resource > Duration::from_secs(60 * 60));
}

#[tokio::test]
async fn a_silent_custom_resource_is_named_with_its_service_token_and_the_rule() {
    let fake = Fake {
        after_delete: long("DELETE_FAILED"),
        resources: vec![("Handler", "DELETE_COMPLETE"), ("Seed", "DELETE_FAILED")],
        resource_type: "Custom::Seed",
        events: event("Seed", "Custom::Seed", "DELETE_IN_PROGRESS", ""),
        template: SEED,
        ..Fake::default()
    };
    let hints = Arc::new(Hints::default());
    let (report, server) = run_with(fake, input(), impatient(), hints.clone()).await;
    assert_eq!(only(&report).result, StackResult::Failed, "{report:?}");
    assert_eq!(only(&report).failing[0].service_token.as_deref(), Some("p-Handler (Handler)"));
    let rule = "custom resource Seed is served by p-Handler (Handler); CloudFormation waits 1 h for its answer";
    assert!(report.problems[0].reason.contains(rule), "{}", report.problems[0].reason);
    let hints = hints.0.lock().expect("no panic").clone();
    assert!(hints.len() == 1 && hints[0].starts_with(rule), "{hints:?}");
    assert!(server.count("GetTemplate") >= 1);
}

#[tokio::test]
async fn a_custom_resource_that_outlasts_the_wait_is_named_too() {
    let fake = Fake {
        after_delete: vec!["DELETE_IN_PROGRESS"],
        events: event("Seed", "Custom::Seed", "DELETE_IN_PROGRESS", ""),
        template: SEED,
        ..Fake::default()
    };
    let limits = TeardownLimits { custom_resource: Duration::from_millis(30), ..impatient() };
    let (report, _) = run_with(fake, input(), limits, Arc::new(())).await;
    let StackResult::Unknown { reason } = &only(&report).result else { panic!("{report:?}") };
    assert!(reason.contains("served by") && reason.contains("1 h"), "{reason}");
}

#[tokio::test]
async fn a_stack_without_custom_resources_never_asks_for_its_template() {
    let (report, server) = run(Fake::default(), input()).await;
    assert_eq!((report.outcome, server.count("GetTemplate")), (TeardownOutcome::Complete, 0));
}
