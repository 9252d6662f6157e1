//! Good trials with realistic values: both variants in both scenarios, and the transport probe.

use evidence::record::{
    CommitSeen, Fact, FinishReason, Knowledge, Promise, RELEASE_RECORD_ID, Record, RequestState, Scenario, Source,
    TimeoutSeen, Transaction,
};
use evidence::trial::{
    ClockSample, Configuration, ConfigurationPair, Dispatch, Effect, Execution, ExecutionListing, ExecutionsRead,
    HistoryEvent, JournalRead, LedgerRead, Page, QueueCounts, QueueObservation, QueueRead, SCHEMA, Terms,
    TrialEvidence, TrialId,
};
use serde_json::{Value, json};
use std::collections::HashMap;

/// 2026-11-30T06:16:50.248Z, when the first provider call leaves.
pub(crate) const T0: i64 = 1_796_019_410_248;

const REFUND: &str = "ref-poc-001";
const AMOUNT: i64 = 10_000;
const DEADLINE: u32 = 3_000;
const EMPTY: QueueCounts = QueueCounts { visible: 0, in_flight: 0, delayed: 0 };

/// Which architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variant {
    Conventional,
    Durable,
    Probe,
}

impl Variant {
    fn name(self) -> &'static str {
        match self {
            Self::Conventional => "conventional",
            Self::Durable => "durable",
            Self::Probe => "probe",
        }
    }
}

/// Everything that happens in a trial, collected as it happens.
pub(crate) struct Trial {
    id: TrialId,
    records: Vec<Record>,
    written: HashMap<(Source, String), u32>,
    transactions: Vec<Transaction>,
    executions: Vec<Execution>,
    promise: Option<Promise>,
    end: i64,
}

impl Trial {
    pub(crate) fn new(variant: Variant, scenario: Scenario, id: &str, number: u32, stage: &str) -> Self {
        let (durable, queued) = (variant == Variant::Durable, variant != Variant::Probe);
        let id = TrialId {
            id: id.to_owned(),
            number,
            stage: stage.to_owned(),
            variant: variant.name().to_owned(),
            scenario,
            durable,
            queued,
            refund_request_id: REFUND.to_owned(),
        };
        let (records, written) = (Vec::new(), HashMap::new());
        Self { id, records, written, transactions: Vec::new(), executions: Vec::new(), promise: None, end: T0 }
    }

    /// Planned and deployed is a provider that answers repeated requests from memory.
    pub(crate) fn idempotent(mut self) -> Self {
        self.promise = Some(Promise::Idempotent);
        self
    }

    fn write(&mut self, source: Source, at_ms: i64, request: &str, call: (u32, u32), fact: Fact) -> Record {
        let seq = self.written.entry((source, request.to_owned())).or_default();
        *seq += 1;
        let record_id = match &fact {
            Fact::StateChanged { to, .. } => format!("state-{}", word(to)),
            Fact::EffectKnowledge { value } => format!("knowledge-{}", word(value)),
            Fact::ReleaseSignalled { .. } => RELEASE_RECORD_ID.to_owned(),
            _ => format!("{at_ms:013}-{request}-{:04}", *seq),
        };
        let record = Record {
            source,
            record_id,
            trial: self.id.id.clone(),
            delivery: call.0,
            attempt: call.1,
            refund_request_id: REFUND.to_owned(),
            request_id: request.to_owned(),
            seq: *seq,
            at_ms,
            fact,
        };
        self.records.push(record.clone());
        self.end = self.end.max(at_ms);
        record
    }

    pub(crate) fn begins(&mut self, at_ms: i64, request: &str, delivery: u32) {
        let (received, processing) = (RequestState::Received, RequestState::Processing);
        let first = Fact::StateChanged { from: None, to: received, reason: None };
        self.write(Source::Caller, at_ms - 40, request, (delivery, 0), first);
        let second = Fact::StateChanged { from: Some(received), to: processing, reason: None };
        self.write(Source::Caller, at_ms - 20, request, (delivery, 0), second);
    }

