//! `assay list` and `assay show`.

use super::args::{ListArgs, ShowArgs};
use super::plan::pretty;
use super::print;
use crate::exit::{Exit, Failure};
use crate::report;
use crate::run::RunFolder;

/// Lists the runs of a folder.
pub(super) fn list(args: &ListArgs) -> Result<Exit, Failure> {
    let runs: Vec<_> = RunFolder::all(&args.runs.runs)?.iter().map(report::RunLine::of).collect();
    if args.output.json {
        print(&pretty(&runs)?);
    } else if runs.is_empty() {
        print(&format!("no runs in {}; start one with `assay rehearse`\n", args.runs.runs.display()));
    } else {
        runs.iter().for_each(|run| print(&format!("{run}\n")));
    }
    Ok(Exit::Ok)
}

/// Shows one run.
pub(super) fn show(args: &ShowArgs) -> Result<Exit, Failure> {
    let folder = RunFolder::open(&args.runs.runs, &args.run)?;
    let line = report::RunLine::of(&folder);
    if args.output.json {
        print(&pretty(&line)?);
    } else {
        print(&format!("{line}\n{}", line.details()));
    }
    Ok(Exit::Ok)
}
