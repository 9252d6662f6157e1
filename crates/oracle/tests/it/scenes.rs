//! One trial per failure class, with what must be said of it.

use crate::builder::{self, CALLERS, PROVIDERS, T0, Trial, Variant};
use evidence::record::{CommitSeen, Fact, FinishReason, Record, Scenario};
use evidence::trial::{Gap, JournalRead, TrialEvidence};
use evidence::verdict::Verdict::{self, Fail, Indeterminate, Pass};
use serde_json::json;

/// A trial and what its verdict must be and say.
pub(crate) struct Scene {
    /// Name of its fixture folder.
    pub(crate) name: &'static str,
    pub(crate) evidence: TrialEvidence,
    pub(crate) verdict: Verdict,
    pub(crate) valid: bool,
    /// Must stand in some reason, missing item or reason of invalidity.
    pub(crate) says: &'static str,
}

/// All scenes: good ones, incomplete ones, untreated ones, broken invariants.
pub(crate) fn all() -> Vec<Scene> {
    [good(), incomplete(), invalid(), broken()].into_iter().flatten().collect()
}

fn scene(name: &'static str, evidence: TrialEvidence, verdict: Verdict, valid: bool, says: &'static str) -> Scene {
    Scene { name, evidence, verdict, valid, says }
}

fn with(mut evidence: TrialEvidence, change: impl FnOnce(&mut TrialEvidence)) -> TrialEvidence {
    change(&mut evidence);
    evidence
}

fn caller(evidence: &mut TrialEvidence) -> &mut JournalRead {
    evidence.caller_journal.as_mut().unwrap()
}

fn provider(evidence: &mut TrialEvidence) -> &mut JournalRead {
    evidence.provider_journal.as_mut().unwrap()
}

fn good() -> Vec<Scene> {
    let ambiguous = with(builder::conventional_control(), |one| {
        one.dispatch.outcome = "unknown".to_owned();
        one.dispatch.id = None;
        one.dispatch.reason = Some("SendMessage timed out".to_owned());
    });
    let reconciled = with(builder::conventional_control(), |one| {
        one.dispatch.id = None;
        one.dispatch.reason = Some("the answer was lost; the caller's records prove the dispatch".to_owned());
    });
    vec![
        scene("dispatch-reconciled", reconciled, Pass, true, "exactly one success transaction"),
        scene("conventional-control", builder::conventional_control(), Pass, true, "exactly one success transaction"),
        scene("durable-control", builder::durable_control(), Pass, true, "exactly one success transaction"),
        scene(
            "conventional-idempotent",
            builder::conventional_idempotent(),
            Pass,
            true,
            "exactly one success transaction",
        ),
        scene("durable-idempotent", builder::durable_idempotent(), Pass, true, "exactly one success transaction"),
        scene("probe", builder::probe(), Pass, true, "commit → barrier → recorded timeout"),
        scene("redelivered-with-one-effect", redelivered(), Pass, true, "exactly one success transaction"),
        scene("dispatch-unknown-but-proven", ambiguous, Pass, true, "exactly one success transaction"),
    ]
}

/// The first delivery dies before it calls; the second does the work.
fn redelivered() -> TrialEvidence {
    let mut trial = Trial::new(Variant::Conventional, Scenario::Control, "canonical-1", 1, "canonical");
    trial.begins(T0, CALLERS[0], 1);
    trial.answered(T0 + 60_000, CALLERS[1], PROVIDERS[0], (2, 1));
    trial.finishes(T0 + 60_165, CALLERS[1], 2, FinishReason::Succeeded);
    trial.evidence()
}

