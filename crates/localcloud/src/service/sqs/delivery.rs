//! Receiving, deleting and hiding messages.

use super::errors::{bad_receipt, expired_receipt, invalid, not_in_flight};
use super::message::Delivery;
use super::queue::{Queue, State};
use super::redrive;
use crate::error::ApiError;
use std::collections::BTreeSet;

/// What a receiver asks for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Receive<'a> {
    /// The queue's name.
    pub(crate) queue: &'a str,
    /// At most so many messages.
    pub(crate) max: usize,
    /// Hidden for so long; the queue's visibility timeout if none.
    pub(crate) visibility_ms: Option<i64>,
    pub(crate) now_ms: i64,
}

/// Receives what is visible and hides it from now on. In FIFO queues a group with a message in flight gives nothing.
/// Messages that were received as often as they may be go to the dead-letter queue instead.
pub(crate) fn receive(state: &mut State, asked: Receive<'_>) -> Result<Vec<Delivery>, ApiError> {
    let mut receipts = state.receipts;
    let queue = state.queue_mut(asked.queue)?;
    queue.expire(asked.now_ms);
    let visibility_ms = asked.visibility_ms.unwrap_or_else(|| queue.settings.millis("VisibilityTimeout"));
    let limit = queue.settings.redrive().map(|redrive| redrive.max_receive_count);
    let (chosen, exhausted) = choose(queue, &asked, limit);
    let mut deliveries = Vec::new();
    for number in chosen {
        if let Some(message) = queue.messages.get_mut(&number) {
            receipts += 1;
            let receipt_handle = handle(number, receipts, &message.id);
            message.receive_count += 1;
            message.first_received_ms.get_or_insert(asked.now_ms);
            message.visible_at_ms = asked.now_ms.saturating_add(visibility_ms);
            message.receipt = Some(receipt_handle.clone());
            deliveries.push(Delivery { message: message.clone(), receipt_handle });
        }
    }
    state.receipts = receipts;
    redrive::bury(state, asked.queue, &exhausted, asked.now_ms);
    Ok(deliveries)
}

/// Messages to deliver, and those to bury, by their arrival.
fn choose(queue: &Queue, asked: &Receive<'_>, limit: Option<u32>) -> (Vec<u64>, Vec<u64>) {
    let (mut chosen, mut exhausted) = (Vec::new(), Vec::new());
    let mut held: BTreeSet<&str> = BTreeSet::new();
    let fifo = queue.is_fifo();
    for (number, message) in &queue.messages {
        if chosen.len() >= asked.max {
            break;
        }
        let group = message.group.as_deref().filter(|_| fifo);
        if group.is_some_and(|group| held.contains(group)) {
            continue;
        }
        if message.visible_at_ms > asked.now_ms {
            held.extend(group);
        } else if limit.is_some_and(|limit| message.receive_count >= limit) {
            exhausted.push(*number);
        } else {
            chosen.push(*number);
        }
    }
    (chosen, exhausted)
}

/// The next moment at which a hidden message becomes visible; none if nothing is hidden.
pub(crate) fn next_change_ms(state: &State, queue: &str, now_ms: i64) -> Option<i64> {
    let queue = state.queues.get(queue)?;
    queue.messages.values().map(|message| message.visible_at_ms).filter(|at_ms| *at_ms > now_ms).min()
}

/// Deletes a received message. Deleting one that is gone succeeds.
pub(crate) fn delete(state: &mut State, queue: &str, receipt_handle: &str, now_ms: i64) -> Result<(), ApiError> {
    let queue = state.queue_mut(queue)?;
    let number = parse(receipt_handle).ok_or_else(|| bad_receipt(receipt_handle))?;
    let Some(message) = queue.messages.get(&number) else { return Ok(()) };
    let is_last = message.receipt.as_deref() == Some(receipt_handle);
    if queue.is_fifo() && (!is_last || message.visible_at_ms <= now_ms) {
        return Err(expired_receipt(receipt_handle));
    }
    if is_last {
        queue.messages.remove(&number);
    }
    Ok(())
}

/// Hides a message in flight for another time from now on; 0 makes it visible.
pub(super) fn change_visibility(
    state: &mut State,
    queue: &str,
    receipt_handle: &str,
    timeout_s: i64,
    now_ms: i64,
) -> Result<(), ApiError> {
    if !(0..=43_200).contains(&timeout_s) {
        return Err(invalid(format!("Value {timeout_s} for parameter VisibilityTimeout is invalid.")));
    }
    let queue = state.queue_mut(queue)?;
    let number = parse(receipt_handle).ok_or_else(|| bad_receipt(receipt_handle))?;
    let in_flight = |message: &&mut super::message::Message| {
        message.receipt.as_deref() == Some(receipt_handle) && message.visible_at_ms > now_ms
    };
    let message = queue.messages.get_mut(&number).filter(in_flight).ok_or_else(|| not_in_flight(receipt_handle))?;
    message.visible_at_ms = now_ms.saturating_add(timeout_s.saturating_mul(1000));
    Ok(())
}

/// Handles are opaque to clients: where the message is, which receive it was, and its id.
fn handle(number: u64, receipt: u64, id: &str) -> String {
    format!("AQEB{number:016x}{receipt:016x}{}", id.replace('-', ""))
}

fn parse(handle: &str) -> Option<u64> {
    u64::from_str_radix(handle.strip_prefix("AQEB")?.get(..16)?, 16).ok()
}
