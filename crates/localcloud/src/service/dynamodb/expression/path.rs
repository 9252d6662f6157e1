//! Document paths: `a.b[0].c`.

use super::super::value::{Attr, Item};
use std::fmt;

/// A way into an item; placeholders are resolved.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in super::super) struct Path {
    /// The top-level attribute.
    pub(in super::super) root: String,
    pub(super) steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Step {
    Member(String),
    Index(usize),
}

impl Path {
    pub(super) fn get<'a>(&self, item: &'a Item) -> Option<&'a Attr> {
        self.steps.iter().try_fold(item.get(&self.root)?, |value, step| match (value, step) {
            (Attr::M(members), Step::Member(name)) => members.get(name),
            (Attr::L(items), Step::Index(index)) => items.get(*index),
            _ => None,
        })
    }

    /// Whether one path is the other or leads to it.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.root == other.root && self.steps.iter().zip(&other.steps).all(|(a, b)| a == b)
    }

    /// Whether the paths go apart at a place that one takes for a map and the other for a list.
    pub(super) fn conflicts(&self, other: &Self) -> bool {
        let apart = self.steps.iter().zip(&other.steps).find(|(a, b)| a != b);
        self.root == other.root
            && matches!(apart, Some((Step::Member(_), Step::Index(_)) | (Step::Index(_), Step::Member(_))))
    }
}

impl fmt::Display for Path {
    /// As error messages show paths: `[a, b, [0]]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}", self.root)?;
        for step in &self.steps {
            match step {
                Step::Member(name) => write!(f, ", {name}")?,
                Step::Index(index) => write!(f, ", [{index}]")?,
            }
        }
        write!(f, "]")
    }
}
