//! Deletes the stacks: what nothing depends on first, independent ones at once.

use super::Job;
use super::buckets::Held;
use super::custom;
use super::input::StackEntry;
use super::report::{FailingResource, Note, StackReport, StackResult, TeardownReport};
use super::stack;
use tokio::task::JoinSet;

pub(super) async fn delete(job: &Job, held: &Held, report: &mut TeardownReport) {
    for wave in waves(&job.input.stacks) {
        let mut tasks = JoinSet::new();
        for entry in wave {
            let (job, held) = (job.clone(), held.get(&entry.name).cloned());
            tasks.spawn(async move { stack::delete(&job, &entry, held).await });
        }
        while let Some(ended) = tasks.join_next().await {
            let Ok(stack) = ended else { continue };
            job.observer.note(&Note::Stack(&stack));
            report.stacks.push(stack);
        }
    }
    name_missing(job, report);
    report.stacks.sort_by(|a, b| a.name.cmp(&b.name));
    for stack in report.stacks.clone() {
        explain(job, &stack, report);
    }
}

/// Stacks of one wave have no dependant in a later one. A cycle, which no deployment can make, ends in one wave.
fn waves(stacks: &[StackEntry]) -> Vec<Vec<StackEntry>> {
    let mut left: Vec<StackEntry> = stacks.to_vec();
    let mut waves = Vec::new();
    while !left.is_empty() {
        let needed =
            |name: &str| left.iter().any(|other| other.name != name && other.depends_on.iter().any(|d| d == name));
        let (ready, waiting): (Vec<_>, Vec<_>) = left.iter().cloned().partition(|entry| !needed(&entry.name));
        let (ready, waiting) = if ready.is_empty() { (waiting, Vec::new()) } else { (ready, waiting) };
        waves.push(ready);
        left = waiting;
    }
    waves
}

/// A task that died left no report; its stack is unknown, not absent.
fn name_missing(job: &Job, report: &mut TeardownReport) {
    for entry in &job.input.stacks {
        if !report.stacks.iter().any(|stack| stack.name == entry.name) {
            let result = StackResult::Unknown { reason: "its deletion ended without a report".to_owned() };
            report.stacks.push(StackReport::new(entry, entry.id.clone(), result));
        }
    }
}

fn explain(job: &Job, stack: &StackReport, report: &mut TeardownReport) {
    let again = |options: &str| Some(job.input.again(options));
    let failing: Vec<String> = stack.failing.iter().map(failure).collect();
    match &stack.result {
        StackResult::Refused { holder } if holder.contains("termination protection") => {
            report.problem(&stack.name, format!("deletion refused: {holder}"), again(" --disable-protection"));
        }
        StackResult::Refused { holder } => {
            report.problem(&stack.name, format!("deletion refused: {holder}"), again(""));
        }
        StackResult::Failed => {
            let reason = format!("DELETE_FAILED after {} attempts: {}; {OFFER}", stack.attempts, failing.join("; "),);
            report.problem(&stack.name, reason, again(" --force-failed"));
        }
        StackResult::NotOurs => {
            report.problem(
                &stack.name,
                "a stack of this name exists, and neither ledger nor tags prove it to be the run's",
                None,
            );
        }
        StackResult::Paused => report.problem(&stack.name, "paused: the credentials expired", again("")),
        StackResult::Interrupted => report.problem(&stack.name, "interrupted; CloudFormation may go on", again("")),
        StackResult::Unknown { reason } => report.problem(&stack.name, reason.clone(), again("")),
        StackResult::Deleted | StackResult::AlreadyGone | StackResult::NeverCreated => {}
    }
}

/// What `--force-failed` does.
const OFFER: &str =
    "--force-failed deletes the stack and leaves exactly these behind (RetainResources, else FORCE_DELETE_STACK)";

fn failure(resource: &FailingResource) -> String {
    let reason = resource.reason.as_deref().unwrap_or("no reason given");
    let said = format!("{} ({reason})", resource.logical_id);
    match &resource.service_token {
        Some(token) => format!("{said}, {}", custom::told(&resource.logical_id, token)),
        None => said,
    }
}

impl StackReport {
    pub(super) fn new(entry: &StackEntry, id: Option<String>, result: StackResult) -> Self {
        let (failing, retained) = (Vec::new(), Vec::new());
        Self { name: entry.name.clone(), id, result, attempts: 0, failing, retained, disturbed: 0 }
    }
}

#[cfg(test)]
mod tests {
    use super::{StackEntry, waves};

    fn entry(name: &str, depends_on: &[&str]) -> StackEntry {
        let depends_on = depends_on.iter().map(ToString::to_string).collect();
        StackEntry { name: name.into(), depends_on, ..StackEntry::default() }
    }

    fn names(stacks: &[StackEntry]) -> Vec<Vec<String>> {
        waves(stacks).into_iter().map(|wave| wave.into_iter().map(|e| e.name).collect()).collect()
    }

    #[test]
    fn dependants_go_first_and_independent_stacks_together() {
        let stacks = [
            entry("artifacts", &[]),
            entry("provider", &["artifacts"]),
            entry("a", &["provider"]),
            entry("b", &["provider"]),
        ];
        assert_eq!(names(&stacks), [vec!["a", "b"], vec!["provider"], vec!["artifacts"]]);
    }

    #[test]
    fn a_cycle_ends() {
        assert_eq!(names(&[entry("a", &["b"]), entry("b", &["a"])]), [vec!["a", "b"]]);
    }
}
