//! `oracle`: judges a sealed package in a process of its own.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::run()
}
