//! What was read against what the stack was given. Pure.

use super::read::Reading;
use crate::plan::VARIANT_TAG;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// How a resource's tags stand, best first.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Standing {
    /// Every tag of its stack, with its value.
    Proven,
    /// The type cannot carry tags.
    Untaggable,
    /// The resource is not there any more.
    Gone,
    /// Nobody knows.
    Unread {
        /// Why.
        reason: String,
    },
    /// Tags of its stack are missing.
    Missing {
        /// Their keys.
        keys: Vec<String>,
    },
    /// A tag has another value.
    Differs {
        /// Key.
        key: String,
        /// The stack's value.
        expected: String,
        /// Value read.
        found: String,
    },
    /// A tag has the value of another component or variant: its cost is booked to the wrong one.
    OfAnother {
        /// Key.
        key: String,
        /// The stack's value.
        expected: String,
        /// Value read.
        found: String,
        /// Whose value it is.
        component: String,
    },
}

/// Judges one reading. `all` holds every component's tags, so that a value can be traced to another one.
#[must_use]
pub fn judge(
    reading: &Reading,
    wanted: Option<&BTreeMap<String, String>>,
    all: &BTreeMap<String, BTreeMap<String, String>>,
    component: &str,
) -> Standing {
    let found = match reading {
        Reading::Untaggable => return Standing::Untaggable,
        Reading::Gone => return Standing::Gone,
        Reading::Unread(reason) => return Standing::Unread { reason: reason.clone() },
        Reading::Tags(tags) => tags,
    };
    let Some(wanted) = wanted else {
        return Standing::Unread { reason: format!("the plan has no component {component}") };
    };
    let differing =
        wanted.iter().filter_map(|(key, value)| Some((key, value, found.get(key)?))).find(|(_, w, f)| w != f);
    if let Some((key, expected, found)) = differing {
        return other(all, component, key, expected, found);
    }
    let keys: Vec<_> = wanted.keys().filter(|key| !found.contains_key(*key)).cloned().collect();
    if keys.is_empty() { Standing::Proven } else { Standing::Missing { keys } }
}

fn other(
    all: &BTreeMap<String, BTreeMap<String, String>>,
    component: &str,
    key: &str,
    expected: &str,
    found: &str,
) -> Standing {
    let of = |(name, tags): &(&String, &BTreeMap<String, String>)| {
        *name != component && tags.get(key).is_some_and(|value| value == found)
    };
    // A value that both share is no trace; the variant's tag and the component's own never are shared.
    let owner = all.iter().find(of).map(|(name, _)| name.clone());
    let (key, expected, found) = (key.to_owned(), expected.to_owned(), found.to_owned());
    match owner {
        Some(component) => Standing::OfAnother { key, expected, found, component },
        None => Standing::Differs { key, expected, found },
    }
}

impl Standing {
    /// Whether nothing is wrong with it.
    #[must_use]
    pub fn is_right(&self) -> bool {
        matches!(self, Self::Proven | Self::Untaggable)
    }

    /// Whether it is known to be wrong.
    #[must_use]
    pub fn is_wrong(&self) -> bool {
        matches!(self, Self::Missing { .. } | Self::Differs { .. } | Self::OfAnother { .. })
    }

    /// In words.
    #[must_use]
    pub fn words(&self) -> String {
        match self {
            Self::Proven => "tagged".to_owned(),
            Self::Untaggable => "cannot carry tags".to_owned(),
            Self::Gone => "gone".to_owned(),
            Self::Unread { reason } => format!("unread: {reason}"),
            Self::Missing { keys } => format!("lacks {}", keys.join(", ")),
            Self::Differs { key, expected, found } => format!("{key} is `{found}`, not `{expected}`"),
            Self::OfAnother { key, expected, found, component } => {
                let whose = if key == VARIANT_TAG { "variant" } else { "component" };
                format!("{key} is `{found}`, the value of {whose} {component}, not `{expected}`")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tags(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
        pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
    }

    fn all() -> BTreeMap<String, BTreeMap<String, String>> {
        ["conventional", "durable"].map(|v| (v.to_owned(), tags(&[("assay:run", "r"), (VARIANT_TAG, v)]))).into()
    }

    fn of(found: &[(&str, &str)]) -> Standing {
        judge(&Reading::Tags(tags(found)), all().get("durable"), &all(), "durable")
    }

    #[test]
    fn an_untagged_resource_is_named_with_what_it_lacks() {
        assert_eq!(of(&[("assay:run", "r"), (VARIANT_TAG, "durable"), ("aws:x", "y")]), Standing::Proven);
        assert_eq!(of(&[("assay:run", "r")]), Standing::Missing { keys: vec![VARIANT_TAG.to_owned()] });
        assert!(of(&[]).is_wrong());
    }

    #[test]
    fn a_value_of_another_variant_is_traced_to_it() {
        let standing = of(&[("assay:run", "r"), (VARIANT_TAG, "conventional")]);
        assert!(
            matches!(&standing, Standing::OfAnother { component, .. } if component == "conventional"),
            "{standing:?}"
        );
        assert!(standing.words().contains("the value of variant conventional"));
        assert!(matches!(of(&[("assay:run", "x"), (VARIANT_TAG, "durable")]), Standing::Differs { .. }));
    }

    #[test]
    fn what_was_not_read_is_neither_right_nor_wrong() {
        let unread = judge(&Reading::Unread("denied".into()), None, &all(), "durable");
        assert!(!unread.is_right() && !unread.is_wrong());
        assert!(judge(&Reading::Untaggable, None, &all(), "durable").is_right());
    }
}
