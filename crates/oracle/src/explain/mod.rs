//! Why a trial got its verdict: the few lines that decided, and what happened, merged from all sources.

mod timeline;

use crate::rejudge::words;
use evidence::record::Scenario;
use evidence::trial::TrialEvidence;
use evidence::verdict::{TrialVerdict, Verdict};
use std::fmt::Write as _;

pub use timeline::{Moment, timeline};

/// The explanation as plain text; without evidence (an unread trial) it has no timeline.
#[must_use]
pub fn explain(verdict: &TrialVerdict, evidence: Option<&TrialEvidence>) -> String {
    let mut text = String::new();
    // Writing to a string cannot fail.
    let _ = head(&mut text, verdict);
    let _ = rules(&mut text, verdict);
    if let Some(evidence) = evidence {
        let _ = moments(&mut text, evidence);
    }
    text
}

fn head(text: &mut String, verdict: &TrialVerdict) -> std::fmt::Result {
    let scenario = match verdict.scenario {
        Some(Scenario::Control) => "CONTROL",
        Some(Scenario::CommitThenTimeout) => "COMMIT_THEN_TIMEOUT",
        None => "scenario unread",
    };
    writeln!(text, "trial {} · {} · {} · {scenario}", verdict.number, verdict.trial, verdict.variant)?;
    let processing = verdict.processing.as_deref().unwrap_or("not finished");
    writeln!(
        text,
        "verdict {} · processing {processing} · correct_completion {}",
        words(verdict.verdict),
        verdict.correct_completion
    )?;
    for reason in &verdict.invalid_reasons {
        writeln!(text, "  not valid: {reason}")?;
    }
    for item in &verdict.missing {
        writeln!(text, "  missing: {item}")?;
    }
    for one in &verdict.transactions {
        writeln!(text, "  refunded {} {} · {}", major(one.amount_minor), one.currency, one.transaction_id)?;
    }
    Ok(())
}

/// Rules that do not pass first, with their citations; the rest in one line each.
fn rules(text: &mut String, verdict: &TrialVerdict) -> std::fmt::Result {
    writeln!(text)?;
    for rule in &verdict.rules {
        writeln!(text, "{} {}: {}", rule.rule, words(rule.verdict), rule.reason)?;
        if rule.verdict != Verdict::Pass {
            for cite in &rule.decisive {
                writeln!(text, "     {}#{}", cite.artifact, cite.pointer)?;
            }
        }
    }
    Ok(())
}

fn moments(text: &mut String, evidence: &TrialEvidence) -> std::fmt::Result {
    let moments = timeline(evidence);
    let day = moments.first().map(|moment| crate::time::utc(moment.at_ms)).unwrap_or_default();
    writeln!(text, "\ntimeline (UTC, from {day})")?;
    for moment in moments {
        writeln!(text, "{}  {:<10}  {}", crate::time::of_day(moment.at_ms), moment.source, moment.what)?;
    }
    Ok(())
}

/// Minor units as people read them, assuming two decimals; a picture for the eye, never a value to compute with.
fn major(minor: i64) -> String {
    let sign = if minor < 0 { "-" } else { "" };
    let units = minor.unsigned_abs();
    format!("{sign}{}.{:02}", units / 100, units % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_shown_with_two_decimals() {
        assert_eq!(major(10_000), "100.00");
        assert_eq!(major(-7), "-0.07");
        assert_eq!(major(i64::MIN), "-92233720368547758.08");
    }
}
