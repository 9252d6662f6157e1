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
