//! Dead letters ("Using dead-letter queues", SQS developer guide).

use super::queue::{State, name_of};

/// Moves messages to the queue's dead-letter queue; without one they stay where they are.
///
/// A FIFO message keeps its group, gets its message id as deduplication id, and its age starts anew; a standard
/// message keeps its age.
pub(super) fn bury(state: &mut State, queue: &str, numbers: &[u64], now_ms: i64) {
    let Some(source) = state.queues.get_mut(queue) else { return };
    let (source_arn, fifo) = (source.arn.clone(), source.is_fifo());
    let Some(target) = source.settings.redrive().map(|redrive| name_of(&redrive.target_arn).to_owned()) else { return };
    if numbers.is_empty() || !state.queues.contains_key(&target) {
        return;
    }
    let Some(source) = state.queues.get_mut(queue) else { return };
    let dead: Vec<_> = numbers.iter().filter_map(|number| source.messages.remove(number)).collect();
    let Some(target) = state.queues.get_mut(&target) else { return };
    for mut message in dead {
        message.receipt = None;
        message.visible_at_ms = now_ms;
        message.source_arn = Some(source_arn.clone());
        if fifo {
            message.deduplication = Some(message.id.clone());
            message.sent_ms = now_ms;
        }
        target.push(message);
    }
}