    pub(crate) fn finishes(&mut self, at_ms: i64, request: &str, delivery: u32, reason: FinishReason) {
        let (from, to) = (Some(RequestState::Processing), RequestState::Finished);
        self.write(
            Source::Caller,
            at_ms,
            request,
            (delivery, 0),
            Fact::StateChanged { from, to, reason: Some(reason) },
        );
    }

    pub(crate) fn dispatches(&mut self, at_ms: i64, request: &str, call: (u32, u32)) {
        self.write(Source::Caller, at_ms, request, call, Fact::DispatchStarted { deadline_ms: DEADLINE });
    }

    /// Receipt and commit; returns the transaction's id.
    pub(crate) fn commits(&mut self, at_ms: i64, request: &str, call: (u32, u32)) -> String {
        let currency = "BRL".to_owned();
        let received = Fact::ProviderCallReceived { amount_minor: AMOUNT, currency: currency.clone() };
        self.write(Source::Provider, at_ms - 45, request, call, received);
        let transaction_id = format!("txn-{request}-5f0c{:04x}", self.transactions.len());
        let fact = Fact::ProviderCommitConfirmed {
            transaction_id: transaction_id.clone(),
            amount_minor: AMOUNT,
            currency: currency.clone(),
        };
        let record = self.write(Source::Provider, at_ms, request, call, fact);
        self.transactions.push(Transaction {
            trial: record.trial,
            transaction_id: transaction_id.clone(),
            refund_request_id: REFUND.to_owned(),
            amount_minor: AMOUNT,
            currency,
            status: "SUCCESS".to_owned(),
            request_id: request.to_owned(),
            delivery: call.0,
            attempt: call.1,
            at_ms,
        });
        transaction_id
    }

    pub(crate) fn sends(&mut self, at_ms: i64, request: &str, call: (u32, u32), transaction_id: &str) {
        let transaction_id = transaction_id.to_owned();
        self.write(Source::Provider, at_ms, request, call, Fact::ResponseSent { transaction_id });
    }

    pub(crate) fn receives(
        &mut self,
        at_ms: i64,
        request: &str,
        call: (u32, u32),
        transaction_id: &str,
        elapsed_ms: u32,
    ) {
        let transaction_id = transaction_id.to_owned();
        self.write(Source::Caller, at_ms, request, call, Fact::ResponseReceived { transaction_id, elapsed_ms });
    }

    /// A whole call that goes well, 150 ms long.
    pub(crate) fn answered(&mut self, at_ms: i64, caller: &str, provider: &str, call: (u32, u32)) {
        self.dispatches(at_ms, caller, call);
        let transaction = self.commits(at_ms + 105, provider, call);
        self.sends(at_ms + 120, provider, call, &transaction);
        self.receives(at_ms + 152, caller, call, &transaction, 150);
    }

    /// A whole call that goes well and moves no money: the provider answers from its first commit.
    pub(crate) fn remembered(&mut self, at_ms: i64, caller: &str, provider: &str, call: (u32, u32)) {
        let first = self.transactions[0].clone();
        self.dispatches(at_ms, caller, call);
        let received = Fact::ProviderCallReceived { amount_minor: AMOUNT, currency: "BRL".to_owned() };
        self.write(Source::Provider, at_ms + 60, provider, call, received);
        let commit = CommitSeen {
            request_id: first.request_id,
            delivery: first.delivery,
            attempt: first.attempt,
            at_ms: first.at_ms,
        };
        let transaction_id = first.transaction_id;
        let fact = Fact::AnsweredFromCommit { transaction_id: transaction_id.clone(), commit };
        self.write(Source::Provider, at_ms + 105, provider, call, fact);
        self.sends(at_ms + 120, provider, call, &transaction_id);
        self.receives(at_ms + 152, caller, call, &transaction_id, 150);
    }

