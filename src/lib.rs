//! `assay`: an infrastructure-as-code experiment harness that drives AWS CloudFormation.
//!
//! Data moves one way: protocol → plan → stages → sealed packages → verdicts → report. `plan`, `report` and
//! `judge` do no I/O; only `cloud` names an AWS SDK; only `exit` knows exit codes.

pub mod cloud;
pub mod exit;
pub mod plan;
pub mod protocol;
pub mod run;