fn incomplete() -> Vec<Scene> {
    let control = builder::conventional_control;
    let durable = builder::durable_control;
    let treated = builder::conventional_timeout;
    let mut scenes = vec![
        ("gap-declared", with(treated(), |one| one.gaps = vec![gap()]), "gap: executions/history (throttled)"),
        ("ledger-unread", with(control(), |one| one.ledger = None), "ledger: it was not read"),
        (
            "ledger-inconsistent",
            with(control(), |one| ledger(one).consistent = false),
            "ledger: the read was not consistent",
        ),
        (
            "ledger-before-rest",
            with(control(), |one| ledger(one).read_at_ms = T0),
            "ledger: it was read before the trial came to rest",
        ),
        ("journal-last-page-lost", with(treated(), last_page_lost), "provider_journal: page 1 was not the last"),
        ("journal-record-lost", with(treated(), record_lost), "record 2 is missing or doubled"),
        ("second-effect-hidden", with(treated(), effect_hidden), "ledger: no transaction matches provider_journal"),
        (
            "queue-not-stable",
            with(control(), unstable),
            "2 equal observations after the last record where 3 are needed",
        ),
        ("message-not-gone", with(control(), not_gone), "queue: the message is not gone"),
        ("execution-running", with(durable(), running), "it is still running"),
        (
            "history-event-lost",
            with(builder::durable_timeout(), event_lost),
            "event ids do not count from 1 without gaps",
        ),
        ("version-unlisted", with(durable(), version_unlisted), "executions: version 1 was listed 0 times"),
        ("alias-listed", with(durable(), alias_listed), "executions: version 1 was listed 0 times"),
        (
            "record-of-another-trial",
            with(control(), |one| caller(one).records[2].trial = "canonical-9".to_owned()),
            "belongs to another trial",
        ),
        (
            "remembered-commit-unknown",
            with(builder::conventional_idempotent(), |one| quoted(one).at_ms += 1),
            "no earlier commit matches provider_journal: answered_from_commit",
        ),
        (
            "remembered-own-commit",
            with(builder::conventional_idempotent(), |one| quoted(one).request_id = PROVIDERS[1].to_owned()),
            "no earlier commit matches provider_journal: answered_from_commit",
        ),
        ("call-still-open", with(control(), call_open), "neither committed nor ended"),
        ("provider-was-asked-otherwise", with(control(), asked_otherwise), "a provider call asked for another"),
        (
            "unread-deployment",
            with(control(), |one| one.configuration.deployed = None),
            "the deployed configuration was not read",
        ),
        ("no-clock-sample", with(control(), |one| one.clock.clear()), "clock: no usable offset was measured"),
    ];
    scenes.push((
        "no-execution-anywhere",
        nothing_anywhere(),
        "executions: the message was sent, but no version lists an execution of it",
    ));
    scenes.push(("dispatch-unknown", with(nothing_anywhere(), unknown), "whether the request left is unknown"));
    let untreated = [
        "unread-deployment",
        "no-execution-anywhere",
        "dispatch-unknown",
        "journal-last-page-lost",
        "journal-record-lost",
    ];
    scenes
        .into_iter()
        .map(|(name, one, says)| scene(name, one, Indeterminate, !untreated.contains(&name), says))
        .collect()
}

fn gap() -> Gap {
    Gap { item: "executions/history".to_owned(), reason: "throttled".to_owned() }
}

fn ledger(one: &mut TrialEvidence) -> &mut evidence::trial::LedgerRead {
    one.ledger.as_mut().unwrap()
}

fn last_page_lost(one: &mut TrialEvidence) {
    let journal = provider(one);
    let page = journal.pages.pop().unwrap();
    let left = journal.records.len() - page.items as usize;
    journal.records.truncate(left);
}

fn record_lost(one: &mut TrialEvidence) {
    provider(one).records.remove(1);
    provider(one).pages[0].items -= 1;
}

fn effect_hidden(one: &mut TrialEvidence) {
    ledger(one).transactions.pop();
    ledger(one).pages[0].items -= 1;
}

fn unstable(one: &mut TrialEvidence) {
    one.queue.as_mut().unwrap().observations.truncate(4);
}

fn not_gone(one: &mut TrialEvidence) {
    one.queue.as_mut().unwrap().observations.last_mut().unwrap().queue.in_flight = 1;
}

fn running(one: &mut TrialEvidence) {
    let execution = &mut one.executions.as_mut().unwrap().executions[0];
    execution.status = "RUNNING".to_owned();
    execution.ended_at_ms = None;
    execution.history.pop();
    execution.pages[1].items -= 1;
}

fn event_lost(one: &mut TrialEvidence) {
    let execution = &mut one.executions.as_mut().unwrap().executions[0];
    execution.history.remove(3);
    execution.pages[1].items -= 1;
}

fn version_unlisted(one: &mut TrialEvidence) {
    one.executions.as_mut().unwrap().listings.remove(0);
}

fn alias_listed(one: &mut TrialEvidence) {
    one.executions.as_mut().unwrap().listings[0].qualifier = Some("live".to_owned());
}

