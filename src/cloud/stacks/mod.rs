//! CloudFormation stacks. Names are for people: after `CreateStack` everything goes by stack id, because the name
//! of a deleted stack is not found while its id still answers `DELETE_COMPLETE` (CloudFormation API reference,
//! `DescribeStacks`).

mod acts;
mod events;
mod findings;
mod read;
mod status;
mod template;

pub use acts::{CreateStack, DeleteStack, Template, create, delete, delete_token, set_termination_protection, update};
pub use events::{EventBatch, Found, StackEvent, all_events, created_by_token, new_events};
pub use findings::{Finding, findings};
pub use read::{StackResource, StackState, StackSummary, describe, find, is_custom, list_by_prefix, resources};
pub use status::StackStatus;
pub use template::template;

#[cfg(test)]
mod tests;
