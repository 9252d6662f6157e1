//! What the provider promises about repeated calls. This study's provider promises nothing: no idempotency key, no
//! deduplication, no limit. Every call that arrives moves money.

use crate::ports::{Clock, Ledger, StoreError};
use crate::provider_client::ProviderCall;
use crate::scribe::Scribe;
use evidence::record::{Fact, Record, Transaction};
use std::hash::{BuildHasher, RandomState};

/// Status of a transaction that moved money.
pub const SUCCESS: &str = "SUCCESS";

/// Executes the refund: ledger entry and `provider_commit_confirmed` in one atomic write. Returns the transaction id.
///
/// # Errors
/// When the write fails; then neither is there.
pub(super) async fn execute<L: Ledger + Clone, C: Clock>(
    ledger: &L,
    scribe: &Scribe<L, C>,
    call: &ProviderCall,
    request_id: &str,
) -> Result<String, StoreError> {
    let transaction_id = fresh_id(request_id);
    let fact = Fact::ProviderCommitConfirmed {
        transaction_id: transaction_id.clone(),
        amount_minor: call.request.amount_minor,
        currency: call.request.currency.clone(),
    };
    let commit = async |record: Record| {
        let entry = entry(call, &transaction_id, &record);
        ledger.commit(&entry, &record).await
    };
    scribe.write_through(call.attempt, fact, commit).await?;
    Ok(transaction_id)
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
