//! What disturbed the reads of a deployment, to be sealed beside what they read.

use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// Disturbances by component. The stacks of a wave share it.
#[derive(Debug, Default)]
pub(super) struct Flags(Mutex<BTreeMap<String, Vec<String>>>);

/// As sealed in `disturbances.json`. It tells of the process that sealed it; a process that was killed before took its
/// own with it.
#[derive(Debug, Serialize)]
pub(super) struct Disturbances {
    schema: &'static str,
    components: BTreeMap<String, Vec<String>>,
}

impl Flags {
    /// Notes a disturbance.
    pub(super) fn add(&self, component: &str, what: impl Into<String>) {
        let mut flags = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        flags.entry(component.to_owned()).or_default().push(what.into());
    }

    /// What there is to seal; nothing if nothing was disturbed.
    pub(super) fn sealed(&self) -> Option<Disturbances> {
        let components = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        (!components.is_empty()).then_some(Disturbances { schema: "assay.disturbances/1", components })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_disturbances_are_sealed() {
        let flags = Flags::default();
        assert!(flags.sealed().is_none());
        flags.add("provider", "2 looks were throttled");
        let sealed = serde_json::to_value(flags.sealed()).unwrap_or_default();
        assert_eq!(sealed["components"]["provider"][0], "2 looks were throttled");
    }
}
