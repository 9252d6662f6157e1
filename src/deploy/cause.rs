//! Why a stack's operation failed: the first failing resource of this operation. Pure.

use crate::cloud::stacks::{Finding, StackEvent};

/// The cause in words. Findings of early validation come first, because nothing else happened then; after them the
/// oldest failure of the operation with this token that is no consequence of another. A rollback that succeeded
/// later belongs to the same operation and hides nothing.
pub(super) fn root_cause(events: &[StackEvent], token: Option<&str>, findings: &[Finding]) -> Option<String> {
    // A stack that failed before keeps the findings of that time.
    let now = |f: &&Finding| token.is_none() || f.token.is_none() || f.token.as_deref() == token;
    let findings: Vec<_> = findings.iter().filter(now).map(Finding::to_string).collect();
    if !findings.is_empty() {
        return Some(findings.join("; "));
    }
    let of_operation = || events.iter().filter(move |e| token.is_none() || e.token.as_deref() == token);
    let failed = || of_operation().filter(|e| e.status.ends_with("_FAILED") && !is_consequence(e));
    // The stack's own event only repeats what its resources say.
    let first = failed().find(|e| !is_stack(e)).or_else(|| failed().next());
    first.or_else(|| of_operation().find(|e| is_stack(e) && e.status.contains("ROLLBACK"))).map(words)
}

fn is_stack(event: &StackEvent) -> bool {
    event.resource_type == "AWS::CloudFormation::Stack"
        && event.physical_id.as_deref().is_none_or(|id| id.contains(&format!("/{}/", event.logical_id)))
}

/// Cancelled siblings are consequences, not causes.
fn is_consequence(event: &StackEvent) -> bool {
    let reason = event.reason.as_deref().unwrap_or_default().to_ascii_lowercase();
    ["creation cancelled", "update cancelled", "delete cancelled", "deletion cancelled", "operation cancelled"]
        .iter()
        .any(|text| reason.contains(text))
}

fn words(event: &StackEvent) -> String {
    format!(
        "{} ({}) {}: {}",
        event.logical_id,
        event.resource_type,
        event.status,
        event.reason.as_deref().unwrap_or("no reason given")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(logical: &str, status: &str, reason: &str, token: &str) -> StackEvent {
        let stack = logical == "s";
        StackEvent {
            event_id: format!("{logical}-{status}"),
            at_ms: 0,
            logical_id: logical.to_owned(),
            physical_id: stack.then(|| "arn:aws:cloudformation:r:1:stack/s/u".to_owned()),
            resource_type: if stack { "AWS::CloudFormation::Stack" } else { "AWS::SQS::Queue" }.to_owned(),
            status: status.to_owned(),
            reason: (!reason.is_empty()).then(|| reason.to_owned()),
            token: Some(token.to_owned()),
        }
    }

    #[test]
    fn cancelled_siblings_are_not_the_cause() {
        let events = [
            event("A", "CREATE_FAILED", "Resource creation cancelled", "t"),
            event("B", "CREATE_FAILED", "Queue already exists", "t"),
            event("s", "ROLLBACK_IN_PROGRESS", "The following resource(s) failed to create: [A, B].", "t"),
        ];
        assert_eq!(
            root_cause(&events, Some("t"), &[]).as_deref(),
            Some("B (AWS::SQS::Queue) CREATE_FAILED: Queue already exists")
        );
    }

    #[test]
    fn a_successful_rollback_does_not_hide_the_failed_update() {
        let events = [
            event("A", "CREATE_FAILED", "an older operation", "create"),
            event("B", "UPDATE_FAILED", "no such role", "update"),
            event("s", "UPDATE_ROLLBACK_IN_PROGRESS", "", "update"),
            event("s", "UPDATE_ROLLBACK_COMPLETE", "", "update"),
        ];
        assert!(
            root_cause(&events, Some("update"), &[]).is_some_and(|c| c.contains("B ") && c.contains("no such role"))
        );
    }

    #[test]
    fn the_stacks_own_event_counts_when_nothing_else_failed() {
        let events = [event("s", "CREATE_FAILED", "a hook failed", "t")];
        assert!(root_cause(&events, Some("t"), &[]).is_some_and(|c| c.contains("a hook failed")));
        assert_eq!(root_cause(&[], None, &[]), None);
    }

    #[test]
    fn early_validation_names_resource_code_and_reason() {
        let mut finding = Finding {
            logical_id: "Q".into(),
            resource_type: "AWS::SQS::Queue".into(),
            name: "NAME_CONFLICT_VALIDATION".into(),
            path: "/Resources/Q/Properties/QueueName".into(),
            reason: "exists".into(),
            token: None,
        };
        let events = [event("s", "CREATE_FAILED", "validation failed", "t")];
        let cause = root_cause(&events, None, std::slice::from_ref(&finding)).expect("a cause");
        for text in ["Q (AWS::SQS::Queue)", "NAME_CONFLICT_VALIDATION", "/Resources/Q/Properties/QueueName", "exists"] {
            assert!(cause.contains(text), "{cause}");
        }
        finding.token = Some("an older operation".to_owned());
        let cause = root_cause(&events, Some("t"), &[finding]).expect("a cause");
        assert!(cause.contains("validation failed"), "{cause}");
    }
}