/// The commit that the second call says it answers from.
fn quoted(one: &mut TrialEvidence) -> &mut CommitSeen {
    let quoted = provider(one).records.iter_mut().find_map(|record: &mut Record| match &mut record.fact {
        Fact::AnsweredFromCommit { commit, .. } => Some(commit),
        _ => None,
    });
    quoted.unwrap()
}

/// The call is on record, but nothing after it: it may still move money.
fn call_open(one: &mut TrialEvidence) {
    provider(one).records.truncate(1);
    provider(one).pages = vec![builder::page(1, 1, None, None)];
    ledger(one).transactions.clear();
    ledger(one).pages[0].items = 0;
}

fn asked_otherwise(one: &mut TrialEvidence) {
    if let Fact::ProviderCallReceived { amount_minor, .. } = &mut provider(one).records[0].fact {
        *amount_minor = 9_999;
    }
}

fn unknown(one: &mut TrialEvidence) {
    one.dispatch.outcome = "unknown".to_owned();
    one.dispatch.reason = Some("SendMessage timed out".to_owned());
}

/// The message was sent, and every source is empty.
fn nothing_anywhere() -> TrialEvidence {
    Trial::new(Variant::Durable, Scenario::Control, "canonical-2", 2, "canonical").evidence()
}

fn invalid() -> Vec<Scene> {
    let control = builder::conventional_control;
    let treated = builder::conventional_timeout;
    let deployed = |one: &mut TrialEvidence| one.configuration.deployed.clone().unwrap();
    let scenes = [
        (
            "control-with-timeout",
            with(treated(), |one| one.trial.scenario = Scenario::Control),
            "a timeout occurred in CONTROL",
        ),
        (
            "treatment-absent",
            with(control(), |one| one.trial.scenario = Scenario::CommitThenTimeout),
            "the first call has no barrier_entered",
        ),
        ("barrier-expired", barrier_expired(), "the barrier expired"),
        ("release-quotes-another-timeout", with(treated(), other_quote), "the release quotes another record"),
        ("barrier-quotes-another-release", with(treated(), other_release), "the barrier quotes \"release-2\""),
        (
            "order-not-proven",
            with(treated(), |one| one.terms.clock_tolerance_ms = 2_900),
            "proves no order under a tolerance of 2900 ms",
        ),
        (
            "clock-off",
            with(treated(), |one| one.clock[0].offset_ms = -1_400),
            "the clock of sqs was off by -1400 ms ± 530 ms",
        ),
        (
            "other-artifact-deployed",
            with(treated(), |one| {
                let mut other = deployed(one);
                other.artifact_sha256 = "0".repeat(64);
                one.configuration.deployed = Some(other);
            }),
            "artifact_sha256 deployed is 000",
        ),
        (
            "answer-from-memory-not-promised",
            with(builder::conventional_idempotent(), |one| {
                one.configuration.planned.provider_promise = None;
                one.configuration.deployed.as_mut().unwrap().provider_promise = None;
            }),
            "the provider answered from an earlier commit, but the plan has one that promises nothing",
        ),
        (
            "other-promise-deployed",
            with(builder::conventional_idempotent(), |one| {
                one.configuration.deployed.as_mut().unwrap().provider_promise = None;
            }),
            "provider_promise deployed is nothing, planned idempotent",
        ),
        (
            "other-visibility-deployed",
            with(treated(), |one| {
                let mut other = deployed(one);
                other.visibility_timeout_s = Some(30);
                one.configuration.deployed = Some(other);
            }),
            "visibility_timeout_s deployed is 30, planned 60",
        ),
        (
            "other-attempts-deployed",
            with(builder::durable_timeout(), |one| {
                let mut other = deployed(one);
                other.step_attempts = None;
                one.configuration.deployed = Some(other);
            }),
            "step_attempts deployed is absent, planned 2",
        ),
    ];
    scenes.into_iter().map(|(name, one, says)| scene(name, one, Indeterminate, false, says)).collect()
}

