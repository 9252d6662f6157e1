//! Changes that leave the verdict as it is and may do so, each with its reason.

use crate::mutation::Mutant;
use evidence::verdict::Verdict;

/// Place (`*` any index, `a-b` a range of indices, `**` everything below), how it was changed (`*` anything),
/// and why the invariant does not hang on it.
type Row = (&'static str, &'static [&'static str], &'static str);

const ANY: &[&str] = &["*"];
/// Below the tolerance of 500 ms.
const SMALL: &[&str] = &["+1", "-1", "+100"];

/// Harmless whatever the verdict.
const TABLE: &[Row] = &[
    ("/trial/variant", ANY, "a label; what the variant does is compared setting by setting"),
    (
        "/terms/captured_minor",
        &["+1", "+100", "+10000", "+86400000", "u32", "largest"],
        "M2 holds under the higher ceiling too; the plan's digest anchors the terms",
    ),
    (
        "/terms/clock_tolerance_ms",
        &["+1", "-1", "+100", "+500", "-500"],
        "the order is proven under the changed tolerance too",
    ),
    ("/terms/stable_observations", &["+1", "-1"], "there are as many equal looks"),
    (
        "/terms/stable_observations",
        &["+100", "+3", "+10000", "+86400000", "u32"],
        "only the probe passes: it has no queue",
    ),
    (
        "/dispatch/at_ms",
        &["+1", "-1", "+100", "-10000", "-86400000"],
        "within the tolerance; an earlier send only widens the window",
    ),
    ("/dispatch/id", ANY, "names the message; records join by trial, not by it"),
    ("/dispatch/group", &["longer"], "names the group; records join by trial, not by it"),
    ("/dispatch/deduplication_id", &["longer"], "names the message; records join by trial, not by it"),
    ("/quiescent_at_ms", SMALL, "within the tolerance, and still before every read"),
    ("/caller_journal/read_at_ms", ANY, "a later read sees no less; an earlier one is caught while it is before rest"),
    (
        "/provider_journal/read_at_ms",
        ANY,
        "a later read sees no less; an earlier one is caught while it is before rest",
    ),
    (
        "/controller_journal/read_at_ms",
        ANY,
        "a later read sees no less; an earlier one is caught while it is before rest",
    ),
    ("/ledger/read_at_ms", ANY, "a later read sees no less; an earlier one is caught while it is before rest"),
    ("/ledger/transactions/*/at_ms", SMALL, "within the tolerance of its commit"),
    (
        "/caller_journal/records/*/at_ms",
        SMALL,
        "states and knowledge have fixed keys; within the tolerance no order changes",
    ),
    (
        "/controller_journal/records/*/at_ms",
        SMALL,
        "the release has a fixed key; within the tolerance no order changes",
    ),
    (
        "/controller_journal/records/*/request_id",
        ANY,
        "the controller's own; the release is found by its fixed key and what it quotes",
    ),
    ("/caller_journal/records/*/error", &["longer", "empty"], "words for people"),
    (
        "/caller_journal/records/*/elapsed_ms",
        &["+1", "-1", "+100", "+150", "-150"],
        "within deadline and tolerance; how long a call took is a diagnostic",
    ),
    (
        "/caller_journal/records/6",
        &["gone, pages fit", "gone, pages and numbers fit"],
        "the probe's FINISHED: without a queue nothing depends on the end that the caller reports",
    ),
    ("/clock", &["element 0 doubled", "element 1 doubled", "element 0 swapped"], "the same offsets were measured"),
    ("/clock/0-1", &["absent"], "the other offset is still there"),
    ("/clock/*/at_ms", &["+1", "-1", "+100", "+10000", "-10000"], "still near the trial"),
    (
        "/clock/*/offset_ms",
        &["+1", "-1", "+100", "+120", "-120", "-240", "+210", "-210", "+420"],
        "still within the tolerance",
    ),
    ("/clock/*/service", ANY, "a label"),
    (
        "/clock/*/uncertainty_ms",
        ANY,
        "the other offset is still usable, and this one is within the tolerance even if it were exact",
    ),
    ("/queue/observations/0-5", &["absent"], "three equal looks at the end are left"),
    ("/queue/observations/0-2/queue/**", ANY, "what was in the queue before the three last looks decides nothing"),
    (
        "/queue/observations/0-2/dead_letter/**",
        ANY,
        "what was in the dead-letter queue before the three last looks decides nothing",
    ),
    ("/queue/observations/0-1/at_ms", ANY, "an early look may be earlier; out of order it is caught"),
    (
        "/queue/observations/2/at_ms",
        &["+1", "-1", "+100", "-10000"],
        "an early look may be earlier; out of order it is caught",
    ),
    ("/queue/observations/3-4/at_ms", SMALL, "still in order and after the last record"),
    ("/queue/observations/5/at_ms", ANY, "the last look may be later"),
    ("/executions/listings", &["element 0 swapped"], "the lists have no order"),
    (
        "/executions/listings/1/arns/*",
        ANY,
        "the unqualified list may cover $LATEST only; the execution is in its version's list",
    ),
    ("/executions/executions/*/started_at_ms", SMALL, "within the tolerance"),
    ("/executions/executions/*/ended_at_ms", SMALL, "within the tolerance"),
    (
        "/executions/executions/*/history/*/at_ms",
        &["+1", "-1", "+100", "+10000", "-10000"],
        "between its neighbours or within the tolerance; T rests on the journals' times",
    ),
    ("/executions/executions/*/history/*/details", &["null"], "payloads; effects are counted in the ledger"),
    ("/executions/executions/*/history/*/details/**", ANY, "payloads; effects are counted in the ledger"),
    ("/executions/executions/*/history/*/id", ANY, "events without a step have no operation to belong to"),
    ("/executions/executions/*/history/*/name", ANY, "only the step's success is joined by name"),
    (
        "/executions/executions/*/history/*/event_type",
        &["\"InvocationCompleted\"", "\"StepStarted\"", "\"StepFailed\"", "\"StepSucceeded\""],
        "the history still ends once, as the status says, with one success of the step",
    ),
    (
        "/executions/executions/*/history/*",
        &["gone, pages and numbers fit"],
        "how often Lambda was invoked decides nothing; the caller's journal names each attempt",
    ),
];

/// Harmless only because the monetary rules fail with and without the change.
const STILL_FAILS: &[Row] = &[
    ("/provider_journal/records/*/amount_minor", ANY, "what a call asked for; the ledger shows two effects anyway"),
    ("/provider_journal/records/*/currency", ANY, "what a call asked for; the ledger shows two effects anyway"),
    ("/terms/captured_minor", ANY, "two effects exceed one authorised refund anyway"),
    ("/terms/authorised/*/**", ANY, "two effects are not one authorised refund, whatever it is"),
];

/// The row's place, if the table calls a mutant harmless.
pub(crate) fn place(mutant: &Mutant, verdict: Verdict) -> Option<&'static str> {
    let failing = STILL_FAILS.iter().filter(|_| verdict == Verdict::Fail);
    let mut rows = TABLE.iter().chain(failing);
    let changed = |hows: &[&str]| hows.iter().any(|how| *how == "*" || *how == mutant.how);
    rows.find(|(place, hows, _)| matches(place, &mutant.place) && changed(hows)).map(|(place, _, _)| *place)
}

