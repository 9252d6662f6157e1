//! Statuses of stacks and resources, by the API's names.

/// Where a stack or a resource is. Events show both kinds in one member, so they share one type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Status {
    CreateInProgress,
    CreateFailed,
    CreateComplete,
    RollbackInProgress,
    RollbackFailed,
    RollbackComplete,
    DeleteInProgress,
    DeleteFailed,
    DeleteComplete,
    /// Resources only: left behind on purpose.
    DeleteSkipped,
    UpdateInProgress,
    UpdateFailed,
    UpdateCompleteCleanupInProgress,
    UpdateComplete,
    UpdateRollbackInProgress,
    UpdateRollbackFailed,
    UpdateRollbackCompleteCleanupInProgress,
    UpdateRollbackComplete,
    /// Stacks only: a change set of type `CREATE` has made the stack, nothing has been executed.
    ReviewInProgress,
}

impl Status {
    /// The name in the API.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::CreateInProgress => "CREATE_IN_PROGRESS",
            Self::CreateFailed => "CREATE_FAILED",
            Self::CreateComplete => "CREATE_COMPLETE",
            Self::RollbackInProgress => "ROLLBACK_IN_PROGRESS",
            Self::RollbackFailed => "ROLLBACK_FAILED",
            Self::RollbackComplete => "ROLLBACK_COMPLETE",
            Self::DeleteInProgress => "DELETE_IN_PROGRESS",
            Self::DeleteFailed => "DELETE_FAILED",
            Self::DeleteComplete => "DELETE_COMPLETE",
            Self::DeleteSkipped => "DELETE_SKIPPED",
            Self::UpdateInProgress => "UPDATE_IN_PROGRESS",
            Self::UpdateFailed => "UPDATE_FAILED",
            Self::UpdateCompleteCleanupInProgress => "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS",
            Self::UpdateComplete => "UPDATE_COMPLETE",
            Self::UpdateRollbackInProgress => "UPDATE_ROLLBACK_IN_PROGRESS",
            Self::UpdateRollbackFailed => "UPDATE_ROLLBACK_FAILED",
            Self::UpdateRollbackCompleteCleanupInProgress => "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS",
            Self::UpdateRollbackComplete => "UPDATE_ROLLBACK_COMPLETE",
            Self::ReviewInProgress => "REVIEW_IN_PROGRESS",
        }
    }

    /// Whether something has failed here, as the filter of `DescribeEvents` means it.
    pub(crate) fn is_failure(self) -> bool {
        self.name().ends_with("_FAILED")
    }

    /// Whether the stack may be updated.
    pub(crate) fn is_updatable(self) -> bool {
        matches!(self, Self::CreateComplete | Self::UpdateComplete | Self::UpdateRollbackComplete)
    }

    /// Whether the resource still counts as part of its stack.
    pub(crate) fn is_present(self) -> bool {
        !matches!(self, Self::DeleteComplete | Self::DeleteSkipped)
    }
}