/// Nobody releases: the first call gives up, and the second passes.
fn barrier_expired() -> TrialEvidence {
    let mut trial = Trial::new(Variant::Conventional, Scenario::CommitThenTimeout, "canonical-3", 3, "canonical");
    trial.begins(T0, CALLERS[0], 1);
    trial.dispatches(T0, CALLERS[0], (1, 1));
    let transaction = trial.commits(T0 + 140, PROVIDERS[0], (1, 1));
    trial.expires(T0 + 150, PROVIDERS[0], (1, 1), &transaction);
    trial.times_out(T0 + 3_020, CALLERS[0], (1, 1));
    trial.answered(T0 + 59_000, CALLERS[1], PROVIDERS[1], (2, 1));
    trial.finishes(T0 + 59_200, CALLERS[1], 2, FinishReason::Succeeded);
    trial.evidence()
}

fn other_quote(one: &mut TrialEvidence) {
    let records = &mut one.controller_journal.as_mut().unwrap().records;
    if let Fact::ReleaseSignalled { timeout } = &mut records[0].fact {
        timeout.at_ms -= 1;
    }
}

fn other_release(one: &mut TrialEvidence) {
    let barrier = provider(one).records.iter_mut().find_map(|record: &mut Record| match &mut record.fact {
        Fact::BarrierReleased { release } => Some(release),
        _ => None,
    });
    *barrier.unwrap() = "release-2".to_owned();
}

fn broken() -> Vec<Scene> {
    vec![
        scene(
            "conventional-timeout",
            builder::conventional_timeout(),
            Fail,
            true,
            "refund ref-poc-001 has 2 success transactions",
        ),
        scene(
            "durable-timeout",
            builder::durable_timeout(),
            Fail,
            true,
            "refund ref-poc-001 has 2 success transactions",
        ),
        scene(
            "provider-died-after-charge",
            provider_died(),
            Fail,
            true,
            "refund ref-poc-001 has 2 success transactions",
        ),
        scene("promise-broken", promise_broken(), Fail, true, "refund ref-poc-001 has 2 success transactions"),
        scene("caller-died-before-checkpoint", replayed(), Fail, true, "refund ref-poc-001 has 2 success transactions"),
        scene(
            "dead-lettered-with-two-effects",
            dead_lettered(),
            Fail,
            true,
            "refund ref-poc-001 has 2 success transactions",
        ),
        scene("refund-lost", refund_lost(), Fail, true, "refund ref-poc-001 has 0 success transactions"),
        scene(
            "other-amount",
            with(builder::conventional_control(), |one| amounts(one, 9_000)),
            Fail,
            true,
            "is not authorised",
        ),
        scene(
            "over-captured",
            with(builder::conventional_control(), |one| amounts(one, 10_001)),
            Fail,
            true,
            "refunded 10001 BRL (minor units), captured 10000",
        ),
        scene("other-currency", with(builder::conventional_control(), currencies), Fail, true, "is in USD, not in BRL"),
        scene(
            "other-identity",
            with(builder::conventional_timeout(), identities),
            Fail,
            true,
            "attempts carry ref-poc-002",
        ),
    ]
}

/// The provider's process ends after the commit: no timeout, no answer, and the queue delivers again.
fn provider_died() -> TrialEvidence {
    let mut trial = Trial::new(Variant::Conventional, Scenario::Control, "canonical-1", 1, "canonical");
    trial.begins(T0, CALLERS[0], 1);
    trial.dispatches(T0, CALLERS[0], (1, 1));
    trial.commits(T0 + 140, PROVIDERS[0], (1, 1));
    trial.fails(T0 + 180, CALLERS[0], (1, 1));
    trial.answered(T0 + 59_900, CALLERS[1], PROVIDERS[1], (2, 1));
    trial.finishes(T0 + 60_100, CALLERS[1], 2, FinishReason::Succeeded);
    trial.evidence()
}

/// The provider promised idempotency, and the second call moved money all the same.
fn promise_broken() -> TrialEvidence {
    let trial = Trial::new(Variant::Conventional, Scenario::CommitThenTimeout, "canonical-3", 3, "canonical");
    let mut trial = trial.idempotent();
    trial.begins(T0, CALLERS[0], 1);
    trial.held(T0, CALLERS[0], PROVIDERS[0], (1, 1));
    trial.answered(T0 + 59_100, CALLERS[1], PROVIDERS[1], (2, 1));
    trial.finishes(T0 + 59_270, CALLERS[1], 2, FinishReason::Succeeded);
    trial.evidence()
}

