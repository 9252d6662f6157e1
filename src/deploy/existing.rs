//! What to do about a stack that has the name already. Pure.

use crate::cloud::stacks::{StackState, StackStatus};
use crate::plan::{RUN_TAG, TOOL_TAG};
use std::collections::BTreeMap;

/// The next step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The same request made it, and it is complete.
    Unchanged,
    /// The same request is making or changing it; wait.
    Adopt,
    /// A failed creation of ours: delete it, then create.
    Replace,
    /// A complete stack that this tool deployed: make it what this request says.
    Update,
    /// Another operation is under way; leave it alone, and say whose it is.
    Busy,
    /// Leave it alone, and say why.
    Refuse(String),
}

/// Decides. `ours` says whether the stack's newest operation carries this request's token.
pub(super) fn decide(stack: &StackState, tags: &BTreeMap<String, String>, ours: bool) -> Step {
    use StackStatus as S;
    let (name, status) = (&stack.name, &stack.status);
    let delete = format!("assay delete --stack {name}");
    if !status.is_settled() && !ours {
        return Step::Busy;
    }
    if let Some(run) = stack.tags.get(RUN_TAG) {
        return Step::Refuse(format!("stack {name} belongs to run {run} ({status}); choose another name"));
    }
    match status {
        S::CreateComplete | S::UpdateComplete if ours => Step::Unchanged,
        status if ours && is_under_way(status) => Step::Adopt,
        // Only a delete can follow these (CloudFormation User Guide, stack status codes).
        S::RollbackComplete | S::RollbackFailed | S::CreateFailed if carries(stack, tags) => Step::Replace,
        S::RollbackComplete | S::RollbackFailed | S::CreateFailed => {
            Step::Refuse(format!("stack {name} is {status} and carries other tags; delete it with: {delete} --any"))
        }
        S::ReviewInProgress => {
            Step::Refuse(format!("stack {name} is the empty shell of a change set; delete it with: {delete} --any"))
        }
        S::UpdateRollbackFailed => Step::Refuse(format!(
            "stack {name} is {status}: what it was cannot be restored by itself; mend what hinders it, then: aws cloudformation continue-update-rollback --stack-name {name}"
        )),
        S::UpdateFailed => Step::Refuse(format!(
            "stack {name} is {status}; bring it back first: aws cloudformation rollback-stack --stack-name {name}"
        )),
        status if !status.is_settled() => Step::Busy,
        S::CreateComplete | S::UpdateComplete | S::UpdateRollbackComplete | S::ImportComplete
            if stack.tags.contains_key(TOOL_TAG) =>
        {
            Step::Update
        }
        status => Step::Refuse(format!(
            "stack {name} exists already ({status}) and was not deployed by assay; choose another name, or delete it with: {delete} --any"
        )),
    }
}

fn is_under_way(status: &StackStatus) -> bool {
    let text = status.as_text();
    !status.is_settled() && ["CREATE_", "ROLLBACK_", "UPDATE_"].iter().any(|start| text.starts_with(start))
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
        assert!(matches!(complete, Step::Refuse(why) if why.contains("was not deployed by assay")));
    }

    #[test]
    fn only_a_complete_stack_of_this_tool_is_updated() {
        let of = |status: StackStatus, key: &str| {
            let mut stack = stack(status, "a");
            stack.tags.insert(key.to_owned(), "r".to_owned());
            decide(&stack, &tags("a"), false)
        };
        for status in [StackStatus::CreateComplete, StackStatus::UpdateComplete, StackStatus::UpdateRollbackComplete] {
            assert_eq!(of(status.clone(), TOOL_TAG), Step::Update, "{status}");
            assert!(matches!(of(status, RUN_TAG), Step::Refuse(why) if why.contains("belongs to run r")));
        }
        let failed = of(StackStatus::UpdateRollbackFailed, TOOL_TAG);
        assert!(matches!(failed, Step::Refuse(why) if why.contains("continue-update-rollback --stack-name s")));
    }

    #[test]
    fn the_same_request_again_changes_nothing() {
        assert_eq!(decide(&stack(StackStatus::CreateComplete, "a"), &tags("a"), true), Step::Unchanged);
        for under_way in [StackStatus::CreateInProgress, StackStatus::UpdateCompleteCleanupInProgress] {
            assert_eq!(decide(&stack(under_way, "a"), &tags("a"), true), Step::Adopt);
        }
        let foreign = decide(&stack(StackStatus::UpdateInProgress, "a"), &tags("a"), false);
        assert_eq!(foreign, Step::Busy);
    }
}
