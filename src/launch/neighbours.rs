//! Other runs of the same study, seen by the stacks that they have in the account: those of other machines and other
//! folders of runs, which no lock file here knows of.

use crate::cloud::{Clients, Outcome, PageCap, stacks};
use crate::plan::RUN_TAG;
use std::collections::BTreeMap;

/// Living stacks that are looked at; one run has a handful.
const MOST: usize = 50;

/// The runs of a study that have living stacks, each with one stack's name. Only tags prove whose a stack is.
pub(super) async fn of_study(clients: &Clients, study: &str) -> Outcome<BTreeMap<String, String>> {
    let listing = match stacks::list_by_prefix(clients, "assay-", PageCap::default()).await.into_result() {
        Ok(listing) => listing,
        Err(failure) => return Err(failure).into(),
    };
    let mut runs = BTreeMap::new();
    for stack in listing.items.into_iter().filter(|s| !s.status.is_deleted()).take(MOST) {
        match stacks::describe(clients, &stack.id).await.optional().into_result() {
            Ok(Some(state)) if state.tags.get("assay:study").is_some_and(|s| s == study) => {
                let run = state.tags.get(RUN_TAG).cloned().unwrap_or_else(|| "unknown".to_owned());
                runs.entry(run).or_insert(state.name);
            }
            Ok(_) => {}
            Err(failure) => return Err(failure).into(),
        }
    }
    Outcome::Done(runs)
}
