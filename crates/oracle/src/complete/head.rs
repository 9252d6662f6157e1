//! The trial's identity, and whether the file's sections are those that such a trial has.

use crate::findings::Findings;
use crate::story::Story;
use evidence::trial::SCHEMA;

pub(super) fn check(story: &Story<'_>, findings: &mut Findings) {
    let evidence = story.evidence;
    let trial = &evidence.trial;
    let mut require = |holds: bool, pointer: &str, what: &str| {
        if !holds {
            findings.add(pointer, format!("trial: {what}"));
        }
    };
    require(evidence.schema == SCHEMA, "/schema", "the schema is not the one this oracle reads");
    for (name, text) in [
        ("/trial/id", &trial.id),
        ("/trial/stage", &trial.stage),
        ("/trial/variant", &trial.variant),
        ("/trial/refund_request_id", &trial.refund_request_id),
    ] {
        require(!text.trim().is_empty(), name, "an identity is empty");
    }
    require(trial.number > 0, "/trial/number", "the number does not count from 1");
    require(trial.queued || evidence.queue.is_none(), "/queue", "no queue is planned, but one was observed");
    require(!trial.queued || evidence.queue.is_some(), "/queue", "the queue was not observed");
    require(
        trial.durable || evidence.executions.is_none(),
        "/executions",
        "no durable executions are planned, but some were read",
    );
    require(!trial.durable || evidence.executions.is_some(), "/executions", "the durable executions were not read");
    require(
        evidence.configuration.deployed.is_some(),
        "/configuration/deployed",
        "the deployed configuration was not read",
    );
    require(evidence.quiescent_at_ms.is_some(), "/quiescent_at_ms", "it was not seen at rest");
}
