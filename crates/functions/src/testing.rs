//! Ports in memory, for the handlers' tests.

use crate::caller::Caller;
use crate::config::{CallerConfig, ControllerConfig, ProviderConfig};
use crate::controller::Controller;
use crate::event::{Change, SqsEvent, StreamEvent, StreamRecord};
use crate::ports::{Clock, Commits, FirstCommit, Journal, Ledger, Put, StoreError};
use crate::provider::PaymentProvider;
use crate::provider_client::{CallOutcome, Effect, Provider, ProviderAnswer, ProviderCall};
use evidence::record::{Fact, Promise, RELEASE_RECORD_ID, Record, RefundRequest, Scenario, Source, Transaction};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

/// A clock that only `sleep` and calls to the provider move.
#[derive(Clone, Debug, Default)]
pub(crate) struct TestClock(Arc<Mutex<i64>>);

impl TestClock {
    pub(crate) fn start_ms(&self) -> i64 {
        1_700_000_000_000
    }

    pub(crate) fn elapsed_ms(&self) -> i64 {
        *self.0.lock().unwrap()
    }

    pub(crate) fn advance(&self, ms: i64) {
        *self.0.lock().unwrap() += ms;
    }
}

impl Clock for TestClock {
    fn now_ms(&self) -> i64 {
        self.start_ms() + self.elapsed_ms()
    }

    async fn sleep(&self, time: Duration) {
        self.advance(i64::try_from(time.as_millis()).unwrap());
    }
}

#[derive(Debug, Default)]
struct Tables {
    records: Vec<Record>,
    transactions: Vec<Transaction>,
    commits: Vec<Record>,
    open_at_ms: Option<i64>,
    now: TestClock,
    refuse_after: Option<usize>,
    conflicts: usize,
}

/// Journals and ledger in memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory(Arc<Mutex<Tables>>);

impl Memory {
    /// Takes `records` records, then refuses every write.
    pub(crate) fn refusing_after(records: usize) -> Self {
        let memory = Self::default();
        memory.tables().refuse_after = Some(records);
        memory
    }

    /// Opens the barrier at this time of the clock given to [`provider`].
    pub(crate) fn open_at(&self, at_ms: i64) {
        self.tables().open_at_ms = Some(at_ms);
    }

    /// So many conditional commits meet another call's write.
    pub(crate) fn conflict(&self, times: usize) {
        self.tables().conflicts = times;
    }

    /// Puts a record into the provider's journal, as the controller sees it.
    pub(crate) fn commit(&self, record: Record) {
        self.tables().commits.push(record);
    }

    pub(crate) fn records(&self) -> Vec<Record> {
        self.tables().records.clone()
    }

    pub(crate) fn transactions(&self) -> Vec<Transaction> {
        self.tables().transactions.clone()
    }

    pub(crate) fn assert_unbroken_numbers(&self) {
        let mut last = BTreeMap::new();
        for record in self.records() {
            let before = last.insert((record.source, record.request_id.clone()), record.seq).unwrap_or(0);
            assert_eq!(record.seq, before + 1, "a gap before {record:?}");
        }
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        self.0.lock().unwrap()
    }

    fn in_the_way(&self, entry: &Transaction) -> Option<FirstCommit> {
        let mut tables = self.tables();
        if tables.conflicts > 0 {
            tables.conflicts -= 1;
            return Some(FirstCommit::Conflict);
        }
        let same =
            |there: &&Transaction| (&there.trial, &there.transaction_id) == (&entry.trial, &entry.transaction_id);
        tables.transactions.iter().find(same).cloned().map(FirstCommit::AlreadyThere)
    }

    fn add(&self, record: &Record) -> Result<(), StoreError> {
        let mut tables = self.tables();
        if tables.refuse_after.is_some_and(|limit| tables.records.len() >= limit) {
            return Err(StoreError { operation: "PutItem", detail: "refused by the test".to_owned() });
        }
        let same = |there: &Record| (&there.trial, &there.record_id) == (&record.trial, &record.record_id);
        assert!(!tables.records.iter().any(same), "record id used twice: {record:?}");
        tables.records.push(record.clone());
        Ok(())
    }
}

