//! Did the trial's request leave? An ambiguous send counts as sent only if the records themselves prove the delivery.

use crate::findings::Findings;
use crate::story::Story;

/// 2020-01-01 and 2100-01-01: a clock outside is no wall clock.
const PLAUSIBLE_MS: std::ops::Range<i64> = 1_577_836_800_000..4_102_444_800_000;

pub(super) fn check(story: &Story<'_>, findings: &mut Findings) {
    let dispatch = &story.evidence.dispatch;
    let why = dispatch.reason.as_deref().unwrap_or("no reason given");
    let delivered = !story.caller.is_empty();
    match dispatch.outcome.as_str() {
        "done" => sent(story, findings),
        "unknown" if delivered => {}
        "unknown" => {
            findings.add(
                "/dispatch",
                format!("dispatch: whether the request left is unknown ({why}), and no record proves it"),
            );
        }
        "refused" if delivered => {
            findings.add("/dispatch", "dispatch: it was refused, yet there are records of a delivery");
        }
        "refused" => findings.add("/dispatch", format!("dispatch: the request never left: refused ({why})")),
        other => findings.add("/dispatch/outcome", format!("dispatch: outcome {other:?} is not known")),
    }
    way(story, findings);
    findings.require(PLAUSIBLE_MS.contains(&dispatch.at_ms), || {
        ("/dispatch/at_ms".to_owned(), format!("dispatch: {} ms is no plausible time", dispatch.at_ms))
    });
}

fn sent(story: &Story<'_>, findings: &mut Findings) {
    let dispatch = &story.evidence.dispatch;
    // A send whose answer was lost may be called done without an id; then the records have to prove it.
    findings.require(named(&dispatch.id) || !story.caller.is_empty(), || {
        let what = "dispatch: it is called done, but has no id, and no record proves it".to_owned();
        ("/dispatch/id".to_owned(), what)
    });
    findings.require(dispatch.id.is_none() || dispatch.reason.is_none(), || {
        ("/dispatch/reason".to_owned(), "dispatch: it is called done, but has a reason why not".to_owned())
    });
    findings.require(!story.caller.is_empty() || super::queue::dead_lettered(story), || {
        let what = "caller_journal: the request was sent, but no delivery is on record".to_owned();
        ("/caller_journal/records".to_owned(), what)
    });
}

fn way(story: &Story<'_>, findings: &mut Findings) {
    let (dispatch, queued) = (&story.evidence.dispatch, story.evidence.trial.queued);
    let expected = if queued { "queue" } else { "invoke" };
    findings.require(dispatch.how == expected, || {
        ("/dispatch/how".to_owned(), format!("dispatch: {:?} where {expected:?} is planned", dispatch.how))
    });
    let grouped = [&dispatch.group, &dispatch.deduplication_id];
    let right = if queued { grouped.into_iter().all(named) } else { grouped.into_iter().all(Option::is_none) };
    findings.require(right, || {
        let what = "dispatch: message group and deduplication id belong to a queue, and only to a queue".to_owned();
        ("/dispatch".to_owned(), what)
    });
    findings.require(dispatch.outcome == "done" || dispatch.reason.is_some(), || {
        ("/dispatch/reason".to_owned(), "dispatch: it is not done, and nothing says why".to_owned())
    });
}

fn named(field: &Option<String>) -> bool {
    field.as_ref().is_some_and(|text| !text.is_empty())
}
