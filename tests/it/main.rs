//! Integration tests of the `assay` program.

mod leftovers;
mod messages;
mod plan;