impl Journal for Memory {
    async fn put(&self, record: &Record) -> Result<(), StoreError> {
        self.add(record)
    }

    async fn put_new(&self, record: &Record) -> Result<Put, StoreError> {
        let same = |there: &Record| (&there.trial, &there.record_id) == (&record.trial, &record.record_id);
        if self.records().iter().any(same) {
            return Ok(Put::AlreadyThere);
        }
        self.add(record).map(|()| Put::Written)
    }
}

impl Ledger for Memory {
    async fn commit(&self, entry: &Transaction, record: &Record) -> Result<(), StoreError> {
        self.add(record)?;
        self.tables().transactions.push(entry.clone());
        Ok(())
    }

    async fn commit_first(&self, entry: &Transaction, record: &Record) -> Result<FirstCommit, StoreError> {
        if let Some(in_the_way) = self.in_the_way(entry) {
            return Ok(in_the_way);
        }
        Ledger::commit(self, entry, record).await.map(|()| FirstCommit::Committed)
    }

    async fn release(&self, _trial: &str) -> Result<Option<String>, StoreError> {
        let tables = self.tables();
        let open = tables.open_at_ms.is_some_and(|at_ms| tables.now.now_ms() >= at_ms);
        Ok(open.then(|| RELEASE_RECORD_ID.to_owned()))
    }
}

impl Commits for Memory {
    async fn commits(&self, _trial: &str) -> Result<Vec<Record>, StoreError> {
        Ok(self.tables().commits.clone())
    }
}

#[derive(Debug)]
struct Script {
    outcomes: Vec<CallOutcome>,
    calls: Vec<ProviderCall>,
    clock: TestClock,
}

/// What a call takes of the caller's clock.
const CALL_MS: i64 = 10;

/// A provider that plays a script; its last outcome repeats.
#[derive(Clone, Debug)]
pub(crate) struct FakeProvider(Arc<Mutex<Script>>);

impl FakeProvider {
    fn new(outcome: CallOutcome) -> Self {
        Self(Arc::new(Mutex::new(Script { outcomes: vec![outcome], calls: Vec::new(), clock: TestClock::default() })))
    }

    pub(crate) fn answers(transaction_id: &str) -> Self {
        let answer = ProviderAnswer { transaction_id: transaction_id.to_owned() };
        Self::new(CallOutcome::Answered { answer, elapsed_ms: 158 })
    }

    pub(crate) fn times_out() -> Self {
        Self::new(CallOutcome::TimedOut { elapsed_ms: 3_001 })
    }

    pub(crate) fn dies() -> Self {
        Self::new(CallOutcome::Failed { reason: "the provider died".to_owned(), effect: Effect::Possible })
    }

    pub(crate) fn then(self, outcome: CallOutcome) -> Self {
        self.0.lock().unwrap().outcomes.push(outcome);
        self
    }

    pub(crate) fn calls(&self) -> usize {
        self.0.lock().unwrap().calls.len()
    }

    pub(crate) fn attempts(&self) -> Vec<u32> {
        self.0.lock().unwrap().calls.iter().map(|call| call.attempt).collect()
    }
}

impl Provider for FakeProvider {
    async fn call(&self, call: &ProviderCall, _deadline: Duration) -> CallOutcome {
        let mut script = self.0.lock().unwrap();
        let turn = script.calls.len().min(script.outcomes.len() - 1);
        script.calls.push(call.clone());
        script.clock.advance(CALL_MS);
        script.outcomes[turn].clone()
    }
}

pub(crate) fn caller(
    journal: Memory,
    provider: FakeProvider,
    clock: TestClock,
) -> Caller<Memory, FakeProvider, TestClock> {
    let config = CallerConfig {
        journal_table: "journal".to_owned(),
        provider_function: "provider".to_owned(),
        deadline_ms: 3_000,
        max_receive_count: 2,
    };
    provider.0.lock().unwrap().clock = clock.clone();
    Caller { journal, provider, clock, config }
}

