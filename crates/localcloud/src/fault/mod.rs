//! Scripted, seeded faults: which calls go wrong, and how.

mod engine;
mod page;
mod script;

pub(crate) use engine::Faults;
pub(crate) use page::{damage_page, unwrap_token};
pub use script::{Caller, Effect, Rule, Script, ScriptError, When};
