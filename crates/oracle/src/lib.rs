//! The oracle: reads sealed bytes and says `pass`, `fail` or `indeterminate` for every trial.
//!
//! It knows nothing of AWS, of the harness or of the functions whose records it reads; it has no clock, no network
//! and no environment, so that the same bytes give the same verdict file, byte for byte, in any year.
//!
//! The plot: [`package::judge`] opens a sealed package and hands each trial's bytes to [`trial::judge_bytes`], which
//! asks, in this order of weight: is the evidence complete (C)? did the treatment hold (T)? and only then: do the
//! monetary rules hold (M1 M2 M3) and is the request's identity kept (N1)?

mod complete;
mod findings;
mod identity;
mod limits;
mod outcome;
mod rules;
mod story;
mod treatment;

pub mod explain;
pub mod file;
pub mod package;
pub mod rejudge;
pub mod time;
pub mod trial;

pub use identity::{VERSION, oracle_id};
pub use limits::Limits;
pub use outcome::Artifact;