    /// A whole call under the treatment: commit, hold, timeout, release, answer to nobody.
    pub(crate) fn held(&mut self, at_ms: i64, caller: &str, provider: &str, call: (u32, u32)) {
        self.dispatches(at_ms, caller, call);
        let transaction = self.commits(at_ms + 145, provider, call);
        let transaction_id = transaction.clone();
        self.write(Source::Provider, at_ms + 160, provider, call, Fact::BarrierEntered { transaction_id });
        let timeout = self.times_out(at_ms + 3_029, caller, call);
        let timeout = TimeoutSeen {
            record_id: timeout.record_id,
            request_id: timeout.request_id,
            delivery: timeout.delivery,
            attempt: timeout.attempt,
            at_ms: timeout.at_ms,
        };
        let released = at_ms + 3_310;
        self.write(
            Source::Controller,
            released,
            "c0ffee00-0000-4000-8000-000000000001",
            call,
            Fact::ReleaseSignalled { timeout },
        );
        let release = RELEASE_RECORD_ID.to_owned();
        self.write(Source::Provider, released + 55, provider, call, Fact::BarrierReleased { release });
        self.sends(released + 70, provider, call, &transaction);
    }

    /// A call that fails after it left, not by a timeout; knowledge is lost once per trial.
    pub(crate) fn fails(&mut self, at_ms: i64, caller: &str, call: (u32, u32)) {
        if !self.records.iter().any(|record| matches!(record.fact, Fact::EffectKnowledge { .. })) {
            self.write(Source::Caller, at_ms, caller, call, Fact::EffectKnowledge { value: Knowledge::Unknown });
        }
        let error = "the provider's process ended: the outcome is unknown".to_owned();
        self.write(Source::Caller, at_ms + 12, caller, call, Fact::CallerFailed { error });
    }

    /// The barrier is entered and nobody opens it.
    pub(crate) fn expires(&mut self, at_ms: i64, provider: &str, call: (u32, u32), transaction_id: &str) {
        let transaction_id = transaction_id.to_owned();
        self.write(
            Source::Provider,
            at_ms,
            provider,
            call,
            Fact::BarrierEntered { transaction_id: transaction_id.clone() },
        );
        self.write(Source::Provider, at_ms + 10_000, provider, call, Fact::BarrierExpired { waited_ms: 10_000 });
        self.sends(at_ms + 10_010, provider, call, &transaction_id);
    }

    pub(crate) fn times_out(&mut self, at_ms: i64, caller: &str, call: (u32, u32)) -> Record {
        let fact = Fact::CallerTimeoutRecorded { deadline_ms: DEADLINE, elapsed_ms: 3_002 };
        let timeout = self.write(Source::Caller, at_ms, caller, call, fact);
        if !self.records.iter().any(|record| matches!(record.fact, Fact::EffectKnowledge { .. })) {
            self.write(Source::Caller, at_ms + 12, caller, call, Fact::EffectKnowledge { value: Knowledge::Unknown });
        }
        let error = "no answer from the provider within 3000 ms".to_owned();
        self.write(Source::Caller, at_ms + 24, caller, call, Fact::CallerFailed { error });
        timeout
    }

    pub(crate) fn executes(&mut self, started: i64, events: &[(&str, i64, Value)], status: &str) {
        let history: Vec<HistoryEvent> = events
            .iter()
            .zip(1_i64..)
            .map(|((event_type, at_ms, details), event_id)| HistoryEvent {
                event_id,
                event_type: (*event_type).to_owned(),
                id: event_type.starts_with("Step").then(|| "c4ca4238a0b92382".to_owned()),
                name: event_type.starts_with("Step").then(|| "refund-attempt".to_owned()),
                at_ms: *at_ms,
                details: details.clone(),
            })
            .collect();
        let ended_at_ms = history.last().map(|event| event.at_ms);
        self.end = self.end.max(ended_at_ms.unwrap_or_default());
        let (first, rest) = history.split_at(2.min(history.len()));
        let pages = vec![
            page(1, first.len(), None, Some("11f6ad8ec52a2984abaafd7c3b516503785c2072")),
            page(2, rest.len(), Some("11f6ad8ec52a2984abaafd7c3b516503785c2072"), None),
        ];
        let arn = format!(
            "arn:aws:lambda:us-east-1:123456789012:function:assay-caller:1/durable-execution/e{}",
            self.executions.len() + 1
        );
        let status = status.to_owned();
        self.executions.push(Execution {
            arn,
            version: "1".to_owned(),
            status,
            started_at_ms: started,
            ended_at_ms,
            pages,
            history,
        });
    }

