//! The report as Markdown that fits a job summary.

use super::dossier::{Dossier, word};
use super::sentence::contradiction;
use super::table::{transactions, verdict};
use crate::cost;
use std::fmt::Write as _;

/// Rows of the verdict table; a job summary may have 1 MiB.
const ROWS: usize = 200;

/// Sentence, table, comparison, exclusions, cleanup and digests.
#[must_use]
pub fn markdown(dossier: &Dossier) -> String {
    let results = &dossier.results;
    let mut out = format!("## {}\n\n", text(&dossier.plan.title));
    let _ = writeln!(out, "**{}**\n", text(&contradiction(&results.cells)));
    let _ = writeln!(out, "Run `{}` of {}, grade **{}**.\n", results.run, text(&results.study), dossier.grade());
    table(&mut out, dossier);
    for cell in results.cells.iter().filter(|c| !c.as_predicted).take(ROWS) {
        let _ = writeln!(out, "- Trial {} differs: {}", cell.trial, text(&cell.differences.join("; ")));
    }
    for excluded in &results.excluded {
        let _ = writeln!(out, "- Excluded {}: {}", text(&excluded.trial), text(&excluded.reason));
    }
    for deviation in &results.deviations {
        let _ = writeln!(out, "- Deviation: {}", text(deviation));
    }
    if let Some(reason) = &results.stopped {
        let _ = writeln!(out, "- Stopped early: {}", text(reason));
    }
    let comparison = if results.comparison.eligible {
        "eligible".to_owned()
    } else {
        format!("not eligible: {}", results.comparison.reasons.join("; "))
    };
    let summary = |value: &serde_json::Value| text(value["summary"].as_str().unwrap_or("no report"));
    let _ = writeln!(out, "\n- Comparison: {}", text(&comparison));
    let _ = writeln!(out, "- Teardown: {}", summary(&results.teardown));
    let _ = writeln!(out, "- Audit: {}", summary(&results.audit));
    for (title, path, json) in dossier.extras.iter().filter(|(_, path, _)| path.contains("/amendment-")) {
        let _ = writeln!(out, "- {}: {} (`{}`)", text(title), text(&amended(json)), text(path));
    }
    let _ = writeln!(out, "- Billed cost: {}", cost::billed(dossier.billed.as_ref()));
    let _ = writeln!(out, "\n<details><summary>Digests</summary>\n\n| what | SHA-256 |\n|---|---|");
    let _ = writeln!(out, "| plan | `{}` |", results.plan_digest);
    for package in &dossier.packages {
        let _ = writeln!(out, "| package {} | `{}` |", package.name, package.identity);
    }
    out.push_str("\n</details>\n");
    out
}

/// An amendment in a few words: what an audit came to, or that the file has it.
fn amended(json: &serde_json::Value) -> String {
    let findings = json["findings"].as_array().map_or(0, Vec::len);
    match (json["summary"].as_str(), json["overall"].as_str()) {
        (Some(summary), _) => summary.to_owned(),
        (None, Some(overall)) => format!("{overall} ({findings} findings)"),
        (None, None) => "sealed".to_owned(),
    }
}

fn table(out: &mut String, dossier: &Dossier) {
    let cells = &dossier.results.cells;
    out.push_str("| trial | variant | scenario | verdict | transactions | processing | correct_completion |\n");
    out.push_str("|---|---|---|---|---|---|---|\n");
    for cell in cells.iter().take(ROWS) {
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {} |",
            cell.trial,
            text(&cell.variant),
            word(&cell.scenario),
            verdict(cell),
            transactions(&cell.transactions),
            text(cell.processing.as_deref().unwrap_or("-")),
            cell.correct_completion
        );
    }
    if cells.len() > ROWS {
        let _ = writeln!(out, "\n… and {} more; `results.json` has all.", cells.len() - ROWS);
    }
    out.push('\n');
}

/// Text that stays in its table cell and is no markup.
fn text(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    for c in raw.chars() {
        match c {
            '\n' | '\r' => out.push(' '),
            '|' | '*' | '`' | '[' | ']' | '\\' => out.extend(['\\', c]),
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn markup_in_values_stays_text() {
        assert_eq!(text("a|b\n<script> & [x](y)"), "a\\|b &lt;script> &amp; \\[x\\](y)");
    }
}
