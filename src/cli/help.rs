//! `assay completions` and `assay man`: the command line, told to shells and to `man`.

use super::args::Cli;
use super::print;
use crate::exit::{Exit, Failure};
use clap::{Args, CommandFactory as _};
use clap_complete::Shell;
use std::path::PathBuf;

#[derive(Debug, Args)]
pub(super) struct CompletionsArgs {
    /// Shell
    #[arg(value_enum)]
    shell: Shell,
}

#[derive(Debug, Args)]
pub(super) struct ManArgs {
    /// Write a page for each command into this folder, instead of the main page to stdout
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Prints a completion script.
pub(super) fn completions(args: &CompletionsArgs) -> Result<Exit, Failure> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "assay", &mut script);
    print(&String::from_utf8_lossy(&script));
    Ok(Exit::Ok)
}

/// Prints the manual page, or writes one per command.
pub(super) fn man(args: &ManArgs) -> Result<Exit, Failure> {
    if let Some(folder) = &args.out {
        std::fs::create_dir_all(folder).map_err(|e| Failure::io("create folder", folder, &e))?;
        clap_mangen::generate_to(Cli::command(), folder).map_err(|e| Failure::io("write manual", folder, &e))?;
        return Ok(Exit::Ok);
    }
    let mut page = Vec::new();
    let rendered = clap_mangen::Man::new(Cli::command()).render(&mut page);
    rendered.map_err(|e| Failure::Internal(format!("cannot write the manual: {e}")))?;
    print(&String::from_utf8_lossy(&page));
    Ok(Exit::Ok)
}
