//! What the provider promises about repeated calls. Study 1's promises nothing: no idempotency key, no deduplication,
//! no limit; every call that arrives moves money. `PROVIDER_PROMISE=idempotent` makes the refund's identity the key of
//! its effect: the first call moves money, a later one is answered with the transaction that is there.

use super::PaymentProvider;
use crate::ports::{Clock, FirstCommit, Ledger, StoreError};
use crate::provider_client::ProviderCall;
use crate::scribe::Scribe;
use evidence::record::{CommitSeen, Fact, Promise, Record, Transaction};
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// Status of a transaction that moved money.
pub const SUCCESS: &str = "SUCCESS";

/// Tries of a write that meets another call's. The other is one transaction long, so that the second look tells.
const TRIES: u32 = 20;

/// Executes the refund as promised and puts on record what was done. Returns the transaction id.
///
/// # Errors
/// When the ledger cannot be written, and when an idempotent provider is asked to refund a known identity differently;
/// then no money has moved.
pub(super) async fn execute<L: Ledger + Clone, C: Clock>(
    provider: &PaymentProvider<L, C>,
    scribe: &Scribe<L, C>,
    call: &ProviderCall,
    request_id: &str,
) -> Result<String, StoreError> {
    match provider.config.promise {
        Promise::Nothing => every_call(&provider.ledger, scribe, call, request_id).await,
        Promise::Idempotent => first_call_only(provider, scribe, call).await,
    }
}

/// Ledger entry and `provider_commit_confirmed` in one atomic write: neither without the other.
async fn every_call<L: Ledger + Clone, C: Clock>(
    ledger: &L,
    scribe: &Scribe<L, C>,
    call: &ProviderCall,
    request_id: &str,
) -> Result<String, StoreError> {
    let transaction_id = fresh_id(request_id);
    let commit = async |record: Record| {
        let entry = entry(call, &transaction_id, &record);
        ledger.commit(&entry, &record).await
    };
    scribe.write_through(call.attempt, confirmed(call, &transaction_id), commit).await?;
    Ok(transaction_id)
}

/// The same write under the condition that the refund has no entry. Of calls that come at once the ledger lets one
/// through; the others find its entry, and say from which commit they answer.
async fn first_call_only<L: Ledger + Clone, C: Clock>(
    provider: &PaymentProvider<L, C>,
    scribe: &Scribe<L, C>,
    call: &ProviderCall,
) -> Result<String, StoreError> {
    let transaction_id = format!("txn-{}", call.request.refund_request_id);
    for _ in 0..TRIES {
        let commit = async |record: Record| {
            let entry = entry(call, &transaction_id, &record);
            provider.ledger.commit_first(&entry, &record).await
        };
        match scribe.write_if(call.attempt, confirmed(call, &transaction_id), commit).await? {
            FirstCommit::Committed => return Ok(transaction_id),
            FirstCommit::AlreadyThere(there) => return from_memory(scribe, call, there).await,
            FirstCommit::Conflict => {
                provider.clock.sleep(Duration::from_millis(u64::from(provider.config.hold_poll_ms))).await;
            }
        }
    }
    Err(refused(format!("other calls kept writing {transaction_id}, {TRIES} times")))
}

async fn from_memory<L: Ledger, C: Clock>(
    scribe: &Scribe<L, C>,
    call: &ProviderCall,
    there: Transaction,
) -> Result<String, StoreError> {
    let asked = (call.request.amount_minor, call.request.currency.as_str());
    if asked != (there.amount_minor, there.currency.as_str()) {
        let identity = &call.request.refund_request_id;
        return Err(refused(format!(
            "{identity} is known with another amount or currency; an identity names one refund"
        )));
    }
    let Transaction { transaction_id, request_id, delivery, attempt, at_ms, .. } = there;
    let commit = CommitSeen { request_id, delivery, attempt, at_ms };
    scribe.write(call.attempt, Fact::AnsweredFromCommit { transaction_id: transaction_id.clone(), commit }).await?;
    Ok(transaction_id)
}

fn refused(detail: String) -> StoreError {
    StoreError { operation: "TransactWriteItems", detail }
}

fn confirmed(call: &ProviderCall, transaction_id: &str) -> Fact {
    Fact::ProviderCommitConfirmed {
        transaction_id: transaction_id.to_owned(),
        amount_minor: call.request.amount_minor,
        currency: call.request.currency.clone(),
    }
}

fn entry(call: &ProviderCall, transaction_id: &str, record: &Record) -> Transaction {
    Transaction {
        trial: record.trial.clone(),
        transaction_id: transaction_id.to_owned(),
        refund_request_id: record.refund_request_id.clone(),
        amount_minor: call.request.amount_minor,
        currency: call.request.currency.clone(),
        status: SUCCESS.to_owned(),
        request_id: record.request_id.clone(),
        delivery: record.delivery,
        attempt: record.attempt,
        at_ms: record.at_ms,
    }
}

