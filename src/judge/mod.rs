//! From verdicts to conclusions: cells against predictions, eligibility of the comparison, the exit. No I/O.

mod cells;
mod eligibility;
mod order;
mod results;

pub use cells::{Cell, cells};
pub use eligibility::{Comparison, Facts, comparison};
pub use order::{Grade as OrderGrade, Order, Registered, order};
pub use results::{Excluded, Results, SCHEMA};

use crate::exit::Exit;
use evidence::verdict::Verdict;

/// The exit of a finished run. Cleanup outranks evidence, evidence outranks verdicts; among verdicts the lattice
/// decides: a proven difference outranks an undecided one.
#[must_use]
pub fn exit(cells: &[Cell], facts: &Facts) -> Exit {
    if !facts.cleanup_proven {
        return Exit::Unclean;
    }
    if !facts.evidence_verifies {
        return Exit::Unverified;
    }
    let differing = || cells.iter().filter(|cell| !cell.as_predicted);
    if differing().any(|cell| cell.verdict != Verdict::Indeterminate) {
        return Exit::Differs;
    }
    if cells.is_empty() || differing().next().is_some() || facts.stopped.is_some() {
        return Exit::Indeterminate;
    }
    Exit::Ok
}

#[cfg(test)]
mod tests {
    use super::*;
    use evidence::record::Scenario;

    fn cell(verdict: Verdict, as_predicted: bool) -> Cell {
        Cell {
            id: "canonical-1".to_owned(),
            trial: 1,
            variant: "durable".to_owned(),
            scenario: Scenario::Control,
            valid: verdict != Verdict::Indeterminate,
            invalid_reasons: Vec::new(),
            verdict,
            rules: Vec::new(),
            transactions: Vec::new(),
            processing: None,
            correct_completion: false,
            missing: Vec::new(),
            as_predicted,
            differences: Vec::new(),
            cites: Vec::new(),
        }
    }

    fn sound() -> Facts {
        Facts { evidence_verifies: true, cleanup_proven: true, ..Facts::default() }
    }

    /// Cases M2 and 101: the lattice of the oracle is that of the exit code, and nothing proven is never green.
    #[test]
    fn one_fail_and_one_indeterminate_differ_and_twenty_crashed_are_indeterminate() {
        let mixed = [cell(Verdict::Indeterminate, false), cell(Verdict::Fail, false)];
        assert_eq!(exit(&mixed, &sound()), Exit::Differs);
        let crashed = vec![cell(Verdict::Indeterminate, false); 20];
        assert_eq!(exit(&crashed, &sound()), Exit::Indeterminate);
        assert_eq!(exit(&[], &sound()), Exit::Indeterminate);
        assert_eq!(exit(&[cell(Verdict::Fail, true)], &sound()), Exit::Ok, "a failure that was predicted");
    }

    #[test]
    fn evidence_outranks_verdicts_and_cleanup_outranks_both() {
        let cells = [cell(Verdict::Pass, true)];
        assert_eq!(exit(&cells, &Facts { evidence_verifies: false, ..sound() }), Exit::Unverified);
        assert_eq!(exit(&cells, &Facts { cleanup_proven: false, evidence_verifies: false, ..sound() }), Exit::Unclean);
        assert_eq!(exit(&cells, &Facts { stopped: Some("probe".to_owned()), ..sound() }), Exit::Indeterminate);
    }
}
