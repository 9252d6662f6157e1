//! Polling an SQS queue.

use super::deliver::Delivered;
use super::{Poller, event};
use crate::error::ApiError;
use crate::service::lambda;
use crate::service::sqs::{self, Receive};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Invocations at the same time, unless the mapping says otherwise.
const CONCURRENCY: usize = 10;
/// How long an idle poller waits for a change in the cloud before it looks again.
const IDLE_MS: i64 = 60_000;

fn name(arn: &str) -> &str {
    arn.rsplit(':').next().unwrap_or_default()
}

/// What a poller does in one round.
struct Round {
    queue_arn: String,
    most: usize,
    window_ms: i64,
}

/// Polls until the mapping changes, which drops this future; batches under way go on by themselves.
pub(super) async fn poll(poller: &Poller, fifo: bool) {
    let limit = poller.mapping(|mapping| mapping.rules.concurrency).flatten();
    let permits = Arc::new(Semaphore::new(limit.unwrap_or(CONCURRENCY)));
    loop {
        // Nothing is received that could not be invoked at once.
        let Ok(permit) = Arc::clone(&permits).acquire_owned().await else { return };
        let Some(round) = poller.mapping(round) else { return };
        match receive(poller, &round).await {
            Err(problem) => poller.rest(&problem.message).await,
            Ok(records) => hand_out(poller, &permits, permit, &round.queue_arn, records, fifo).await,
        }
    }
}

fn round(mapping: &lambda::mapping::Mapping) -> Round {
    Round {
        queue_arn: mapping.source_arn.clone(),
        most: usize::try_from(mapping.rules.batch_size).unwrap_or(1),
        window_ms: mapping.rules.window_s.saturating_mul(1000),
    }
}

/// Waits for messages: the first ends the wait, or begins the batching window.
async fn receive(poller: &Poller, round: &Round) -> Result<Vec<Value>, ApiError> {
    let queue = name(&round.queue_arn);
    let mut records: Vec<Value> = Vec::new();
    let mut until_ms = i64::MAX;
    loop {
        let mut changes = poller.cloud.changes();
        let now_ms = poller.cloud.clock().now_ms();
        // A receive gives ten messages at most, as over HTTP.
        let max = round.most.saturating_sub(records.len()).min(10);
        let (received, next_ms) = poller.cloud.with(&poller.region, |state| {
            let asked = Receive { queue, max, visibility_ms: None, now_ms };
            let received = sqs::receive(&mut state.sqs, asked)?;
            Ok::<_, ApiError>((received, sqs::next_change_ms(&state.sqs, queue, now_ms)))
        })?;
        let is_idle = received.is_empty();
        records.extend(received.iter().map(|delivery| delivery.event_record(&round.queue_arn)));
        if !records.is_empty() && until_ms == i64::MAX {
            until_ms = now_ms.saturating_add(round.window_ms);
        }
        if records.len() >= round.most || now_ms >= until_ms {
            return Ok(records);
        }
        if is_idle {
            let wake_ms = now_ms.saturating_add(IDLE_MS).min(until_ms);
            poller.cloud.wait(&mut changes, next_ms.map_or(wake_ms, |next_ms| wake_ms.min(next_ms))).await;
        }
    }
}

/// A FIFO queue's messages go out by group, each group in order and in a batch of its own. While a group's batch is
/// under way, the queue gives out nothing else of that group.
async fn hand_out(
    poller: &Poller,
    permits: &Arc<Semaphore>,
    first: OwnedSemaphorePermit,
    arn: &str,
    records: Vec<Value>,
    fifo: bool,
) {
    let mut permit = Some(first);
    for batch in if fifo { by_group(records) } else { vec![records] } {
        let permit = match permit.take() {
            Some(permit) => permit,
            None => match Arc::clone(permits).acquire_owned().await {
                Ok(permit) => permit,
                Err(_) => return,
            },
        };
        let (own, arn) = (poller.clone(), arn.to_owned());
        poller.cloud.spawn(async move {
            process(&own, &arn, batch, fifo).await;
            drop(permit);
        });
    }
}

fn by_group(records: Vec<Value>) -> Vec<Vec<Value>> {
    let mut groups: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    let mut order = Vec::new();
    for record in records {
        let group = record.pointer("/attributes/MessageGroupId").and_then(Value::as_str);
        let group = group.unwrap_or_default().to_owned();
        if !groups.contains_key(&group) {
            order.push(group.clone());
        }
        groups.entry(group).or_default().push(record);
    }
    order.into_iter().filter_map(|group| groups.remove(&group)).collect()
}

/// Deletes what the function took. What it did not take comes back when its visibility timeout ends.
async fn process(poller: &Poller, arn: &str, batch: Vec<Value>, fifo: bool) {
    let event = event::of(&batch);
    let Delivered::Taken(failed) = poller.deliver(&event).await else { return };
    let now_ms = poller.cloud.clock().now_ms();
    let mut is_held = false;
    for record in &batch {
        let has_failed = failed.iter().any(|id| id == event::item_id(record));
        // In a group nothing may overtake a failed message.
        is_held |= fifo && has_failed;
        let handle = record.get("receiptHandle").and_then(Value::as_str);
        let Some(handle) = handle.filter(|_| !has_failed && !is_held) else { continue };
        let deleted = poller.cloud.with(&poller.region, |state| sqs::delete(&mut state.sqs, name(arn), handle, now_ms));
        if let Err(problem) = deleted {
            poller.note(&format!("PROBLEM: {}", problem.message));
        }
    }
    poller.cloud.touch();
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn record(id: &str, group: &str) -> Value {
        json!({"messageId": id, "attributes": {"MessageGroupId": group}})
    }

    #[test]
    fn groups_keep_their_order() {
        let groups = by_group(vec![record("1", "b"), record("2", "a"), record("3", "b")]);
        let ids: Vec<Vec<&str>> = groups.iter().map(|group| group.iter().map(event::item_id).collect()).collect();
        assert_eq!(ids, [vec!["1", "3"], vec!["2"]]);
    }
}
