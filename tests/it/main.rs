//! Integration tests of the `assay` program.

mod messages;
mod plan;
