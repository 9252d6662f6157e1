//! What Cost Explorer's answer means. Pure.

use super::money::Usd;
use crate::cloud::cost::CostLine;
use serde::Serialize;
use std::fmt;

/// How a run's cost stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Billing has no figure yet; that is not zero.
    NotYetAvailable,
    /// There are figures, none of them under the run's tag.
    Unattributed,
    /// Under the run's tag, not final.
    Estimated,
    /// Under the run's tag, final.
    Billed,
}

/// The answer for one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CostReport {
    /// `assay.cost/1`.
    pub schema: &'static str,
    /// Run id.
    pub run: String,
    /// Standing.
    pub standing: Standing,
    /// Sum under the run's tag; absent without a figure.
    pub total_usd: Option<Usd>,
    /// By service.
    pub lines: Vec<CostLine>,
    /// Status of the cost allocation tag, or that this account cannot know.
    pub tag_status: String,
    /// What to do next.
    pub next: Option<String>,
}

/// Judges the lines under the run's tag. No line, or nothing but zeros, is no figure.
#[must_use]
pub fn conclude(run: &str, lines: Option<Vec<CostLine>>, tag_status: &str) -> CostReport {
    let lines = lines.unwrap_or_default();
    let total: Usd = lines.iter().filter_map(|l| Usd::parse(&l.amount)).sum();
    let standing = match (total.is_zero(), tag_status) {
        (true, "Active") => Standing::NotYetAvailable,
        (true, "Inactive" | "unknown to billing") => Standing::Unattributed,
        (true, _) => Standing::NotYetAvailable,
        (false, _) if lines.iter().any(|l| l.estimated) => Standing::Estimated,
        (false, _) => Standing::Billed,
    };
    let next = match standing {
        Standing::NotYetAvailable => Some("ask again a day after the run; figures appear within about 24 hours".to_owned()),
        Standing::Unattributed => Some(
            "the tag is not active, so usage is booked under no tag; activate it in the paying account with: assay cost activate-tags"
                .to_owned(),
        ),
        Standing::Estimated | Standing::Billed => None,
    };
    CostReport {
        schema: "assay.cost/1",
        run: run.to_owned(),
        standing,
        total_usd: (!total.is_zero()).then_some(total),
        lines,
        tag_status: tag_status.to_owned(),
        next,
    }
}

impl fmt::Display for CostReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.standing, self.total_usd) {
            (Standing::Unattributed, _) => writeln!(f, "run {}: unattributed", self.run)?,
            (Standing::Billed, Some(total)) => writeln!(f, "run {}: USD {total}, billed", self.run)?,
            (Standing::Estimated, Some(total)) => writeln!(f, "run {}: USD {total}, estimated", self.run)?,
            _ => writeln!(f, "run {}: not yet available", self.run)?,
        }
        self.lines.iter().try_for_each(|l| writeln!(f, "  {} {:<32} {} {}", l.day, l.service, l.amount, l.unit))?;
        writeln!(f, "  cost allocation tag: {}", self.tag_status)?;
        self.next.iter().try_for_each(|next| writeln!(f, "  next: {next}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(amount: &str, estimated: bool) -> CostLine {
        let (day, service) = ("2026-11-30".to_owned(), "AWS Lambda".to_owned());
        CostLine { day, service, amount: amount.to_owned(), unit: "USD".to_owned(), estimated }
    }

    #[test]
    fn no_figure_is_never_zero() {
        for lines in [None, Some(vec![]), Some(vec![line("0", true), line("0.0000000000", false)])] {
            let report = conclude("r", lines, "Active");
            assert_eq!((report.standing, report.total_usd), (Standing::NotYetAvailable, None));
            assert!(report.to_string().starts_with("run r: not yet available"), "{report}");
        }
    }

    #[test]
    fn a_tag_that_is_not_active_leaves_usage_unattributed() {
        for status in ["Inactive", "unknown to billing"] {
            let report = conclude("r", None, status);
            assert_eq!(report.standing, Standing::Unattributed);
            assert!(report.next.is_some_and(|n| n.contains("activate-tags")));
        }
    }

    #[test]
    fn one_estimated_line_makes_the_sum_an_estimate() {
        assert_eq!(
            conclude("r", Some(vec![line("0.10", false), line("0.2", true)]), "Active").standing,
            Standing::Estimated
        );
        let billed = conclude("r", Some(vec![line("0.10", false), line("0.20", false)]), "Active");
        assert_eq!((billed.standing, billed.total_usd), (Standing::Billed, Usd::parse("0.3")));
    }
}