pub(crate) fn provider(memory: Memory, clock: TestClock) -> PaymentProvider<Memory, TestClock> {
    memory.tables().now = clock.clone();
    let config = ProviderConfig {
        ledger_table: "ledger".to_owned(),
        journal_table: "journal".to_owned(),
        controller_journal_table: "controller".to_owned(),
        hold_limit_ms: 9_000,
        hold_poll_ms: 100,
        promise: Promise::Nothing,
        crash: None,
    };
    PaymentProvider { ledger: memory, clock, config }
}

pub(crate) fn controller(memory: Memory, clock: TestClock) -> Controller<Memory, TestClock> {
    let config = ControllerConfig {
        journal_table: "journal".to_owned(),
        provider_journal_table: "provider".to_owned(),
        clock_tolerance_ms: 500,
    };
    Controller { store: memory, clock, config }
}

pub(crate) fn request(trial: &str, scenario: Scenario) -> RefundRequest {
    RefundRequest {
        run: "run".to_owned(),
        trial: trial.to_owned(),
        scenario,
        refund_request_id: "ref-poc-001".to_owned(),
        amount_minor: 10_000,
        currency: "BRL".to_owned(),
    }
}

pub(crate) fn call(scenario: Scenario, delivery: u32, attempt: u32) -> ProviderCall {
    ProviderCall { request: request("canonical-3", scenario), delivery, attempt }
}

pub(crate) fn event(trial: &str, scenario: Scenario, delivery: u32) -> SqsEvent {
    let mut event = SqsEvent::synthetic("m-1", &request(trial, scenario)).unwrap();
    event.records[0].attributes.insert("ApproximateReceiveCount".to_owned(), delivery.to_string());
    event
}

pub(crate) fn record(trial: &str, at_ms: i64) -> Record {
    Record {
        source: Source::Caller,
        record_id: format!("{at_ms:013}-req-1-0003"),
        trial: trial.to_owned(),
        delivery: 1,
        attempt: 1,
        refund_request_id: "ref-poc-001".to_owned(),
        request_id: "req-1".to_owned(),
        seq: 3,
        at_ms,
        fact: Fact::DispatchStarted { deadline_ms: 3_000 },
    }
}

pub(crate) fn timeout_record(at_ms: i64) -> Record {
    let fact = Fact::CallerTimeoutRecorded { deadline_ms: 3_000, elapsed_ms: 3_000 };
    Record { fact, ..record("canonical-3", at_ms) }
}

pub(crate) fn commit_record(at_ms: i64) -> Record {
    let fact = Fact::ProviderCommitConfirmed {
        transaction_id: "txn-1".to_owned(),
        amount_minor: 10_000,
        currency: "BRL".to_owned(),
    };
    Record { source: Source::Provider, fact, ..record("canonical-3", at_ms) }
}

/// The records as the caller journal's stream would carry them.
pub(crate) fn stream_event(records: &[Record]) -> StreamEvent {
    let change = |record: &Record| StreamRecord {
        event_name: "INSERT".to_owned(),
        dynamodb: Change { new_image: tagged(&serde_json::to_value(record).unwrap())["M"].as_object().cloned() },
    };
    StreamEvent { records: records.iter().map(change).collect() }
}

fn tagged(value: &Value) -> Value {
    match value {
        Value::Number(n) => json!({"N": n.to_string()}),
        Value::Object(members) => {
            let members: serde_json::Map<_, _> = members.iter().map(|(name, v)| (name.clone(), tagged(v))).collect();
            json!({"M": members})
        }
        other => json!({"S": other}),
    }
}

/// The records' kinds in the order they were written, with the values that tell states apart.
pub(crate) fn kinds(memory: &Memory) -> Vec<String> {
    let kind = |record: &Record| {
        let value = serde_json::to_value(record).unwrap();
        let parts = ["kind", "to", "value", "reason"].map(|name| value[name].as_str());
        let told = parts.iter().flatten().copied();
        if matches!(record.fact, Fact::ReleaseRefused { .. }) {
            "release_refused".to_owned()
        } else {
            told.collect::<Vec<_>>().join(":")
        }
    };
    memory.records().iter().map(kind).collect()
}
