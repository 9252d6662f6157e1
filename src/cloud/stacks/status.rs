//! Stack statuses.

use serde::{Deserialize, Serialize};

/// `StackStatus` of the CloudFormation API; a status that is not known here is kept as text.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
#[allow(missing_docs, reason = "the names are the API's")]
pub enum StackStatus {
    CreateInProgress,
    CreateFailed,
    CreateComplete,
    RollbackInProgress,
    RollbackFailed,
    RollbackComplete,
    DeleteInProgress,
    DeleteFailed,
    DeleteComplete,
    UpdateInProgress,
    UpdateCompleteCleanupInProgress,
    UpdateComplete,
    UpdateFailed,
    UpdateRollbackInProgress,
    UpdateRollbackFailed,
    UpdateRollbackCompleteCleanupInProgress,
    UpdateRollbackComplete,
    ReviewInProgress,
    ImportInProgress,
    ImportComplete,
    ImportRollbackInProgress,
    ImportRollbackFailed,
    ImportRollbackComplete,
    #[serde(untagged)]
    Other(String),
}

impl StackStatus {
    /// From the API's text.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        serde_json::from_value(serde_json::Value::String(text.to_owned()))
            .unwrap_or_else(|_| Self::Other(text.to_owned()))
    }

    /// The API's text.
    #[must_use]
    pub fn as_text(&self) -> String {
        serde_json::to_value(self).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
    }

    /// Whether the stack stays as it is until somebody acts. `REVIEW_IN_PROGRESS` never moves by itself.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        *self == Self::ReviewInProgress || !self.as_text().ends_with("_IN_PROGRESS")
    }

    /// Whether the stack is gone.
    #[must_use]
    pub fn is_deleted(&self) -> bool {
        *self == Self::DeleteComplete
    }
}

impl std::fmt::Display for StackStatus {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.as_text())
    }
}

#[cfg(test)]
mod tests {
    use super::StackStatus;

    #[test]
    fn statuses_are_the_apis_texts() {
        for text in ["CREATE_COMPLETE", "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS", "SOMETHING_NEW"] {
            assert_eq!(StackStatus::parse(text).as_text(), text);
        }
        assert_eq!(StackStatus::parse("SOMETHING_NEW"), StackStatus::Other("SOMETHING_NEW".into()));
    }

    #[test]
    fn review_is_settled_though_its_name_says_otherwise() {
        assert!(StackStatus::ReviewInProgress.is_settled());
        assert!(StackStatus::RollbackComplete.is_settled());
        assert!(!StackStatus::UpdateRollbackCompleteCleanupInProgress.is_settled());
    }
}
