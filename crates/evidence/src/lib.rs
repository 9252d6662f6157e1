//! Evidence of a run: study records, packages, the run's journal and the verdict lattice.
//!
//! The writer (harness, functions) and the reader (oracle, verifier) share these shapes, so that a field cannot
//! mean one thing where it is written and another where it is judged. Nothing here knows AWS, async or clap, and
//! nothing reads a clock: times are arguments.

pub mod anchors;
pub mod archive;
pub mod atomic;
pub mod canonical;
pub mod chain;
pub mod digest;
mod flat;
pub mod journal;
pub mod name;
pub mod package;
pub mod problem;
pub mod publish;
pub mod record;
pub mod redact;
pub mod scan;
pub mod stage;
pub mod tree;
pub mod trial;
pub mod verdict;
pub mod verify;
pub mod version;