/// The caller's process ends after the answer and before the checkpoint: the replay makes the same attempt again.
fn replayed() -> TrialEvidence {
    let mut trial = Trial::new(Variant::Durable, Scenario::Control, "canonical-2", 2, "canonical");
    trial.begins(T0, CALLERS[0], 1);
    trial.answered(T0, CALLERS[0], PROVIDERS[0], (1, 1));
    trial.answered(T0 + 5_000, CALLERS[1], PROVIDERS[1], (1, 1));
    trial.finishes(T0 + 5_240, CALLERS[1], 1, FinishReason::Succeeded);
    let events = [
        ("ExecutionStarted", T0 - 120, json!({"ExecutionTimeout": 300})),
        ("StepStarted", T0 - 5, json!({})),
        ("InvocationCompleted", T0 + 400, json!({"RequestId": CALLERS[0], "Error": {"Truncated": false}})),
        ("StepSucceeded", T0 + 5_210, json!({"Result": {"Truncated": false}})),
        ("InvocationCompleted", T0 + 5_250, builder::completed(CALLERS[1])),
        ("ExecutionSucceeded", T0 + 5_252, json!({"Result": {"Truncated": false}})),
    ];
    trial.executes(T0 - 120, &events, "SUCCEEDED");
    trial.evidence()
}

/// Both deliveries time out; the message ends in the dead-letter queue and the caller reports FAILED.
fn dead_lettered() -> TrialEvidence {
    let mut trial = Trial::new(Variant::Conventional, Scenario::CommitThenTimeout, "canonical-3", 3, "canonical");
    trial.begins(T0, CALLERS[0], 1);
    trial.held(T0, CALLERS[0], PROVIDERS[0], (1, 1));
    let again = T0 + 59_100;
    trial.dispatches(again, CALLERS[1], (2, 1));
    let transaction = trial.commits(again + 2_990, PROVIDERS[1], (2, 1));
    trial.sends(again + 3_040, PROVIDERS[1], (2, 1), &transaction);
    trial.times_out(again + 3_015, CALLERS[1], (2, 1));
    trial.finishes(again + 3_060, CALLERS[1], 2, FinishReason::Failed);
    with(trial.evidence(), dead_letter)
}

/// The provider was never reached.
fn refund_lost() -> TrialEvidence {
    let mut trial = Trial::new(Variant::Conventional, Scenario::Control, "canonical-1", 1, "canonical");
    trial.begins(T0, CALLERS[0], 1);
    for (at, request, delivery) in [(T0, CALLERS[0], 1), (T0 + 60_000, CALLERS[1], 2)] {
        trial.dispatches(at, request, (delivery, 1));
        trial.fails(at + 40, request, (delivery, 1));
    }
    trial.finishes(T0 + 60_080, CALLERS[1], 2, FinishReason::Failed);
    with(trial.evidence(), dead_letter)
}

fn dead_letter(one: &mut TrialEvidence) {
    for look in one.queue.as_mut().unwrap().observations.iter_mut().skip(2) {
        look.dead_letter.visible = 1;
    }
}

/// The provider refunds another amount than approved, and says so everywhere.
fn amounts(one: &mut TrialEvidence, amount: i64) {
    for record in &mut provider(one).records {
        if let Fact::ProviderCallReceived { amount_minor, .. } | Fact::ProviderCommitConfirmed { amount_minor, .. } =
            &mut record.fact
        {
            *amount_minor = amount;
        }
    }
    ledger(one).transactions[0].amount_minor = amount;
}

fn currencies(one: &mut TrialEvidence) {
    for record in &mut provider(one).records {
        if let Fact::ProviderCallReceived { currency, .. } | Fact::ProviderCommitConfirmed { currency, .. } =
            &mut record.fact
        {
            *currency = "USD".to_owned();
        }
    }
    ledger(one).transactions[0].currency = "USD".to_owned();
}

/// The second attempt carries another refund's identity from dispatch to ledger.
fn identities(one: &mut TrialEvidence) {
    let other = "ref-poc-002".to_owned();
    for record in caller(one).records.iter_mut().filter(|record| record.delivery == 2 && record.attempt > 0) {
        record.refund_request_id.clone_from(&other);
    }
    for record in provider(one).records.iter_mut().filter(|record| record.delivery == 2) {
        record.refund_request_id.clone_from(&other);
    }
    ledger(one).transactions[1].refund_request_id = other;
}
