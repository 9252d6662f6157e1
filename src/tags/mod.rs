//! Tag proof: every resource of a run asked natively for its tags, compared with the one tag set of its stack. The
//! tag index is not asked, because it lags and knows no roles.

mod judge;
mod read;
mod report;

pub use judge::{Standing, judge};
pub use report::{SCHEMA, TagProof, Tagged};

use crate::cloud::{Clients, Outcome, PageCap, stacks};
use crate::plan::names::Filling;
use crate::plan::{Plan, RUN_TAG};
use crate::run::Created;
use futures_util::future::join_all;
use std::collections::BTreeMap;

/// Whose a resource is, in words, as its tags tell.
pub async fn owner(clients: &Clients, kind: &str, id: &str, cap: PageCap) -> String {
    let tags = match read::tags(clients, kind, id, cap).await {
        read::Reading::Tags(tags) => tags,
        read::Reading::Unread(reason) => return format!("its tags could not be read: {reason}"),
        read::Reading::Untaggable | read::Reading::Gone => return "no tags say whose it is".to_owned(),
    };
    let keys = [RUN_TAG, "assay:owner", "aws:cloudformation:stack-name"];
    let known: Vec<_> = keys.iter().filter_map(|key| tags.get(*key).map(|value| format!("{key} {value}"))).collect();
    if !known.is_empty() {
        return known.join(", ");
    }
    let all: Vec<_> = tags.iter().map(|(key, value)| format!("{key} {value}")).collect();
    if all.is_empty() { "it carries no tags that say whose it is".to_owned() } else { all.join(", ") }
}

/// The tag sets of a plan's stacks by component, as a run fills them in. Each stack has a map of its own.
#[must_use]
pub fn expected(plan: &Plan, filling: &Filling) -> BTreeMap<String, BTreeMap<String, String>> {
    let set = |tags: &BTreeMap<String, String>| tags.iter().map(|(k, v)| (k.clone(), filling.fill(v))).collect();
    plan.stacks.iter().map(|stack| (stack.component.clone(), set(&stack.tags))).collect()
}

/// Reads the tags of everything in a creation ledger and judges them. No resource is left out: what cannot be read
/// or cannot carry tags is named as such.
pub async fn prove(
    clients: &Clients,
    run: &str,
    created: &[Created],
    expected: &BTreeMap<String, BTreeMap<String, String>>,
    cap: PageCap,
) -> TagProof {
    let one = async |item: &Created| {
        let reading = read::tags(clients, &item.kind, &item.id, cap).await;
        let wanted = expected.get(&item.component);
        Tagged {
            kind: item.kind.clone(),
            id: item.id.clone(),
            component: item.component.clone(),
            standing: judge(&reading, wanted, expected, &item.component),
        }
    };
    TagProof::new(run, crate::run::now_ms(), join_all(created.iter().map(one)).await)
}

/// The same for one stack on its own: its tags are what each of its resources must carry. `run` of the proof is the
/// stack's name.
pub async fn prove_stack(clients: &Clients, stack: &str, cap: PageCap) -> Outcome<TagProof> {
    let read = async {
        let state = stacks::describe(clients, stack).await.into_result()?;
        let resources = stacks::resources(clients, &state.id, cap).await.into_result()?;
        Ok((state, resources.items))
    };
    let (state, resources) = match read.await {
        Ok(read) => read,
        Err(failure) => return Err(failure).into(),
    };
    let of = |kind: String, id: String| Created { kind, id, component: state.name.clone() };
    let there = resources.into_iter().filter(|r| r.status != "DELETE_COMPLETE");
    let mut created = vec![of("AWS::CloudFormation::Stack".to_owned(), state.id.clone())];
    created.extend(there.filter_map(|r| Some(of(r.resource_type, r.physical_id?))));
    let expected = BTreeMap::from([(state.name.clone(), state.tags)]);
    Outcome::Done(prove(clients, &state.name, &created, &expected, cap).await)
}
