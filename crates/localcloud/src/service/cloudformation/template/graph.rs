//! What has to exist before what.

use super::reference::{Reference, references};
use super::{Inputs, Template, invalid};
use crate::error::ApiError;
use std::collections::{BTreeMap, BTreeSet};

/// For each logical id, the ids it waits for.
pub(crate) type Dependencies = BTreeMap<String, BTreeSet<String>>;

/// The dependencies of the resources that `inputs` makes active.
pub(crate) fn dependencies(inputs: &Inputs) -> Dependencies {
    let active: BTreeSet<&String> = inputs.active().collect();
    let all = all(&inputs.template);
    let active_of = |targets: BTreeSet<String>| targets.into_iter().filter(|target| active.contains(target)).collect();
    all.into_iter()
        .filter(|(name, _)| active.contains(name))
        .map(|(name, targets)| (name, active_of(targets)))
        .collect()
}

fn all(template: &Template) -> Dependencies {
    template
        .resources
        .iter()
        .map(|(name, definition)| {
            let named = definition.properties.values().flat_map(references).filter_map(|reference| match reference {
                Reference::Name(target) | Reference::Attribute(target) => Some(target),
                _ => None,
            });
            let targets = named.chain(definition.depends_on.iter().cloned());
            (name.clone(), targets.filter(|target| template.resources.contains_key(target)).collect())
        })
        .collect()
}

/// Refuses resources that wait for each other.
pub(super) fn refuse_cycles(template: &Template) -> Result<(), ApiError> {
    let mut left = all(template);
    loop {
        let free: Vec<String> = left
            .iter()
            .filter(|(_, targets)| targets.iter().all(|target| !left.contains_key(target)))
            .map(|(name, _)| name.clone())
            .collect();
        if free.is_empty() {
            break;
        }
        for name in free {
            left.remove(&name);
        }
    }
    trim_followers(&mut left);
    if left.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = left.into_keys().collect();
    Err(invalid(format!("Circular dependency between resources: [{}]", names.join(", "))))
}

/// Leaves only members of circles, not what merely waits for one.
fn trim_followers(left: &mut Dependencies) {
    loop {
        let waited_for: BTreeSet<&String> = left.values().flatten().collect();
        let followers: Vec<String> = left.keys().filter(|name| !waited_for.contains(name)).cloned().collect();
        if followers.is_empty() {
            return;
        }
        for name in followers {
            left.remove(&name);
        }
    }
}