/// All places in the tables.
pub(crate) fn places() -> impl Iterator<Item = &'static str> {
    TABLE.iter().chain(STILL_FAILS).map(|(place, _, _)| *place)
}

fn matches(pattern: &str, place: &str) -> bool {
    let mut tokens = place.split('/');
    for want in pattern.split('/') {
        match (want, tokens.next()) {
            ("**", Some(_)) => return true,
            (want, Some(token)) if fits(want, token) => {}
            _ => return false,
        }
    }
    tokens.next().is_none()
}

fn fits(want: &str, token: &str) -> bool {
    let index = token.parse::<usize>().ok();
    match want.split_once('-').and_then(|(from, to)| Some((from.parse().ok()?, to.parse().ok()?))) {
        Some((from, to)) => index.is_some_and(|index| (from..=to).contains(&index)),
        None => want == token || (want == "*" && index.is_some()),
    }
}

#[test]
fn rows_match_places_by_index_and_depth() {
    assert!(matches("/clock/*/at_ms", "/clock/3/at_ms"));
    assert!(!matches("/clock/0-1/at_ms", "/clock/3/at_ms"));
    assert!(matches("/queue/observations/0-2/queue/**", "/queue/observations/1/queue/visible"));
    assert!(!matches("/queue", "/queue/observations"));
}

#[test]
fn every_row_has_a_reason() {
    assert!(TABLE.iter().chain(STILL_FAILS).all(|(_, hows, why)| !hows.is_empty() && why.len() > 6));
}
