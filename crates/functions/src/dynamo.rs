//! The ports over DynamoDB.

use crate::item::{self, Item, ItemError, to_item};
use crate::ports::{Commits, FirstCommit, Journal, Ledger, Put, StoreError};
use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::error::{DisplayErrorContext, SdkError};
use aws_sdk_dynamodb::operation::put_item::PutItemError;
use aws_sdk_dynamodb::operation::transact_write_items::TransactWriteItemsError;
use aws_sdk_dynamodb::types::{
    AttributeValue, CancellationReason, ReturnValuesOnConditionCheckFailure, TransactWriteItem,
};
use evidence::record::{Fact, RELEASE_RECORD_ID, Record, Transaction};

/// A journal table.
#[derive(Clone, Debug)]
pub(crate) struct JournalTable {
    client: Client,
    table: String,
}

impl JournalTable {
    pub(crate) fn new(client: Client, table: String) -> Self {
        Self { client, table }
    }
}

impl Journal for JournalTable {
    async fn put(&self, record: &Record) -> Result<(), StoreError> {
        let item = written("PutItem", to_item(record))?;
        let put = self.client.put_item().table_name(&self.table).set_item(Some(item)).send().await;
        put.map(drop).map_err(|error| store("PutItem", &error))
    }

    async fn put_new(&self, record: &Record) -> Result<Put, StoreError> {
        let item = written("PutItem", to_item(record))?;
        let put = self.client.put_item().table_name(&self.table).set_item(Some(item));
        let put = put
            .condition_expression("attribute_not_exists(record_id)")
            .return_values_on_condition_check_failure(ReturnValuesOnConditionCheckFailure::AllOld);
        match put.send().await {
            Ok(_) => Ok(Put::Written),
            Err(error) => match existing(&error) {
                // The SDK repeats a put whose reply was lost; then the record that is there is this very one.
                Some(Some(there)) if there == *record => Ok(Put::Written),
                Some(_) => Ok(Put::AlreadyThere),
                None => Err(store("PutItem", &error)),
            },
        }
    }
}

/// `Some` when the condition refused the put, with the record that is there if the service showed it.
fn existing(error: &SdkError<PutItemError>) -> Option<Option<Record>> {
    match error.as_service_error()? {
        PutItemError::ConditionalCheckFailedException(refusal) => {
            Some(refusal.item().and_then(|item| item::from_item(item.clone()).ok()))
        }
        _ => None,
    }
}

/// The provider's tables.
#[derive(Clone, Debug)]
pub(crate) struct ProviderTables {
    pub(crate) journal: JournalTable,
    pub(crate) ledger_table: String,
    pub(crate) controller_journal_table: String,
}

impl Journal for ProviderTables {
    async fn put(&self, record: &Record) -> Result<(), StoreError> {
        self.journal.put(record).await
    }

    async fn put_new(&self, record: &Record) -> Result<Put, StoreError> {
        self.journal.put_new(record).await
    }
}

impl Ledger for ProviderTables {
    /// No `ClientRequestToken` of our own: the SDK makes a fresh one for every call and keeps it for its own retries.
    /// A token derived from the refund would deduplicate for ten minutes, which this provider must not.
    async fn commit(&self, entry: &Transaction, record: &Record) -> Result<(), StoreError> {
        let entry = put(&self.ledger_table, to_item(entry), None)?;
        let record = put(&self.journal.table, to_item(record), None)?;
        let write = self.journal.client.transact_write_items().transact_items(entry).transact_items(record);
        write.send().await.map(drop).map_err(|error| store("TransactWriteItems", &error))
    }

    /// The condition is part of the transaction, so that no call can come between the look and the write. The SDK's
    /// own retries carry one token, hence a write whose answer was lost is not taken for another call's.
    async fn commit_first(&self, entry: &Transaction, record: &Record) -> Result<FirstCommit, StoreError> {
        let entry = put(&self.ledger_table, to_item(entry), Some("attribute_not_exists(transaction_id)"))?;
        let record = put(&self.journal.table, to_item(record), None)?;
        let write = self.journal.client.transact_write_items().transact_items(entry).transact_items(record);
        match write.send().await {
            Ok(_) => Ok(FirstCommit::Committed),
            Err(error) => cancelled(&error).unwrap_or_else(|| Err(store("TransactWriteItems", &error))),
        }
    }

