//! The waits that the study demands, whose sum is the floor of a run's duration.

use super::model::{TrialPlan, Wait};
use crate::protocol::Timing;
use evidence::record::Scenario;

/// Waits of every trial, and the audit's settle time.
pub(super) fn of(trials: &[TrialPlan], timing: &Timing) -> Vec<Wait> {
    let mut waits: Vec<Wait> = trials.iter().flat_map(|trial| of_trial(trial, timing)).collect();
    waits.push(wait("audit", "settle time before the second pass", u64::from(timing.audit_settle_ms)));
    waits
}

fn of_trial(trial: &TrialPlan, timing: &Timing) -> Vec<Wait> {
    let mut waits = Vec::new();
    if trial.scenario == Scenario::CommitThenTimeout {
        waits.extend(treatment(trial));
    }
    if trial.queued {
        let between = u64::from(timing.observations.count.saturating_sub(1));
        waits.push(wait(&trial.id, "stable queue observations", between * u64::from(timing.observations.interval_ms)));
    }
    waits
}

/// A redelivery counts from receipt, so the deadline lies inside the visibility timeout; a step's delay starts after it.
fn treatment(trial: &TrialPlan) -> Vec<Wait> {
    let deadline = u64::from(trial.configuration.deadline_ms);
    match (trial.configuration.step_delay_s, trial.configuration.visibility_timeout_s) {
        (Some(delay), _) => vec![
            wait(&trial.id, "deadline of the held call", deadline),
            wait(&trial.id, "delay before the step's next attempt", u64::from(delay) * 1000),
        ],
        (None, Some(visibility)) => {
            vec![wait(&trial.id, "visibility timeout, counted from receipt", u64::from(visibility) * 1000)]
        }
        (None, None) => vec![wait(&trial.id, "deadline of the held call", deadline)],
    }
}

fn wait(of: &str, what: &str, ms: u64) -> Wait {
    Wait { of: of.to_owned(), what: what.to_owned(), ms }
}
