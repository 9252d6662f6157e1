//! The report for people.

use super::certificate::Reach;
use super::finding::{Finding, Verdict};
use super::report::AuditReport;
use jiff::Timestamp;
use std::fmt::Write;

/// One line per finding with its reason and next command, then what was not read, then the verdict.
#[must_use]
pub fn render(report: &AuditReport) -> String {
    let mut out = String::new();
    for finding in &report.findings {
        render_finding(finding, &mut out);
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
