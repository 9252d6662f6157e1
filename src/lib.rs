//! `assay`: an infrastructure-as-code experiment harness that drives AWS CloudFormation.
//!
//! Data moves one way: protocol → plan → stages → sealed packages → verdicts → report. `plan`, `report` and
//! `judge` do no I/O; only `cloud` names an AWS SDK; only `exit` knows exit codes.

pub mod artifact;
pub mod audit;
pub mod cli;
pub mod cloud;
pub mod cost;
pub mod deploy;
pub mod exit;
pub mod judge;
pub mod launch;
pub mod paused;
pub mod plan;
pub mod progress;
pub mod protocol;
pub mod publication;
pub mod registration;
pub mod report;
pub mod run;
pub mod stages;
pub mod tags;
pub mod teardown;
pub mod text;
