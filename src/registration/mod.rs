//! Preregistration: what a run will be, sealed before it, and compared before the run's first deploy.
//!
//! A registration is a folder with the package `registration/` and, if a third party stamped it, `timestamp.tsq`,
//! `timestamp.tsr` and `tsa-ca.pem`.

mod check;
mod git;
mod model;
mod timestamp;
mod verify;
mod write;

pub use check::{Adopted, adopt, keep, of_run};
pub use model::{OracleDigests, REGISTRATION, Registration, SCHEMA};
pub use timestamp::Authority;
pub use verify::verify_with_timestamps;
pub use write::{Draftable, Written, write};
