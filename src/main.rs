//! `assay`: see `assay --help`, README.md and ARCHITECTURE.md.

use std::process::ExitCode;

fn main() -> ExitCode {
    assay::cli::main()
}
