//! The oracle from outside: good trials, every mutation of them, fixtures per failure class, packages and the binary.

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
