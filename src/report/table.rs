//! The reference table: one line per canonical trial.

use crate::judge::Cell;
use evidence::verdict::{CountedTransaction, Verdict};
use std::fmt::Write as _;

/// The table as text; on a screen that is too narrow for it, two lines for each trial.
#[must_use]
pub fn reference_table(cells: &[Cell], columns: Option<usize>) -> String {
    let table = wide(cells);
    let needed = table.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    if columns.is_some_and(|columns| columns < needed) { narrow(cells) } else { table }
}

fn narrow(cells: &[Cell]) -> String {
    let mut out = String::new();
    for [trial, variant, scenario, verdict, transactions, processing, correct] in cells.iter().map(row) {
        let _ = writeln!(out, "trial {trial:<4} {variant:<14} {scenario:<20} {verdict}");
        let _ = writeln!(out, "           {transactions}, {processing}, correct_completion {correct}");
    }
    out
}

fn wide(cells: &[Cell]) -> String {
    let head = ["trial", "variant", "scenario", "verdict", "transactions", "processing", "correct_completion"];
    let mut rows: Vec<[String; 7]> = vec![head.map(str::to_owned)];
    rows.extend(cells.iter().map(row));
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: [usize; 7] = std::array::from_fn(width);
    let mut out = String::new();
    for (i, row) in rows.iter().enumerate() {
        let line: Vec<_> = row.iter().zip(widths).map(|(text, width)| format!("{text:<width$}")).collect();
        let _ = writeln!(out, "{}", line.join("  ").trim_end());
        if i == 0 {
            let _ = writeln!(out, "{}", widths.map(|w| "-".repeat(w)).join("  "));
        }
    }
    out
}

fn row(cell: &Cell) -> [String; 7] {
    let scenario =
        serde_json::to_value(cell.scenario).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default();
    [
        cell.trial.to_string(),
        cell.variant.clone(),
        scenario,
        verdict(cell),
        transactions(&cell.transactions),
        cell.processing.clone().unwrap_or_else(|| "-".to_owned()),
        cell.correct_completion.to_string(),
    ]
}

pub(super) fn verdict(cell: &Cell) -> String {
    let failing: Vec<_> = cell.rules.iter().filter(|r| r.verdict == Verdict::Fail).map(|r| r.rule.as_str()).collect();
    match cell.verdict {
        Verdict::Pass => "pass".to_owned(),
        Verdict::Fail => format!("fail ({})", failing.join(" ")),
        Verdict::Indeterminate if cell.valid => "indeterminate".to_owned(),
        Verdict::Indeterminate => "not valid".to_owned(),
    }
}

/// `2 × 100.00`, or each amount where they differ.
pub(super) fn transactions(all: &[CountedTransaction]) -> String {
    match all.first() {
        None => "0".to_owned(),
        Some(first) if all.iter().all(|t| t.amount_minor == first.amount_minor) => {
            format!("{} × {}", all.len(), money(first.amount_minor))
        }
        Some(_) => all.iter().map(|t| money(t.amount_minor)).collect::<Vec<_>>().join(" + "),
    }
}

/// Minor units with two decimals.
#[must_use]
pub fn money(minor: i64) -> String {
    let sign = if minor < 0 { "-" } else { "" };
    let minor = minor.unsigned_abs();
    format!("{sign}{}.{:02}", minor / 100, minor % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_is_exact() {
        assert_eq!(money(10_000), "100.00");
        assert_eq!(money(-5), "-0.05");
        assert_eq!(money(i64::MIN), "-92233720368547758.08");
    }

    #[test]
    fn transactions_are_counted_or_listed() {
        let t = |amount_minor| CountedTransaction { transaction_id: "t".into(), amount_minor, currency: "BRL".into() };
        assert_eq!(transactions(&[]), "0");
        assert_eq!(transactions(&[t(10_000), t(10_000)]), "2 × 100.00");
        assert_eq!(transactions(&[t(10_000), t(1)]), "100.00 + 0.01");
    }
}
