//! Integration tests of the `assay` program.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used, reason = "a test that cannot go on fails loudly")]

mod build;
mod cases;
mod citations;
mod clouds;
mod cost;
mod deploy;
mod deviation;
mod disk;
mod docs;
mod errors;
mod expiry;
mod faults;
mod fuzz;
mod help;
mod init;
mod interrupt;
mod leftovers;
mod messages;
mod neighbours;
mod plan;
mod preflight;
mod publish;
mod refusals;
mod registration;
mod rehearse;
mod report;
mod resume;
mod sample;
mod screens;
mod settle;
mod support;
mod tags;
mod twice;
