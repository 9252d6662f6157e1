//! The last words of a run on a terminal.

use super::table::reference_table;
use crate::exit::Exit;
use crate::judge::Results;
use crate::text::{COLUMNS, wrap};
use std::fmt::Write as _;
use std::path::Path;

/// Where the second column begins.
const INDENT: usize = 12;

/// Table, comparison, cleanup, folder and exit. `columns` are those of the terminal, if there is one.
#[must_use]
pub fn conclusion(results: &Results, folder: &Path, exit: Exit, columns: Option<usize>) -> String {
    let rest = findings_and_ends(results, folder, exit);
    let lines = rest.lines().map(|line| wrap(line, COLUMNS, if line.starts_with("  - ") { 4 } else { INDENT }) + "\n");
    format!("\n{}\n{}", reference_table(&results.cells, columns), lines.collect::<String>())
}

fn findings_and_ends(results: &Results, folder: &Path, exit: Exit) -> String {
    let mut out = String::new();
    for cell in results.cells.iter().filter(|c| !c.as_predicted) {
        let _ = writeln!(out, "trial {} differs: {}", cell.trial, cell.differences.join("; "));
    }
    for excluded in &results.excluded {
        let _ = writeln!(out, "excluded {}: {}", excluded.trial, excluded.reason);
    }
    for deviation in &results.deviations {
        let _ = writeln!(out, "deviation: {deviation}");
    }
    if let Some(reason) = &results.stopped {
        let _ = writeln!(out, "stopped early: {reason}");
    }
    let comparison = if results.comparison.eligible {
        "eligible".to_owned()
    } else {
        // Why the run stopped stands above.
        let reasons = results.comparison.reasons.iter().map(|reason| match reason.split_once("stopped early: ") {
            Some((before, _)) if results.stopped.is_some() => format!("{before}stopped early"),
            _ => reason.clone(),
        });
        format!("not eligible: {}", reasons.collect::<Vec<_>>().join("; "))
    };
    let _ = writeln!(out, "comparison  {comparison}");
    let _ = writeln!(out, "grade       {}", format!("{:?}", results.grade).to_lowercase());
    let _ = writeln!(out, "teardown    {}", text(&results.teardown, "summary"));
    let _ = writeln!(out, "audit       {}", text(&results.audit, "summary"));
    for line in findings(&results.audit) {
        let _ = writeln!(out, "            {line}");
    }
    let _ = writeln!(out, "evidence    {}/", folder.display());
    let _ = writeln!(out, "report      {}", folder.join("report.html").display());
    if results.stopped.is_some() && matches!(exit, Exit::Usage | Exit::Indeterminate) {
        out.push_str("next        nothing is left to remove: mend what stopped it, then start again\n");
    }
    let _ = writeln!(out, "exit        {}", exit.code());
    out
}

/// Findings that matter to a person; what only the tag index still lists is in the report.
fn findings(audit: &serde_json::Value) -> Vec<&str> {
    text(audit, "text").lines().filter(|line| !line.starts_with("ghost") && !line.starts_with("audit:")).collect()
}

fn text<'a>(value: &'a serde_json::Value, key: &str) -> &'a str {
    value.get(key).and_then(|v| v.as_str()).unwrap_or("no report")
}
