use super::support::{Lab, kinds, until};
use crate::support::start_with;
use aws_sdk_lambda::error::ProvideErrorMetadata;
use aws_sdk_lambda::primitives::Blob;
use aws_sdk_lambda::types::{ErrorObject, EventType, ExecutionStatus};
use localcloud::Options;
use localcloud::fault::Script;
use std::time::Duration;

async fn with_faults(rules: &str) -> Lab {
    let faults = Script::from_yaml("faults.yaml", rules).unwrap();
    Lab::of(start_with(Options { faults: Some(faults), ..Options::default() }).await)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_synchronous_invocation_waits_for_the_whole_execution() {
    let lab = Lab::start().await;
    let version = lab.durable("f", "wait/2-1", 300).await;
    let waiting = async {
        until("it is suspended", async || {
            lab.local.cloud.calls().keys().any(|(_, o)| o == "CheckpointDurableExecution")
        })
        .await;
        lab.local.cloud.clock().advance(Duration::from_secs(2));
    };
    let (output, ()) = tokio::join!(lab.lambda.invoke().function_name(&version).send(), waiting);
    let output = output.unwrap();
    assert_eq!((output.status_code(), output.function_error(), output.executed_version()), (200, None, Some("1")));
    let arn = output.durable_execution_arn.unwrap();
    assert!(arn.starts_with(&format!("{version}/durable-execution/")), "{arn}");
    assert_eq!(lab.status(&arn).await, ExecutionStatus::Succeeded);
    let failing = lab.durable("g", "fail", 300).await;
    let (body, error, _) = lab.call(&failing, "{}").await;
    assert_eq!((error.as_deref(), &body["errorMessage"]), (Some("Unhandled"), &"the handler failed".into()));
    lab.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn names_are_idempotent_and_qualifiers_mandatory() {
    let lab = Lab::start().await;
    let version = lab.durable("f", "step/1-1", 300).await;
    let unqualified = lab.lambda.invoke().function_name("f").send().await.unwrap_err();
    assert_eq!(unqualified.code(), Some("InvalidParameterValueException"));
    let start = |name: &str, payload: &str| {
        let request = lab.lambda.invoke().function_name(&version).durable_execution_name(name.to_owned());
        request.payload(Blob::new(payload)).send()
    };
    let first = start("n", "\"a\"").await.unwrap().durable_execution_arn;
    assert_eq!(start("n", "\"a\"").await.unwrap().durable_execution_arn, first);
    let other = start("n", "\"b\"").await.unwrap_err();
    assert_eq!(other.code(), Some("DurableExecutionAlreadyStartedException"));
    lab.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn executions_are_listed_by_version_and_never_by_alias() {
    let lab = Lab::start().await;
    let version = lab.durable("f", "step/1-1", 300).await;
    lab.lambda.create_alias().function_name("f").name("live").function_version("1").send().await.unwrap();
    let mut arns = Vec::new();
    for input in ["\"a\"", "\"b\"", "\"c\""] {
        let arn = lab.begin(&version, input).await;
        lab.finish(&arn).await;
        arns.push(arn);
        lab.local.cloud.clock().advance(Duration::from_secs(1));
    }
    // An alias leads to the version, whose ARN the execution has.
    let by_alias = lab.begin("f:live", "\"d\"").await;
    assert!(by_alias.contains("function:f:1/durable-execution/"), "{by_alias}");
    lab.finish(&by_alias).await;
    arns.push(by_alias);
    let list = || lab.lambda.list_durable_executions_by_function().function_name("f");
    let refused = list().qualifier("live").send().await.unwrap_err();
    assert_eq!(
        (refused.code(), refused.message()),
        (Some("InvalidParameterValueException"), Some("Cannot filter by alias"))
    );
    let oldest = list().qualifier("1").reverse_order(true).max_items(3).send().await.unwrap();
    let shown = |page: &[aws_sdk_lambda::types::Execution]| -> Vec<String> {
        page.iter().map(|execution| execution.durable_execution_arn().to_owned()).collect()
    };
    assert_eq!(shown(oldest.durable_executions()), arns[..3]);
    let rest = list().qualifier("1").reverse_order(true).max_items(3).marker(oldest.next_marker.unwrap());
    assert_eq!(shown(rest.send().await.unwrap().durable_executions()), arns[3..]);
    assert!(list().qualifier("$LATEST").send().await.unwrap().durable_executions().is_empty());
    let newest = list().send().await.unwrap();
    assert_eq!(newest.durable_executions()[0].durable_execution_arn(), arns[3]);
    let none = list().statuses(ExecutionStatus::Running).send().await.unwrap();
    assert!(none.durable_executions().is_empty());
    // Kept for the retention period of seven days, then gone.
    lab.local.cloud.clock().advance(Duration::from_secs(7 * 24 * 3600));
    assert!(list().send().await.unwrap().durable_executions().is_empty());
    lab.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_execution_times_out_by_the_clock() {
    let lab = Lab::start().await;
    let version = lab.durable("f", "wait/2-5", 300).await;
    let arn = lab.begin(&version, "null").await;
    until("it waits", async || lab.history(&arn).await.len() == 3).await;
    lab.local.cloud.clock().advance(Duration::from_secs(300));
    until("it times out", async || lab.status(&arn).await == ExecutionStatus::TimedOut).await;
    assert_eq!(kinds(&lab.history(&arn).await).last().unwrap(), "ExecutionTimedOut");
    lab.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_execution_can_be_stopped_once() {
    let lab = Lab::start().await;
    let version = lab.durable("f", "wait/2-5", 7200).await;
    let arn = lab.begin(&version, "null").await;
    let stop = || lab.lambda.stop_durable_execution().durable_execution_arn(&arn);
    let error = ErrorObject::builder().error_type("Operator").error_message("enough").build();
    stop().error(error).send().await.unwrap();
    assert_eq!(lab.status(&arn).await, ExecutionStatus::Stopped);
    let history = lab.history(&arn).await;
    let last = history.last().unwrap();
    assert_eq!(last.event_type(), Some(&EventType::ExecutionStopped));
    let shown = last.execution_stopped_details().unwrap().error().unwrap().payload().unwrap();
    assert_eq!(shown.error_message(), Some("enough"));
    assert_eq!(stop().send().await.unwrap_err().code(), Some("InvalidParameterValueException"));
    lab.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn histories_can_leave_data_out_and_come_in_reverse() {
    let lab = Lab::start().await;
    let version = lab.durable("f", "step/1-1", 300).await;
    let arn = lab.begin(&version, "\"World\"").await;
    lab.finish(&arn).await;
    let ask = || lab.lambda.get_durable_execution_history().durable_execution_arn(&arn);
    let full = ask().send().await.unwrap().events;
    assert_eq!(full[0].execution_started_details().unwrap().input().unwrap().payload(), Some("\"World\""));
    assert_eq!(full[2].step_succeeded_details().unwrap().result().unwrap().payload(), Some("\"Hello, World!\""));
    let bare = ask().include_execution_data(false).reverse_order(true).send().await.unwrap().events;
    let ids: Vec<i32> = bare.iter().map(aws_sdk_lambda::types::Event::event_id).collect();
    assert_eq!(ids, [5, 4, 3, 2, 1]);
    assert_eq!(bare[2].step_succeeded_details().unwrap().result().unwrap().payload(), None);
    lab.lambda.delete_function().function_name("f").send().await.unwrap();
    assert_eq!(ask().send().await.unwrap_err().code(), Some("ResourceNotFoundException"));
    lab.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn callbacks_are_answered_from_outside() {
    let lab = Lab::start().await;
    let version = lab.durable("f", "callback", 300).await;
    let arn = lab.begin(&version, "null").await;
    until("it waits", async || lab.history(&arn).await.len() == 3).await;
    let id = lab.history(&arn).await[1].callback_started_details().unwrap().callback_id().to_owned();
    lab.lambda.send_durable_execution_callback_heartbeat().callback_id(&id).send().await.unwrap();
    let answer = lab.lambda.send_durable_execution_callback_success().callback_id(&id);
    answer.clone().result(Blob::new("{\"approved\":true}")).send().await.unwrap();
    assert_eq!(lab.finish(&arn).await, ExecutionStatus::Succeeded);
    let shown = lab.lambda.get_durable_execution().durable_execution_arn(&arn).send().await.unwrap();
    assert_eq!(shown.result(), Some("{\"approved\":true}"));
    assert_eq!(answer.send().await.unwrap_err().code(), Some("CallbackTimeoutException"));
    lab.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn chained_invokes_and_child_contexts_are_recorded() {
    let lab = Lab::start().await;
    lab.plain("target", "echo", 3).await;
    let version = lab.durable("f", "invoke", 300).await;
    let arn = lab.begin(&version, "{\"target\": \"target\"}").await;
    assert_eq!(lab.finish(&arn).await, ExecutionStatus::Succeeded);
    let events = kinds(&lab.history(&arn).await);
    assert!(events.contains(&"ChainedInvokeSucceeded".to_owned()), "{events:?}");
    let version = lab.durable("g", "child", 300).await;
    let arn = lab.begin(&version, "null").await;
    assert_eq!(lab.finish(&arn).await, ExecutionStatus::Succeeded);
    let history = lab.history(&arn).await;
    let started = history.iter().find(|event| event.event_type() == Some(&EventType::ContextStarted)).unwrap();
    let step = history.iter().find(|event| event.event_type() == Some(&EventType::StepStarted)).unwrap();
    assert_eq!(step.parent_id(), started.id());
    let shown = lab.lambda.get_durable_execution().durable_execution_arn(&arn).send().await.unwrap();
    assert_eq!(shown.result(), Some("21"));
    lab.close().await;
}

/// The SDK repeats a checkpoint whose answer was lost; its client token makes that harmless.
#[tokio::test(flavor = "multi_thread")]
async fn a_lost_checkpoint_answer_repeats_nothing() {
    let lab = with_faults(
        "rules:\n  - {service: lambda, operation: CheckpointDurableExecution, when: {every: 2}, effect: drop_after}\n",
    )
    .await;
    let version = lab.durable("f", "step/1-3", 300).await;
    let arn = lab.begin(&version, "null").await;
    assert_eq!(lab.finish(&arn).await, ExecutionStatus::Succeeded);
    let expected =
        ["ExecutionStarted", "StepStarted", "StepSucceeded", "StepStarted", "StepSucceeded", "InvocationCompleted"];
    assert_eq!(kinds(&lab.history(&arn).await)[..6], expected);
    lab.close().await;
}

/// The environment ends after the step's effect and before its record, so that the step runs once more.
#[tokio::test(flavor = "multi_thread")]
async fn an_effect_without_a_record_is_repeated() {
    let lab = with_faults("rules:\n  - {service: lambda, operation: Invoke, target: f, when: {nth: 1}, effect: kill_environment_after_effect}\n").await;
    let version = lab.durable("f", "step/1-1", 300).await;
    let arn = lab.begin(&version, "\"World\"").await;
    assert_eq!(lab.finish(&arn).await, ExecutionStatus::Succeeded);
    let history = lab.history(&arn).await;
    let expected = [
        "ExecutionStarted",
        "StepStarted",
        "InvocationCompleted",
        "StepSucceeded",
        "InvocationCompleted",
        "ExecutionSucceeded",
    ];
    assert_eq!(kinds(&history), expected);
    let error = history[2].invocation_completed_details().unwrap().error().unwrap().payload().unwrap();
    assert_eq!(error.error_type(), Some("Runtime.ExitError"));
    lab.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_stale_token_is_refused_as_a_whole() {
    let lab = Lab::start().await;
    let version = lab.durable("f", "wait/2-5", 7200).await;
    let arn = lab.begin(&version, "null").await;
    until("it waits", async || lab.history(&arn).await.len() == 3).await;
    let request = lab.lambda.checkpoint_durable_execution().durable_execution_arn(&arn).checkpoint_token("used");
    let refused = request.send().await.unwrap_err();
    assert!(refused.message().unwrap().starts_with("Invalid Checkpoint Token"), "{refused:?}");
    assert_eq!(lab.history(&arn).await.len(), 3);
    lab.close().await;
}
