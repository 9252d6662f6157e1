//! Timers of an execution.

use super::event::Event;
use super::execution::{Execution, Status};
use super::operation::{Kind, Operation, OperationStatus};
use serde_json::json;

impl Execution {
    /// When the execution as a whole runs out of time.
    pub(super) fn timeout_at_ms(&self) -> i64 {
        self.started_ms.saturating_add(i64::from(self.timeout_s) * 1000)
    }

    /// When the next timer is due.
    pub(super) fn next_due_ms(&self) -> i64 {
        let operations = self.operations.iter().filter_map(due);
        operations.chain(self.again_at_ms).fold(self.timeout_at_ms(), i64::min)
    }

    /// Whether anything but the function can still move the execution on.
    pub(super) fn is_waiting(&self) -> bool {
        self.operations.iter().any(|operation| match operation.kind {
            Kind::Wait | Kind::Callback | Kind::ChainedInvoke => operation.status == OperationStatus::Started,
            Kind::Step => operation.status == OperationStatus::Pending,
            Kind::Context => false,
        })
    }

    /// Fires what is due, in order.
    pub(super) fn fire(&mut self, now_ms: i64) {
        let mut ripe: Vec<(i64, usize)> = Vec::new();
        for (place, operation) in self.operations.iter().enumerate() {
            if let Some(at_ms) = due(operation).filter(|at_ms| *at_ms <= now_ms) {
                ripe.push((at_ms, place));
            }
        }
        ripe.sort_unstable();
        let timeout_at_ms = self.timeout_at_ms();
        for (at_ms, place) in ripe {
            if at_ms < timeout_at_ms {
                self.fire_one(place, now_ms);
            }
        }
        if now_ms >= timeout_at_ms {
            self.end(Status::TimedOut, None, None, now_ms);
        }
    }

    fn fire_one(&mut self, place: usize, now_ms: i64) {
        let Some(operation) = self.operations.get_mut(place) else { return };
        match operation.kind {
            Kind::Wait => {
                operation.end(OperationStatus::Succeeded, now_ms);
                let details = json!({"Duration": operation.duration_s});
                self.events.push(Event::of_operation(now_ms, operation, "Succeeded", details));
            }
            Kind::Callback => {
                operation.end(OperationStatus::TimedOut, now_ms);
                let error = json!({"ErrorType": "Callback.Timeout", "ErrorMessage": "Callback timed out"});
                operation.error = Some(error.clone());
                let details = json!({"Error": super::event::error(&error)});
                self.events.push(Event::of_operation(now_ms, operation, "TimedOut", details));
            }
            Kind::Step => {
                operation.status = OperationStatus::Ready;
                operation.due_ms = None;
            }
            Kind::Context | Kind::ChainedInvoke => return,
        }
        self.untold.insert(place);
        self.wake = true;
    }
}

fn due(operation: &Operation) -> Option<i64> {
    let waits = match operation.kind {
        Kind::Wait | Kind::Callback => operation.status == OperationStatus::Started,
        Kind::Step => operation.status == OperationStatus::Pending,
        Kind::Context | Kind::ChainedInvoke => false,
    };
    let heartbeat = operation.callback.as_ref().and_then(|callback| callback.heartbeat_due_ms);
    let first = [operation.due_ms, heartbeat].into_iter().flatten().min();
    first.filter(|_| waits)
}
