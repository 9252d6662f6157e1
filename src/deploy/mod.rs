//! Deploying and deleting one stack: what is checked before, how it is waited for, and why it failed. The stages of a
//! run share waiting and root causes; `assay deploy` and `assay delete` are these alone.

mod cause;
mod create;
mod delete;
mod events;
mod existing;
mod holder;
mod make;
mod prepare;
mod report;
mod send;
mod update;

pub use delete::{Delete, delete, orphans};
pub use events::{Teller, wait_for_end, why_it_failed};
pub use holder::holder;
pub use make::deploy;
pub use prepare::{Ask, MAX_BODY_BYTES, Prepared, prepare};
pub use report::{Action, Done, Gone};
pub use send::template_url;

use crate::cloud::{Clients, Failure as CallFailure, Pace, RefusalKind};
use crate::exit::Failure;
use crate::paused;
use std::time::Duration;

/// A call's failure as a command's: expired credentials leave the stack going on.
fn stop(what: &str, failure: &CallFailure) -> Failure {
    match failure.kind() {
        Some(RefusalKind::Expired) => paused::expired(&format!("the stack continues without us; {what}"), failure),
        _ => Failure::Stopped(format!("{what}: {failure}")),
    }
}

/// How to wait for a stack: every five seconds on AWS, often on an endpoint of this machine.
fn pace(clients: &Clients) -> Pace {
    let interval = Duration::from_millis(if clients.endpoint().is_loopback() { 50 } else { 5_000 });
    Pace { interval, ceiling: interval * 8, timeout: Duration::from_secs(90 * 60), attempts: u32::MAX }
}
