//! The report for people.

use super::certificate::Reach;
use super::finding::{Finding, Verdict};
use super::report::AuditReport;
use jiff::Timestamp;
use std::collections::BTreeMap;
use std::fmt::Write;

/// One line per finding with its reason and next command, then what was not read, then the verdict.
#[must_use]
pub fn render(report: &AuditReport) -> String {
    let mut out = String::new();
    let many = many_allowed(&report.findings);
    for finding in report.findings.iter().filter(|f| !owner(f).is_some_and(|o| many.contains_key(o))) {
        render_finding(finding, &mut out);
    }
    for (owner, count) in many {
        let _ = writeln!(out, "allowed ({owner}) {count} resources; --json names them");
    }
    for cell in report.certificate.unread() {
        let Reach::Unread(subjects) = &cell.outcome else { continue };
        let place = format!("{} {} {}", cell.region, cell.service, cell.operation);
        let _ = writeln!(out, "not read      {place}: {}", subjects.join("; "));
    }
    for warning in &report.warnings {
        let _ = writeln!(out, "warning       {warning}");
    }
    let pages: u32 = report.certificate.cells.iter().map(|cell| cell.pages).sum();
    let (cells, label) = (report.certificate.cells.len(), report.overall.label());
    let _ = writeln!(out, "audit: {label} ({} findings, {cells} cells, {pages} reads)", report.findings.len());
    out
}

/// Owners whose rules let more stay than people read line by line.
fn many_allowed(findings: &[Finding]) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for owner in findings.iter().filter_map(owner) {
        *counts.entry(owner).or_insert(0) += 1;
    }
    counts.retain(|_, count| *count > 20);
    counts
}

fn owner(finding: &Finding) -> Option<&str> {
    match &finding.verdict {
        Verdict::Allowed { owner, .. } => Some(owner),
        _ => None,
    }
}

fn render_finding(finding: &Finding, out: &mut String) {
    let word = match &finding.verdict {
        Verdict::Leak => "leak".to_owned(),
        Verdict::Unknown => "unknown".to_owned(),
        Verdict::Ghost => "ghost".to_owned(),
        Verdict::Allowed { owner, .. } => format!("allowed ({owner})"),
        Verdict::ExpectedUntil { at_ms } => format!("expected until {}", instant(*at_ms)),
    };
    let late = if finding.late { ", appeared late" } else { "" };
    let _ = writeln!(
        out,
        "{word:<13} {} {} ({}{late}): {}",
        finding.kind.label(),
        finding.id,
        finding.region,
        finding.reason
    );
    if let Some(next) = &finding.next {
        let _ = writeln!(out, "              → {next}");
    }
}

/// To the second, UTC.
fn instant(at_ms: i64) -> String {
    let whole = at_ms - at_ms.rem_euclid(1_000);
    Timestamp::from_millisecond(whole).map_or_else(|_| at_ms.to_string(), |at| at.to_string())
}
