//! An embedded local cloud: the AWS operations that the harness, its functions and its templates call, on the
//! real wire protocols, over HTTP on 127.0.0.1. Everything else answers `NotEmulated` and names the operation.
//!
//! It knows nothing of studies, oracles or the harness.
//!
//! # Lock discipline
//! All state of a region lives behind one mutex. [`Cloud::with`] is the only way in: it takes a closure, so the
//! lock cannot be held across an `.await`, and a closure must not call `with` again. Code that needs two regions
//! or has to wait copies what it needs out first. After a change that others may wait for, call `touch`.

mod clock;
mod cloud;
mod error;
pub mod fault;
mod lambda;
mod seed;
mod server;
mod service;
mod time;
mod wire;

pub use clock::Clock;
pub use cloud::{Cloud, Options, StartError};
pub use service::{Bill, Service};