    /// Everything as the harness reads it after the end.
    pub(crate) fn evidence(mut self) -> TrialEvidence {
        let quiescent = self.end + 1_500;
        self.records.sort_by(|one, other| {
            (one.at_ms, &one.request_id, one.seq).cmp(&(other.at_ms, &other.request_id, other.seq))
        });
        let journal = |source: Source| Some(journal(&self.records, source, quiescent + 400));
        let (queued, durable) = (self.id.queued, self.id.durable);
        let configuration = configuration(&self.id, self.promise);
        TrialEvidence {
            schema: SCHEMA.to_owned(),
            terms: terms(),
            configuration: ConfigurationPair { planned: configuration.clone(), deployed: Some(configuration) },
            dispatch: dispatch(&self.id),
            caller_journal: journal(Source::Caller),
            provider_journal: journal(Source::Provider),
            controller_journal: journal(Source::Controller),
            ledger: Some(LedgerRead {
                consistent: true,
                read_at_ms: quiescent + 500,
                pages: vec![page(1, self.transactions.len(), None, None)],
                transactions: self.transactions,
            }),
            queue: queued.then(|| queue(self.end)),
            executions: durable.then(|| executions(self.executions)),
            clock: vec![sample("sqs", T0 - 900, 120, 530), sample("lambda", quiescent + 600, -210, 540)],
            quiescent_at_ms: Some(quiescent),
            gaps: Vec::new(),
            trial: self.id,
        }
    }
}

fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).unwrap().as_str().unwrap().to_owned()
}

pub(crate) fn page(number: u32, items: usize, token: Option<&str>, next: Option<&str>) -> Page {
    Page {
        number,
        items: u32::try_from(items).unwrap(),
        token: token.map(str::to_owned),
        next: next.map(str::to_owned),
    }
}

fn journal(records: &[Record], source: Source, read_at_ms: i64) -> JournalRead {
    let records: Vec<Record> = records.iter().filter(|record| record.source == source).cloned().collect();
    let half = records.len() / 2;
    let token = "5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9";
    let pages = vec![page(1, half, None, Some(token)), page(2, records.len() - half, Some(token), None)];
    JournalRead { consistent: true, read_at_ms, pages, records }
}

fn terms() -> Terms {
    let effect = Effect { refund_request_id: REFUND.to_owned(), amount_minor: AMOUNT, currency: "BRL".to_owned() };
    Terms {
        authorised: vec![effect],
        captured_minor: AMOUNT,
        currency: "BRL".to_owned(),
        deadline_ms: DEADLINE,
        clock_tolerance_ms: 500,
        stable_observations: 3,
    }
}

fn configuration(id: &TrialId, provider_promise: Option<Promise>) -> Configuration {
    Configuration {
        artifact_sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08".to_owned(),
        deadline_ms: DEADLINE,
        function_timeout_s: 20,
        visibility_timeout_s: id.queued.then_some(if id.durable { 360 } else { 60 }),
        max_receive_count: id.queued.then_some(2),
        batch_size: id.queued.then_some(1),
        step_attempts: id.durable.then_some(2),
        step_delay_s: id.durable.then_some(60),
        execution_timeout_s: id.durable.then_some(300),
        provider_promise,
    }
}

