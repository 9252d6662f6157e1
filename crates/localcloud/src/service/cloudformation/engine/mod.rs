//! The engine: carries out one operation on one stack in the background, and tells about it in events.

mod create;
mod delete;
mod early;
mod outputs;
mod resource;
mod rollback;
mod run;
mod schedule;
mod update;

pub(crate) use create::create;
pub(crate) use delete::{Deletion, delete};
pub(crate) use early::{findings, reason as early_reason, report};
pub(crate) use rollback::{continue_update_rollback, rollback_failed_creation};
pub(crate) use run::Run;
pub(crate) use update::{Target, update};
