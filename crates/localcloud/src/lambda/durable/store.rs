//! All executions of a region.

use super::execution::{Execution, Status};
use std::collections::BTreeMap;

/// The executions by ARN, and the callbacks that lead to them.
#[derive(Debug, Default)]
pub(crate) struct Executions {
    by_arn: BTreeMap<String, Execution>,
    /// Callback id → (execution's ARN, operation's id).
    pub(super) callbacks: BTreeMap<String, (String, String)>,
}

impl Executions {
    pub(super) fn insert(&mut self, execution: Execution) {
        self.by_arn.insert(execution.arn.clone(), execution);
    }

    /// One execution, if it is still kept.
    pub(crate) fn get(&mut self, arn: &str, now_ms: i64) -> Option<&mut Execution> {
        self.expire(now_ms);
        self.by_arn.get_mut(arn)
    }

    /// The execution of a function with this name.
    pub(super) fn named(&self, function: &str, name: &str) -> Option<&Execution> {
        self.by_arn.values().find(|execution| execution.version.name == function && execution.name == name)
    }

    /// The executions of a function, oldest first.
    pub(crate) fn of_function(&mut self, function: &str, now_ms: i64) -> Vec<&Execution> {
        self.expire(now_ms);
        let mut found: Vec<&Execution> = self.by_arn.values().filter(|e| e.version.name == function).collect();
        found.sort_by(|a, b| a.started_ms.cmp(&b.started_ms).then_with(|| a.arn.cmp(&b.arn)));
        found
    }

    /// Removes the executions of a function that is deleted; those still running end as stopped for who waits.
    pub(crate) fn forget_function(&mut self, function: &str, now_ms: i64) {
        for execution in self.by_arn.values_mut().filter(|e| e.version.name == function) {
            execution.end(Status::Stopped, None, None, now_ms);
        }
        self.by_arn.retain(|_, execution| execution.version.name != function);
        self.drop_callbacks();
    }

    /// Ended executions are kept for the retention period only.
    fn expire(&mut self, now_ms: i64) {
        let before = self.by_arn.len();
        self.by_arn.retain(|_, execution| execution.kept_until_ms().is_none_or(|until| until > now_ms));
        if self.by_arn.len() < before {
            self.drop_callbacks();
        }
    }

    fn drop_callbacks(&mut self) {
        let by_arn = &self.by_arn;
        self.callbacks.retain(|_, (arn, _)| by_arn.contains_key(arn));
    }
}