fn dispatch(id: &TrialId) -> Dispatch {
    Dispatch {
        how: if id.queued { "queue" } else { "invoke" }.to_owned(),
        outcome: "done".to_owned(),
        id: Some("7d1e7a3c-2b52-4b7e-9a0c-3e6f5f0b8a11".to_owned()),
        group: id.queued.then(|| format!("group-{}", id.id)),
        deduplication_id: id.queued.then(|| format!("dedup-{}", id.id)),
        at_ms: T0 - 640,
        reason: None,
    }
}

fn queue(end: i64) -> QueueRead {
    let look = |at_ms, visible, in_flight| QueueObservation {
        at_ms,
        queue: QueueCounts { visible, in_flight, delayed: 0 },
        dead_letter: EMPTY,
    };
    let mut observations = vec![look(T0 - 600, 1, 0), look(T0 + 10, 0, 1)];
    observations.extend((0..4).map(|number| look(end + 600 + 500 * number, 0, 0)));
    QueueRead { observations }
}

fn executions(executions: Vec<Execution>) -> ExecutionsRead {
    let arns: Vec<String> = executions.iter().map(|execution| execution.arn.clone()).collect();
    let listing = |qualifier: Option<&str>, arns: Vec<String>| ExecutionListing {
        qualifier: qualifier.map(str::to_owned),
        pages: vec![page(1, arns.len(), None, None)],
        arns,
    };
    let listings = vec![listing(Some("1"), arns.clone()), listing(None, arns)];
    ExecutionsRead { versions: vec!["1".to_owned()], listings, executions }
}

fn sample(service: &str, at_ms: i64, offset_ms: i64, uncertainty_ms: u32) -> ClockSample {
    ClockSample { service: service.to_owned(), at_ms, offset_ms, uncertainty_ms }
}

/// Request ids of caller and provider invocations.
pub(crate) const CALLERS: [&str; 2] = ["8a2b1c00-1111-4a4a-8b8b-000000000001", "8a2b1c00-1111-4a4a-8b8b-000000000002"];
pub(crate) const PROVIDERS: [&str; 2] =
    ["f00d0000-2222-4c4c-9d9d-000000000001", "f00d0000-2222-4c4c-9d9d-000000000002"];

pub(crate) fn completed(request: &str) -> Value {
    json!({"RequestId": request, "StartTimestamp": 1_796_019_410.0, "EndTimestamp": 1_796_019_413.5})
}

/// Trial 1: conventional, CONTROL.
pub(crate) fn conventional_control() -> TrialEvidence {
    let mut trial = Trial::new(Variant::Conventional, Scenario::Control, "canonical-1", 1, "canonical");
    trial.begins(T0, CALLERS[0], 1);
    trial.answered(T0, CALLERS[0], PROVIDERS[0], (1, 1));
    trial.finishes(T0 + 165, CALLERS[0], 1, FinishReason::Succeeded);
    trial.evidence()
}

/// Trial 2: durable, CONTROL.
pub(crate) fn durable_control() -> TrialEvidence {
    let mut trial = Trial::new(Variant::Durable, Scenario::Control, "canonical-2", 2, "canonical");
    trial.begins(T0, CALLERS[0], 1);
    trial.answered(T0, CALLERS[0], PROVIDERS[0], (1, 1));
    trial.finishes(T0 + 240, CALLERS[0], 1, FinishReason::Succeeded);
    let events = [
        ("ExecutionStarted", T0 - 120, json!({"ExecutionTimeout": 300})),
        ("StepStarted", T0 - 5, json!({})),
        ("StepSucceeded", T0 + 210, json!({"Result": {"Truncated": false}})),
        ("InvocationCompleted", T0 + 250, completed(CALLERS[0])),
        ("ExecutionSucceeded", T0 + 252, json!({"Result": {"Truncated": false}})),
    ];
    trial.executes(T0 - 120, &events, "SUCCEEDED");
    trial.evidence()
}

