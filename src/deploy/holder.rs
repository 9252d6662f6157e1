//! Who holds a stack that is busy, as far as its status, its newest events and its tags tell.

use crate::cloud::stacks::{self, StackEvent, StackState};
use crate::cloud::{Clients, Failure as CallFailure};
use crate::plan::RUN_TAG;
use crate::text::to_the_second;

/// Tags that name a holder, with the word for each.
const HOLDERS: [(&str, &str); 3] = [(RUN_TAG, "run"), ("assay:owner", "owner"), ("Owner", "owner")];

/// Status and since when, the last event, and run and owner if the stack is tagged with them.
///
/// # Errors
/// If the stack's events cannot be read.
pub async fn holder(clients: &Clients, stack: &StackState) -> Result<String, CallFailure> {
    let events = stacks::new_events(clients, &stack.id, None).await.into_result()?.events;
    Ok(words(stack, &events))
}

fn words(stack: &StackState, events: &[StackEvent]) -> String {
    let mut text = format!("stack {} is {}", stack.name, stack.status);
    let own = events.iter().rfind(|e| e.physical_id.as_deref() == Some(&stack.id));
    if let Some(since) = own.map(|event| event.at_ms).or(stack.created_at_ms) {
        text += &format!(" since {}", to_the_second(since));
    }
    if let Some(last) = events.last() {
        text += &format!(", its last event at {}: {} {}", to_the_second(last.at_ms), last.logical_id, last.status);
    }
    let tags = HOLDERS.iter().filter_map(|(key, word)| Some(format!("{word} {}", stack.tags.get(*key)?)));
    let tags: Vec<_> = tags.collect();
    let held = if tags.is_empty() { "no tag says by whom".to_owned() } else { format!("held by {}", tags.join(", ")) };
    format!("{text}; {held}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cloud::stacks::StackStatus;
    use std::collections::BTreeMap;

    fn event(at_ms: i64, name: &str, status: &str) -> StackEvent {
        StackEvent {
            event_id: at_ms.to_string(),
            at_ms,
            logical_id: name.to_owned(),
            physical_id: (name == "s").then(|| "id".to_owned()),
            resource_type: String::new(),
            status: status.to_owned(),
            reason: None,
            token: None,
        }
    }

    #[test]
    fn status_since_last_event_run_and_owner_are_named() {
        let mut stack = StackState {
            id: "id".into(),
            name: "s".into(),
            status: StackStatus::UpdateInProgress,
            reason: None,
            outputs: BTreeMap::new(),
            tags: BTreeMap::new(),
            termination_protection: false,
            created_at_ms: Some(0),
            deleted_at_ms: None,
        };
        let events = [event(1_000, "s", "UPDATE_IN_PROGRESS"), event(61_000, "Queue", "UPDATE_COMPLETE")];
        let untagged = "stack s is UPDATE_IN_PROGRESS since 1970-01-01T00:00:01Z, its last event at \
                        1970-01-01T00:01:01Z: Queue UPDATE_COMPLETE; no tag says by whom";
        assert_eq!(words(&stack, &events), untagged);
        stack.tags = [(RUN_TAG, "r1"), ("assay:owner", "me")].map(|(k, v)| (k.to_owned(), v.to_owned())).into();
        assert!(words(&stack, &events).ends_with("; held by run r1, owner me"));
        assert!(words(&stack, &[]).starts_with("stack s is UPDATE_IN_PROGRESS since 1970-01-01T00:00:00Z; held by"));
    }
}
