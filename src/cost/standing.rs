//! What Cost Explorer's answer means. Pure.

use super::money::Usd;
use crate::cloud::Outcome;
use crate::cloud::cost::CostLine;
use serde::{Deserialize, Serialize};
use std::fmt;

/// How a run's cost stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// Usage of the account in those days that carries no run's tag; absent without a figure.
    pub unattributed_usd: Option<Usd>,
    /// Usage under other runs' tags; absent without a figure.
    pub others_usd: Option<Usd>,
    /// Everything that billing tells of those days: the three sums together.
    pub account_usd: Option<Usd>,
    /// The run's own lines, by day and service.
    pub lines: Vec<CostLine>,
    /// Status of the cost allocation tag, or that this account cannot know.
    pub tag_status: String,
    /// What to do next.
    pub next: Option<String>,
}

/// `Active`, `Inactive`, `unknown to billing`, or that this account cannot know: a member of an organisation may not
/// ask (AWS Billing user guide, cost allocation tags).
#[must_use]
pub fn tag_words(status: Outcome<Option<String>>) -> String {
    match status.into_result() {
        Ok(Some(status)) => status,
        Ok(None) => "unknown to billing".to_owned(),
        Err(failure) => format!("this account cannot know ({failure})"),
    }
}

/// Judges the account's lines by day, service and run tag. No line of the run, or nothing but zeros, is no figure; what
/// carries no tag is shown as such and still adds up.
#[must_use]
pub fn conclude(run: &str, lines: Option<Vec<CostLine>>, tag_status: &str) -> CostReport {
    let lines = lines.unwrap_or_default();
    let sum = |of: &dyn Fn(&CostLine) -> bool| -> Usd {
        lines.iter().filter(|l| of(l)).filter_map(|l| Usd::parse(&l.amount)).sum()
    };
    let total = sum(&|l| l.value.as_deref() == Some(run));
    let unattributed = sum(&|l| l.value.is_none());
    let others = sum(&|l| l.value.as_deref().is_some_and(|value| value != run));
    let account = total.plus(unattributed).plus(others);
    let lines: Vec<_> = lines.into_iter().filter(|l| l.value.as_deref() == Some(run)).collect();
    let standing = match (total.is_zero(), tag_status) {
        (true, "Inactive" | "unknown to billing") => Standing::Unattributed,
        (true, _) => Standing::NotYetAvailable,
        (false, _) if lines.iter().any(|l| l.estimated) => Standing::Estimated,
        (false, _) => Standing::Billed,
    };
    let figure = |usd: Usd| (!usd.is_zero()).then_some(usd);
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
        total_usd: figure(total),
        unattributed_usd: figure(unattributed),
        others_usd: figure(others),
        account_usd: figure(account),
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
        let sums = [
            ("unattributed (no run's tag)", self.unattributed_usd),
            ("other runs", self.others_usd),
            ("all of the account", self.account_usd),
        ];
        let known = sums.into_iter().filter_map(|(what, usd)| usd.map(|usd| (what, usd)));
        known.into_iter().try_for_each(|(what, usd)| writeln!(f, "  {what:<43} {usd} USD in those days"))?;
        writeln!(f, "  cost allocation tag: {}", self.tag_status)?;
        self.next.iter().try_for_each(|next| writeln!(f, "  next: {next}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(amount: &str, estimated: bool) -> CostLine {
        let (day, service) = ("2026-11-30".to_owned(), "AWS Lambda".to_owned());
        CostLine {
            day,
            value: Some("r".to_owned()),
            service,
            amount: amount.to_owned(),
            unit: "USD".to_owned(),
            estimated,
        }
    }

    #[test]
    fn untagged_usage_is_unattributed_and_the_sum_adds_up() {
        let of = |value: Option<&str>, amount| CostLine { value: value.map(str::to_owned), ..line(amount, false) };
        let lines = vec![of(Some("r"), "0.10"), of(None, "1.05"), of(Some("another"), "0.35")];
        let report = conclude("r", Some(lines), "Active");
        let usd = |text| Usd::parse(text);
        assert_eq!((report.total_usd, report.unattributed_usd), (usd("0.10"), usd("1.05")));
        assert_eq!((report.others_usd, report.account_usd), (usd("0.35"), usd("1.50")));
        assert_eq!((report.standing, report.lines.len()), (Standing::Billed, 1));
        let text = report.to_string();
        assert!(text.contains("unattributed (no run's tag)") && text.contains("1.500000"), "{text}");
        let untagged = conclude("r", Some(vec![of(None, "1.05")]), "Inactive");
        assert_eq!((untagged.standing, untagged.account_usd), (Standing::Unattributed, usd("1.05")));
    }

    #[test]
    fn an_account_that_may_not_ask_cannot_know() {
        assert_eq!(tag_words(Outcome::Done(Some("Active".into()))), "Active");
        assert_eq!(tag_words(Outcome::Done(None)), "unknown to billing");
        let denied = crate::cloud::Refusal::new(crate::cloud::RefusalKind::Denied, "AccessDeniedException", "a member");
        let words = tag_words(Outcome::Refused(denied));
        assert!(words.contains("cannot know") && words.contains("a member"), "{words}");
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
