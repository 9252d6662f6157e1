//! Integration tests of the `assay` program.

mod build;
mod deploy;
mod preflight;
mod faults;
mod help;
mod init;
mod interrupt;
mod leftovers;
mod messages;
mod plan;
mod rehearse;
mod report;
mod resume;
mod support;
