//! Projection expressions: which attributes an answer has.

use super::super::invalid;
use super::super::value::{Attr, Item};
use super::path::{Path, Step};
use super::{Parser, Placeholders, Role};
use crate::error::ApiError;

/// Paths that do not overlap.
#[derive(Clone, Debug)]
pub(in super::super) struct Projection(Vec<Path>);

impl Projection {
    pub(in super::super) fn parse(text: &str, placeholders: &mut Placeholders) -> Result<Self, ApiError> {
        let mut parser = Parser::new(Role::Projection, text, placeholders)?;
        let mut paths = vec![parser.path()?];
        while parser.symbol(",") {
            paths.push(parser.path()?);
        }
        parser.end()?;
        refuse_overlaps(Role::Projection, &paths)?;
        Ok(Self(paths))
    }

    pub(in super::super) fn apply(&self, item: &Item) -> Item {
        project(item, &self.0)
    }
}

/// The parts of an item that the paths lead to, in their places; lists keep the order and lose the gaps.
pub(in super::super) fn project(item: &Item, paths: &[Path]) -> Item {
    let mut sorted: Vec<&Path> = paths.iter().collect();
    sorted.sort();
    let mut out = Item::new();
    let mut rest = sorted.as_slice();
    while let Some(first) = rest.first() {
        let (same, others) = rest.split_at(rest.partition_point(|path| path.root == first.root));
        if let Some(value) = item.get(&first.root) {
            let steps: Vec<&[Step]> = same.iter().map(|path| path.steps.as_slice()).collect();
            if let Some(value) = part(value, &steps) {
                out.insert(first.root.clone(), value);
            }
        }
        rest = others;
    }
    out
}

fn part(value: &Attr, paths: &[&[Step]]) -> Option<Attr> {
    if paths.iter().any(|path| path.is_empty()) {
        return Some(value.clone());
    }
    let mut members = Item::new();
    let mut items = Vec::new();
    let mut rest = paths;
    while let Some(step) = rest.first().and_then(|path| path.first()) {
        let (same, others) = rest.split_at(rest.partition_point(|path| path.first() <= Some(step)));
        let deeper: Vec<&[Step]> = same.iter().map(|path| path.get(1..).unwrap_or_default()).collect();
        match (value, step) {
            (Attr::M(all), Step::Member(name)) => {
                let found = all.get(name).and_then(|value| part(value, &deeper));
                members.extend(found.map(|value| (name.clone(), value)));
            }
            (Attr::L(all), Step::Index(index)) => items.extend(all.get(*index).and_then(|value| part(value, &deeper))),
            _ => {}
        }
        rest = others;
    }
    match value {
        Attr::M(_) if !members.is_empty() => Some(Attr::M(members)),
        Attr::L(_) if !items.is_empty() => Some(Attr::L(items)),
        _ => None,
    }
}

pub(super) fn refuse_overlaps(role: Role, paths: &[Path]) -> Result<(), ApiError> {
    for (index, one) in paths.iter().enumerate() {
        for two in paths.iter().take(index) {
            let problem = if one.overlaps(two) {
                "overlap"
            } else if one.conflicts(two) {
                "conflict"
            } else {
                continue;
            };
            return Err(invalid(format!(
                "Invalid {}: Two document paths {problem} with each other; must remove or rewrite one of these paths; \
                 path one: {two}, path two: {one}",
                role.name()
            )));
        }
    }
    Ok(())
}
