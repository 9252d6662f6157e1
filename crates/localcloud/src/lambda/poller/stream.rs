//! Polling a DynamoDB stream: in order, one batch at a time. Local streams have one shard.

use super::deliver::Delivered;
use super::{Poller, event};
use crate::service::lambda::mapping::Rules;
use crate::service::streams;
use serde_json::Value;
use std::collections::VecDeque;
use std::time::Duration;

/// How long an idle poller waits for a change in the cloud before it reads again.
const IDLE_MS: i64 = 60_000;
/// Delay before a failed batch is tried again; doubles up to the longest.
const FIRST_DELAY: Duration = Duration::from_secs(1);
const LONGEST_DELAY: Duration = Duration::from_secs(60);

/// Polls until the mapping changes, which drops this future; the records of a batch that was under way come again.
pub(super) async fn poll(poller: &Poller) {
    while let Some((arn, rules)) = poller.mapping(|mapping| (mapping.source_arn.clone(), mapping.rules.clone())) {
        let mut changes = poller.cloud.changes();
        match read(poller, &arn, &rules) {
            None => poller.rest("Stream not found").await,
            Some(records) if records.is_empty() => {
                poller.cloud.wait(&mut changes, poller.cloud.clock().now_ms() + IDLE_MS).await;
            }
            Some(mut records) => {
                let is_full = i64::try_from(records.len()).is_ok_and(|count| count >= rules.batch_size);
                if rules.window_s > 0 && !is_full {
                    poller.cloud.clock().sleep(Duration::from_secs(rules.window_s.unsigned_abs())).await;
                    records = read(poller, &arn, &rules).unwrap_or(records);
                }
                let last = records.last().map(|(number, _)| *number);
                let records = records.into_iter().map(|(_, record)| event::stream_record(record, &arn)).collect();
                process(poller, &rules, records).await;
                poller.cloud.with(&poller.region, |state| {
                    if let Some(mapping) = state.lambda.mappings.get_mut(&poller.uuid) {
                        mapping.reached = last.or(mapping.reached);
                    }
                });
            }
        }
    }
}

/// What follows the records that were dealt with; `LATEST` begins where the stream was at the first look.
fn read(poller: &Poller, arn: &str, rules: &Rules) -> Option<Vec<(u64, Value)>> {
    let limit = usize::try_from(rules.batch_size).unwrap_or(1);
    poller.cloud.with(&poller.region, |state| {
        let mapping = state.lambda.mappings.get(&poller.uuid)?;
        let is_latest = mapping.position.as_deref() == Some("LATEST");
        let reached = match mapping.reached {
            Some(reached) => reached,
            None if is_latest => streams::latest(state, arn)?,
            None => 0,
        };
        state.lambda.mappings.get_mut(&poller.uuid)?.reached = Some(reached);
        streams::read_after(state, arn, reached, limit)
    })
}

/// Delivers records in order. A batch that fails blocks the shard until it is taken, its retries are used up or it
/// is too old; then it is given up (destinations for failures are not emulated).
async fn process(poller: &Poller, rules: &Rules, records: Vec<Value>) {
    let mut batches = VecDeque::from([records]);
    let (mut tries, mut delay) = (0, FIRST_DELAY);
    let first_ms = poller.cloud.clock().now_ms();
    while let Some(batch) = batches.pop_front() {
        let rest = match poller.deliver(&event::of(&batch)).await {
            Delivered::Failed => batch,
            Delivered::Taken(failed) => from_first_failed(batch, &failed),
        };
        tries += 1;
        let age_s = (poller.cloud.clock().now_ms() - first_ms) / 1000;
        let is_spent = rules.retries.is_some_and(|most| tries > most);
        if rest.is_empty() || is_spent || rules.record_age_s.is_some_and(|most| age_s > most) {
            (tries, delay) = (0, FIRST_DELAY);
            continue;
        }
        if rules.bisect && rest.len() > 1 {
            let mut head = rest;
            let tail = head.split_off(head.len() / 2);
            batches.push_front(tail);
            batches.push_front(head);
        } else {
            batches.push_front(rest);
        }
        poller.cloud.clock().sleep(delay).await;
        delay = (delay * 2).min(LONGEST_DELAY);
    }
}

fn from_first_failed(mut batch: Vec<Value>, failed: &[String]) -> Vec<Value> {
    let is_failed = |record: &Value| failed.iter().any(|id| id == event::item_id(record));
    batch.iter().position(is_failed).map(|first| batch.split_off(first)).unwrap_or_default()
}