    async fn release(&self, trial: &str) -> Result<Option<String>, StoreError> {
        let get = self.journal.client.get_item().table_name(&self.controller_journal_table).consistent_read(true);
        let get = get
            .key("trial", AttributeValue::S(trial.to_owned()))
            .key("record_id", AttributeValue::S(RELEASE_RECORD_ID.to_owned()));
        let found = get.send().await.map_err(|error| store("GetItem", &error))?;
        Ok(found.item.map(|_| RELEASE_RECORD_ID.to_owned()))
    }
}

/// The controller's tables.
#[derive(Clone, Debug)]
pub(crate) struct ControllerTables {
    pub(crate) journal: JournalTable,
    pub(crate) provider_journal_table: String,
}

impl Journal for ControllerTables {
    async fn put(&self, record: &Record) -> Result<(), StoreError> {
        self.journal.put(record).await
    }

    async fn put_new(&self, record: &Record) -> Result<Put, StoreError> {
        self.journal.put_new(record).await
    }
}

impl Commits for ControllerTables {
    async fn commits(&self, trial: &str) -> Result<Vec<Record>, StoreError> {
        let query = self.journal.client.query().table_name(&self.provider_journal_table).consistent_read(true);
        let query = query
            .key_condition_expression("trial = :trial")
            .expression_attribute_values(":trial", AttributeValue::S(trial.to_owned()));
        let mut pages = query.into_paginator().send();
        let mut commits = Vec::new();
        while let Some(page) = pages.next().await {
            for item in page.map_err(|error| store("Query", &error))?.items.unwrap_or_default() {
                let record: Record = written("Query", item::from_item(item))?;
                commits.extend(Some(record).filter(|r| matches!(r.fact, Fact::ProviderCommitConfirmed { .. })));
            }
        }
        Ok(commits)
    }
}

/// What a cancelled transaction says of the ledger's entry; `None` for any other failure.
///
/// `CancellationReasons` has one reason for each action in order; its `Item` is there because the put asks for it, and
/// `TransactionConflict` means that another write of the item was under way (API reference, `TransactWriteItems`).
fn cancelled(error: &SdkError<TransactWriteItemsError>) -> Option<Result<FirstCommit, StoreError>> {
    let Some(TransactWriteItemsError::TransactionCanceledException(cancelled)) = error.as_service_error() else {
        return None;
    };
    let reasons = cancelled.cancellation_reasons();
    let is = |code: &str| reasons.iter().any(|reason| reason.code() == Some(code));
    match reasons.first().filter(|reason| reason.code() == Some("ConditionalCheckFailed")) {
        Some(reason) => Some(there(reason)),
        None if is("TransactionConflict") => Some(Ok(FirstCommit::Conflict)),
        None => None,
    }
}

fn there(reason: &CancellationReason) -> Result<FirstCommit, StoreError> {
    let operation = "TransactWriteItems";
    let missing = || StoreError { operation, detail: "the refund has an entry, which was not shown".to_owned() };
    let item = reason.item().ok_or_else(missing)?;
    written(operation, item::from_item(item.clone())).map(FirstCommit::AlreadyThere)
}

/// An unconditional put; or one under a condition, which shows the item that is in the way.
fn put(table: &str, item: Result<Item, ItemError>, condition: Option<&str>) -> Result<TransactWriteItem, StoreError> {
    let item = written("TransactWriteItems", item)?;
    let put = aws_sdk_dynamodb::types::Put::builder()
        .table_name(table)
        .set_item(Some(item))
        .set_condition_expression(condition.map(str::to_owned))
        .set_return_values_on_condition_check_failure(condition.map(|_| ReturnValuesOnConditionCheckFailure::AllOld))
        .build();
    let put = put.map_err(|error| StoreError { operation: "TransactWriteItems", detail: error.to_string() })?;
    Ok(TransactWriteItem::builder().put(put).build())
}

fn written<T>(operation: &'static str, converted: Result<T, ItemError>) -> Result<T, StoreError> {
    converted.map_err(|error| StoreError { operation, detail: error.to_string() })
}

fn store<E, R>(operation: &'static str, error: &SdkError<E, R>) -> StoreError
where
    E: std::error::Error + 'static,
    R: std::fmt::Debug,
{
    StoreError { operation, detail: DisplayErrorContext(error).to_string() }
}