/// A new id for every call. The request id makes it unique; the random tail keeps it unique even where an invocation
/// is retried under its own request id. (`RandomState` is the standard library's source of random keys.)
fn fresh_id(request_id: &str) -> String {
    format!("txn-{request_id}-{:08x}", RandomState::new().hash_one(request_id) >> 32)
}

#[cfg(test)]
mod tests {
    use crate::config::CrashTreatment;
    use crate::provider::{Reply, handle};
    use crate::testing::{Memory, TestClock, call, kinds, provider};
    use evidence::record::{Fact, Promise, Scenario};

    const FROM_MEMORY: [&str; 3] = ["provider_call_received", "answered_from_commit", "response_sent"];

    fn idempotent(memory: &Memory) -> crate::provider::PaymentProvider<Memory, TestClock> {
        let mut provider = provider(memory.clone(), TestClock::default());
        provider.config.promise = Promise::Idempotent;
        provider
    }

    #[tokio::test]
    async fn a_repeated_request_is_answered_with_the_first_ones_transaction() {
        let memory = Memory::default();
        let provider = idempotent(&memory);
        let first = handle(&provider, &call(Scenario::Control, 1, 1), "req-1").await.unwrap();
        let second = handle(&provider, &call(Scenario::Control, 2, 1), "req-2").await.unwrap();
        assert_eq!(first, second);
        assert_eq!(memory.transactions().len(), 1);
        assert_eq!(kinds(&memory)[3..], FROM_MEMORY);
        let (there, records) = (memory.transactions().remove(0), memory.records());
        let Fact::AnsweredFromCommit { transaction_id, commit } = &records[4].fact else { panic!("{records:?}") };
        assert_eq!(*transaction_id, there.transaction_id);
        assert_eq!((commit.request_id.as_str(), commit.delivery, commit.at_ms), ("req-1", 1, there.at_ms));
        memory.assert_unbroken_numbers();
    }

    #[tokio::test]
    async fn a_call_that_died_after_the_commit_is_not_repeated_either() {
        let memory = Memory::default();
        let mut provider = idempotent(&memory);
        provider.config.crash = Some(CrashTreatment::First);
        assert_eq!(handle(&provider, &call(Scenario::Control, 1, 1), "req-1").await.unwrap(), Reply::Crash);
        handle(&provider, &call(Scenario::Control, 2, 1), "req-2").await.unwrap();
        assert_eq!(memory.transactions().len(), 1);
        assert_eq!(kinds(&memory)[2..], FROM_MEMORY);
    }

    #[tokio::test]
    async fn a_call_that_meets_anothers_write_waits_and_finds_its_entry() {
        let memory = Memory::default();
        let provider = idempotent(&memory);
        handle(&provider, &call(Scenario::Control, 1, 1), "req-1").await.unwrap();
        memory.conflict(3);
        handle(&provider, &call(Scenario::Control, 2, 1), "req-2").await.unwrap();
        assert_eq!(provider.clock.elapsed_ms(), 300);
        assert_eq!(kinds(&memory)[3..], FROM_MEMORY);
        memory.conflict(1_000);
        let error = handle(&provider, &call(Scenario::Control, 2, 1), "req-3").await.unwrap_err();
        assert!(error.to_string().contains("20 times"), "{error}");
        assert_eq!(memory.transactions().len(), 1);
    }

    #[tokio::test]
    async fn calls_at_once_make_one_effect() {
        let memory = Memory::default();
        let provider = idempotent(&memory);
        let (one, other) = (call(Scenario::Control, 1, 1), call(Scenario::Control, 1, 2));
        let (one, other) = tokio::join!(handle(&provider, &one, "req-1"), handle(&provider, &other, "req-2"));
        assert_eq!(one.unwrap(), other.unwrap());
        assert_eq!(memory.transactions().len(), 1);
        assert_eq!(kinds(&memory).iter().filter(|kind| *kind == "answered_from_commit").count(), 1);
    }

    #[tokio::test]
    async fn a_known_identity_with_another_amount_is_refused() {
        let memory = Memory::default();
        let provider = idempotent(&memory);
        handle(&provider, &call(Scenario::Control, 1, 1), "req-1").await.unwrap();
        let mut other = call(Scenario::Control, 2, 1);
        other.request.amount_minor = 1;
        let error = handle(&provider, &other, "req-2").await.unwrap_err();
        assert!(error.to_string().contains("ref-poc-001 is known with another amount"), "{error}");
        assert_eq!(memory.transactions().len(), 1);
        assert_eq!(kinds(&memory).last().unwrap(), "provider_call_received");
    }
}
