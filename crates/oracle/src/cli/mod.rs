//! The command line of `oracle`: arguments to calls, results to text and exit codes.

mod command;
mod output;

use clap::{Parser, Subcommand};
use std::path::PathBuf;
use std::process::ExitCode;

/// Exit code for invalid usage.
pub(crate) const USAGE: u8 = 64;

const CODES: &str =
    "exit codes: 0 pass · 10 fail · 20 indeterminate · 30 the package does not verify · 64 usage · 70 internal error";

/// Reads sealed evidence and says pass, fail or indeterminate. No network, no clock, no environment.
#[derive(Debug, Parser)]
#[command(name = "oracle", version = oracle::VERSION, after_help = CODES)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Judge every trial of a sealed package
    Judge {
        /// Folder of the package, for example runs/RUN/packages/canonical
        package: PathBuf,
        /// Write the verdict file here; an existing file with another verdict is kept and refused
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Print the verdict file instead of lines for people
        #[arg(long)]
        json: bool,
    },
    /// Print the lines that decided a trial, and the merged timeline of all sources
    Explain {
        /// Folder of the package
        package: PathBuf,
        /// Number in the stage's sequence, or trial id
        #[arg(long, value_name = "N|ID")]
        trial: String,
    },
    /// Judge again, keep the old verdict and say what changed
    Rejudge {
        /// Verdict file from an earlier judgement of the same package
        old_verdict: PathBuf,
        /// Folder of the package
        package: PathBuf,
        /// Write the new verdict file here; never over an existing one
        #[arg(long, value_name = "FILE")]
        out: Option<PathBuf>,
        /// Print the comparison as JSON
        #[arg(long)]
        json: bool,
    },
}

/// Runs the program.
pub(crate) fn run() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return usage(&error),
    };
    let done = match arguments.command {
        Command::Judge { package, out, json } => command::judge(&package, out.as_deref(), json),
        Command::Explain { package, trial } => command::explain(&package, &trial),
        Command::Rejudge { old_verdict, package, out, json } => {
            command::rejudge(&old_verdict, &package, out.as_deref(), json)
        }
    };
    done.unwrap_or_else(|error| {
        eprintln!("oracle: {error}");
        ExitCode::from(error.code())
    })
}

/// Help and version are no errors; everything else that clap refuses is usage.
fn usage(error: &clap::Error) -> ExitCode {
    let _ = error.print();
    if error.use_stderr() { ExitCode::from(USAGE) } else { ExitCode::SUCCESS }
}
