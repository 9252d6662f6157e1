//! What to do about a stack that has the name already. Pure.

use crate::cloud::stacks::{StackState, StackStatus};
use std::collections::BTreeMap;

/// The next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The same request made it, and it is complete.
    Unchanged,
    /// The same request is making it; wait.
    Adopt,
    /// A failed creation of ours: delete it, then create.
    Replace,
    /// Leave it alone, and say why.
    Refuse(String),
}

/// Decides. `ours` says whether the stack's creation carries this request's token.
pub(super) fn decide(stack: &StackState, tags: &BTreeMap<String, String>, ours: bool) -> Step {
    let name = &stack.name;
    let delete = format!("assay delete --stack {name}");
    match &stack.status {
        StackStatus::CreateComplete if ours => Step::Unchanged,
        StackStatus::CreateInProgress | StackStatus::RollbackInProgress if ours => Step::Adopt,
        // Only a delete can follow these (CloudFormation User Guide, stack status codes).
        StackStatus::RollbackComplete | StackStatus::RollbackFailed | StackStatus::CreateFailed => {
            if carries(stack, tags) {
                Step::Replace
            } else {
                Step::Refuse(format!(
                    "stack {name} is {} and carries other tags; delete it with: {delete} --any",
                    stack.status
                ))
            }
        }
        StackStatus::ReviewInProgress => {
            Step::Refuse(format!("stack {name} is the empty shell of a change set; delete it with: {delete} --any"))
        }
        status if !status.is_settled() => {
            Step::Refuse(format!("stack {name} is {status}: another operation is under way; wait for it"))
        }
        status => Step::Refuse(format!(
            "stack {name} exists already ({status}), made by another request; choose another name, or delete it with: {delete}"
        )),
    }
}

/// Whether a stack carries every tag of this request.
fn carries(stack: &StackState, tags: &BTreeMap<String, String>) -> bool {
    tags.iter().all(|(key, value)| stack.tags.get(key) == Some(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(status: StackStatus, tag: &str) -> StackState {
        StackState {
            id: "id".into(),
            name: "s".into(),
            status,
            reason: None,
            outputs: BTreeMap::new(),
            tags: tags(tag),
            termination_protection: false,
            created_at_ms: None,
            deleted_at_ms: None,
        }
    }

    fn tags(value: &str) -> BTreeMap<String, String> {
        BTreeMap::from([("team".to_owned(), value.to_owned())])
    }

    #[test]
    fn only_a_failed_creation_with_our_tags_is_replaced() {
        let failed = |tag| decide(&stack(StackStatus::RollbackComplete, tag), &tags("a"), false);
        assert_eq!(failed("a"), Step::Replace);
        assert!(matches!(failed("b"), Step::Refuse(why) if why.contains("assay delete --stack s --any")));
        let complete = decide(&stack(StackStatus::CreateComplete, "a"), &tags("a"), false);
        assert!(matches!(complete, Step::Refuse(why) if why.contains("exists already")));
    }

    #[test]
    fn the_same_request_again_changes_nothing() {
        assert_eq!(decide(&stack(StackStatus::CreateComplete, "a"), &tags("a"), true), Step::Unchanged);
        assert_eq!(decide(&stack(StackStatus::CreateInProgress, "a"), &tags("a"), true), Step::Adopt);
        let foreign = decide(&stack(StackStatus::UpdateInProgress, "a"), &tags("a"), false);
        assert!(matches!(foreign, Step::Refuse(why) if why.contains("under way")));
    }
}
