//! A run: its folder, its lock, its journal and the state that the journal adds up to.

mod event;
mod folder;
mod lock;
mod log;
mod prefix;
mod state;

pub use event::{ActOutcome, Event, StageOutcome};
pub use folder::RunFolder;
pub use lock::Lock;
pub use log::{RunLog, now_ms};
pub use prefix::{Neighbours, PrefixLock};
pub use state::{ActState, Created, Head, Illegal, State, transition};