/// Trial 3: conventional, COMMIT_THEN_TIMEOUT: the queue delivers again after 60 s.
pub(crate) fn conventional_timeout() -> TrialEvidence {
    let mut trial = Trial::new(Variant::Conventional, Scenario::CommitThenTimeout, "canonical-3", 3, "canonical");
    trial.begins(T0, CALLERS[0], 1);
    trial.held(T0, CALLERS[0], PROVIDERS[0], (1, 1));
    let again = T0 + 59_100;
    trial.answered(again, CALLERS[1], PROVIDERS[1], (2, 1));
    trial.finishes(again + 170, CALLERS[1], 2, FinishReason::Succeeded);
    trial.evidence()
}

/// Trial 3 with an idempotent provider: the second delivery is answered from the first one's commit.
pub(crate) fn conventional_idempotent() -> TrialEvidence {
    let trial = Trial::new(Variant::Conventional, Scenario::CommitThenTimeout, "canonical-3", 3, "canonical");
    let mut trial = trial.idempotent();
    trial.begins(T0, CALLERS[0], 1);
    trial.held(T0, CALLERS[0], PROVIDERS[0], (1, 1));
    let again = T0 + 59_100;
    trial.remembered(again, CALLERS[1], PROVIDERS[1], (2, 1));
    trial.finishes(again + 170, CALLERS[1], 2, FinishReason::Succeeded);
    trial.evidence()
}

/// Trial 4: durable, COMMIT_THEN_TIMEOUT: the step's second attempt comes after 60 s.
pub(crate) fn durable_timeout() -> TrialEvidence {
    let trial = Trial::new(Variant::Durable, Scenario::CommitThenTimeout, "canonical-4", 4, "canonical");
    tried_again(trial, Trial::answered)
}

/// Trial 4 with an idempotent provider: the second attempt is answered from the first one's commit.
pub(crate) fn durable_idempotent() -> TrialEvidence {
    let trial = Trial::new(Variant::Durable, Scenario::CommitThenTimeout, "canonical-4", 4, "canonical");
    tried_again(trial.idempotent(), Trial::remembered)
}

fn tried_again(mut trial: Trial, again_as: fn(&mut Trial, i64, &str, &str, (u32, u32))) -> TrialEvidence {
    trial.begins(T0, CALLERS[0], 1);
    trial.held(T0, CALLERS[0], PROVIDERS[0], (1, 1));
    let again = T0 + 64_100;
    again_as(&mut trial, again, CALLERS[1], PROVIDERS[1], (1, 2));
    trial.finishes(again + 230, CALLERS[1], 1, FinishReason::Succeeded);
    let retry =
        json!({"Error": {"Truncated": false}, "RetryDetails": {"CurrentAttempt": 1, "NextAttemptDelaySeconds": 60}});
    let events = [
        ("ExecutionStarted", T0 - 120, json!({"ExecutionTimeout": 300})),
        ("StepStarted", T0 - 5, json!({})),
        ("StepFailed", T0 + 3_136, retry),
        ("InvocationCompleted", T0 + 3_150, completed(CALLERS[0])),
        ("StepStarted", T0 + 63_261, json!({})),
        ("StepSucceeded", again + 215, json!({"RetryDetails": {"CurrentAttempt": 2}})),
        ("InvocationCompleted", again + 240, completed(CALLERS[1])),
        ("ExecutionSucceeded", again + 245, json!({"Result": {"Truncated": false}})),
    ];
    trial.executes(T0 - 120, &events, "SUCCEEDED");
    trial.evidence()
}

/// The transport probe: one call under the treatment, invoked directly, which ends in the caller's failure.
pub(crate) fn probe() -> TrialEvidence {
    let mut trial = Trial::new(Variant::Probe, Scenario::CommitThenTimeout, "probe-1", 1, "probe");
    trial.begins(T0, CALLERS[0], 1);
    trial.held(T0, CALLERS[0], PROVIDERS[0], (1, 1));
    trial.finishes(T0 + 3_070, CALLERS[0], 1, FinishReason::Failed);
    trial.evidence()
}

/// The canonical stage's trials in sequence.
pub(crate) fn canonical() -> Vec<TrialEvidence> {
    vec![conventional_control(), durable_control(), conventional_timeout(), durable_timeout()]
}
