//! The Lambda functions of the study: pure handlers behind small ports, and the shell that runs them on Lambda.
//!
//! One `bootstrap` binary carries every role; `_HANDLER` chooses. Three things are modules of their own so that
//! later studies can vary them without touching handlers: what the provider promises about repeated calls
//! ([`provider::contract`]), what happens between its commit and its answer ([`provider::scenario`]) and what the
//! caller does with an outcome ([`caller::strategy`]).

pub mod caller;
pub mod config;
pub mod controller;
mod dynamo;
pub mod event;
pub mod item;
pub mod ports;
pub mod provider;
pub mod provider_client;
mod scribe;
pub mod shell;
#[cfg(test)]
mod testing;

pub use scribe::{Scribe, Subject};
