//! One durable execution: ended, with its whole history, which tells the same end.

use super::pages;
use crate::findings::Findings;
use crate::story::Story;
use evidence::trial::{Execution, HistoryEvent};

/// Step whose attempts call the provider.
const STEP: &str = "refund-attempt";

/// `Event.EventType` in the Lambda service model.
const EVENT_TYPES: [&str; 24] = [
    "CallbackFailed",
    "CallbackStarted",
    "CallbackSucceeded",
    "CallbackTimedOut",
    "ChainedInvokeFailed",
    "ChainedInvokeStarted",
    "ChainedInvokeStopped",
    "ChainedInvokeSucceeded",
    "ChainedInvokeTimedOut",
    "ContextFailed",
    "ContextStarted",
    "ContextSucceeded",
    "ExecutionFailed",
    "ExecutionStarted",
    "ExecutionStopped",
    "ExecutionSucceeded",
    "ExecutionTimedOut",
    "InvocationCompleted",
    "StepFailed",
    "StepStarted",
    "StepSucceeded",
    "WaitCancelled",
    "WaitStarted",
    "WaitSucceeded",
];

pub(super) fn check(story: &Story<'_>, execution: &Execution, pointer: &str, findings: &mut Findings) {
    let what = format!("execution {}", execution.arn);
    pages::check(&execution.pages, execution.history.len(), pointer, &what, findings);
    let mut require = |holds: bool, field: &str, defect: &str| {
        if !holds {
            findings.add(format!("{pointer}/{field}"), format!("{what}: {defect}"));
        }
    };
    require(execution.status != "RUNNING", "status", "it is still running");
    let end = terminal(&execution.status);
    require(end.is_some() || execution.status == "RUNNING", "status", "its status is not known");
    let last = execution.history.last().map(|event| event.event_type.as_str());
    require(end.is_none() || last == end, "history", "the history does not end as the status says");
    let first = execution.history.first().map(|event| event.event_type.as_str());
    require(first == Some("ExecutionStarted"), "history", "the history does not begin with its start");
    require(unbroken(&execution.history), "history", "event ids do not count from 1 without gaps");
    require(known(&execution.history), "history", "it holds an event type that is not known");
    require(one_end(&execution.history), "history", "it starts or ends more than once");
    require(started(&execution.history), "history", "a step ends that did not start");
    let succeeded = execution.history.iter().filter(|event| is_step(event, &["StepSucceeded"])).count();
    require(
        succeeded == usize::from(execution.status == "SUCCEEDED"),
        "history",
        "its step's success contradicts its status",
    );
    let ended = execution.ended_at_ms.unwrap_or(i64::MIN);
    require(execution.ended_at_ms.is_some(), "ended_at_ms", "its end has no time");
    require(in_time(story, execution, ended), "history", "its times contradict each other");
    let rest = story.evidence.quiescent_at_ms.unwrap_or(i64::MAX);
    require(story.in_order(ended, rest), "ended_at_ms", "it ended after the trial came to rest");
    let sent = story.evidence.dispatch.at_ms;
    require(story.in_order(sent, execution.started_at_ms), "started_at_ms", "it is older than the request");
}

/// Event that ends a history with this status.
fn terminal(status: &str) -> Option<&'static str> {
    match status {
        "SUCCEEDED" => Some("ExecutionSucceeded"),
        "FAILED" => Some("ExecutionFailed"),
        "TIMED_OUT" => Some("ExecutionTimedOut"),
        "STOPPED" => Some("ExecutionStopped"),
        _ => None,
    }
}

fn unbroken(history: &[HistoryEvent]) -> bool {
    history.iter().zip(1_i64..).all(|(event, number)| event.event_id == number)
}

fn known(history: &[HistoryEvent]) -> bool {
    history.iter().all(|event| EVENT_TYPES.contains(&event.event_type.as_str()))
}

fn one_end(history: &[HistoryEvent]) -> bool {
    history.iter().filter(|event| event.event_type.starts_with("Execution")).count() == 2
}

/// Start, events in order, end; small steps backwards are within the tolerance.
fn in_time(story: &Story<'_>, execution: &Execution, ended: i64) -> bool {
    let events = execution.history.iter().map(|event| event.at_ms);
    let times: Vec<i64> =
        std::iter::once(execution.started_at_ms).chain(events).chain(std::iter::once(ended)).collect();
    times.windows(2).all(|pair| story.in_order(pair[0], pair[1]))
}

/// Every end of a step follows a start of the same operation.
fn started(history: &[HistoryEvent]) -> bool {
    history.iter().enumerate().all(|(index, event)| {
        let begun = |before: &HistoryEvent| before.event_type == "StepStarted" && before.id == event.id;
        !matches!(event.event_type.as_str(), "StepFailed" | "StepSucceeded") || history[..index].iter().any(begun)
    })
}

/// Attempts of the provider call that the history shows as ended, well or badly.
pub(super) fn attempts_ended(execution: &Execution) -> usize {
    execution.history.iter().filter(|event| is_step(event, &["StepFailed", "StepSucceeded"])).count()
}

fn is_step(event: &HistoryEvent, types: &[&str]) -> bool {
    types.contains(&event.event_type.as_str()) && event.name.as_deref() == Some(STEP)
}
