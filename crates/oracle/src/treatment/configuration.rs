//! What was deployed is what was planned.

use super::Objections;
use crate::story::Story;
use evidence::record::{Fact, Promise};
use evidence::trial::Configuration;

pub(super) fn check(story: &Story<'_>, objections: &mut Objections) {
    let pair = &story.evidence.configuration;
    match &pair.deployed {
        None => objections.absent("/configuration/deployed", "the deployed configuration was not read"),
        Some(deployed) => compare(&pair.planned, deployed, objections),
    }
    deadlines(story, objections);
    promise(story, objections);
}

fn compare(planned: &Configuration, deployed: &Configuration, objections: &mut Objections) {
    if planned.artifact_sha256 != deployed.artifact_sha256 {
        let why =
            format!("artifact_sha256 deployed is {}, planned {}", deployed.artifact_sha256, planned.artifact_sha256);
        objections.broken("/configuration/deployed/artifact_sha256", why);
    }
    if planned.provider_promise != deployed.provider_promise {
        let word = |promise| if promise == Some(Promise::Idempotent) { "idempotent" } else { "nothing" };
        let why = format!(
            "provider_promise deployed is {}, planned {}",
            word(deployed.provider_promise),
            word(planned.provider_promise)
        );
        objections.broken("/configuration/deployed", why);
    }
    for ((field, planned), (_, deployed)) in numbers(planned).into_iter().zip(numbers(deployed)) {
        if planned != deployed {
            let why = format!("{field} deployed is {}, planned {}", words(deployed), words(planned));
            objections.broken(format!("/configuration/deployed/{field}"), why);
        }
    }
}

fn numbers(configuration: &Configuration) -> [(&'static str, Option<u32>); 8] {
    // Taken apart by name, so that a new setting cannot be forgotten here.
    let Configuration {
        artifact_sha256: ref _artifact,
        deadline_ms,
        function_timeout_s,
        visibility_timeout_s,
        max_receive_count,
        batch_size,
        step_attempts,
        step_delay_s,
        execution_timeout_s,
        provider_promise: _,
    } = *configuration;
    [
        ("deadline_ms", Some(deadline_ms)),
        ("function_timeout_s", Some(function_timeout_s)),
        ("visibility_timeout_s", visibility_timeout_s),
        ("max_receive_count", max_receive_count),
        ("batch_size", batch_size),
        ("step_attempts", step_attempts),
        ("step_delay_s", step_delay_s),
        ("execution_timeout_s", execution_timeout_s),
    ]
}

fn words(number: Option<u32>) -> String {
    number.map_or_else(|| "absent".to_owned(), |number| number.to_string())
}

/// The deadline that the caller says it used is part of the treatment too.
fn deadlines(story: &Story<'_>, objections: &mut Objections) {
    let planned = story.evidence.terms.deadline_ms;
    for entry in &story.caller {
        let (Fact::DispatchStarted { deadline_ms } | Fact::CallerTimeoutRecorded { deadline_ms, .. }) =
            entry.record.fact
        else {
            continue;
        };
        if deadline_ms != planned {
            let why = format!("the caller's deadline was {deadline_ms} ms, planned {planned} ms");
            objections.broken(format!("{}/deadline_ms", entry.pointer()), why);
        }
    }
}

/// A provider that answers from memory where nothing is promised is another provider than the one planned.
fn promise(story: &Story<'_>, objections: &mut Objections) {
    if story.evidence.configuration.planned.provider_promise == Some(Promise::Idempotent) {
        return;
    }
    for entry in &story.provider {
        if matches!(entry.record.fact, Fact::AnsweredFromCommit { .. }) {
            let why = "the provider answered from an earlier commit, but the plan has one that promises nothing";
            objections.broken(entry.pointer(), why);
        }
    }
}
