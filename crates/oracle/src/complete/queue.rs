//! The queue came to rest: the message is gone, and several looks in a row agree. Nobody receives to look.

use crate::findings::Findings;
use crate::story::Story;
use evidence::trial::{QueueCounts, QueueObservation};

pub(super) fn check(story: &Story<'_>, findings: &mut Findings) {
    let Some(queue) = story.evidence.queue.as_ref().filter(|_| story.evidence.trial.queued) else { return };
    let observations = &queue.observations;
    let ordered = observations.is_sorted_by(|one, other| one.at_ms < other.at_ms);
    findings
        .require(ordered, || ("/queue/observations".to_owned(), "queue: the observations are out of order".to_owned()));
    let Some(last) = observations.last() else {
        findings.add("/queue/observations", "queue: it was never observed");
        return;
    };
    let pointer = format!("/queue/observations/{}", observations.len() - 1);
    findings.require(empty(&last.queue), || (format!("{pointer}/queue"), "queue: the message is not gone".to_owned()));
    findings.require(last.dead_letter.in_flight == 0 && last.dead_letter.delayed == 0, || {
        (format!("{pointer}/dead_letter"), "queue: the dead-letter queue is not at rest".to_owned())
    });
    let needed = usize::try_from(story.evidence.terms.stable_observations).unwrap_or(usize::MAX);
    let stable = stable(story, observations, last);
    findings.require(stable >= needed, || {
        (pointer, format!("queue: {stable} equal observations after the last record where {needed} are needed"))
    });
}

/// Equal observations at the end that were made after the request left and after the caller last wrote.
fn stable(story: &Story<'_>, observations: &[QueueObservation], last: &QueueObservation) -> usize {
    let written = story.caller.iter().map(|entry| entry.record.at_ms).max();
    let since = written.unwrap_or(i64::MIN).max(story.evidence.dispatch.at_ms);
    let same = |one: &&QueueObservation| {
        (one.queue, one.dead_letter) == (last.queue, last.dead_letter) && story.in_order(since, one.at_ms)
    };
    observations.iter().rev().take_while(same).count()
}

/// Whether the last look saw a message in the dead-letter queue.
pub(super) fn dead_lettered(story: &Story<'_>) -> bool {
    let last = story.evidence.queue.as_ref().and_then(|queue| queue.observations.last());
    last.is_some_and(|last| last.dead_letter.visible > 0)
}

fn empty(counts: &QueueCounts) -> bool {
    counts.visible == 0 && counts.in_flight == 0 && counts.delayed == 0
}
