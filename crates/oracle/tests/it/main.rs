//! The oracle from outside: good trials, every mutation of them, fixtures per failure class, packages and the binary.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // helpers of tests are tests

mod attacks;
mod builder;
mod command;
mod fixtures;
mod good;
mod harmless;
mod mutation;
mod pointers;
mod properties;
mod scenes;
mod support;
