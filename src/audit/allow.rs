//! What may stay, by whose leave and until when.

use serde::{Deserialize, Serialize};

/// A rule that allows something to stay.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AllowRule {
    /// ARN, name or id; a trailing `*` matches any ending.
    pub resource: String,
    /// Who answers for it.
    pub owner: String,
    /// Milliseconds since the epoch; from then on the rule allows nothing.
    pub expires_at_ms: i64,
}

impl AllowRule {
    /// Whether the rule is about this resource; time is not considered.
    #[must_use]
    pub fn covers(&self, id: &str) -> bool {
        match self.resource.strip_suffix('*') {
            Some("") => false,
            Some(start) => id.starts_with(start),
            None => self.resource == id,
        }
    }

    /// Whether the rule still holds.
    #[must_use]
    pub fn holds(&self, now_ms: i64) -> bool {
        now_ms < self.expires_at_ms
    }
}

/// The rule that allows this resource now.
pub(super) fn allowing<'a>(rules: &'a [AllowRule], id: &str, now_ms: i64) -> Option<&'a AllowRule> {
    rules.iter().find(|rule| rule.holds(now_ms) && rule.covers(id))
}

/// Expired and unused rules, for people to clean up.
pub(super) fn warnings<'a>(
    rules: &[AllowRule],
    ids: &(impl Iterator<Item = &'a str> + Clone),
    now_ms: i64,
) -> Vec<String> {
    let warn = |rule: &AllowRule| {
        let AllowRule { resource, owner, .. } = rule;
        if !rule.holds(now_ms) {
            Some(format!("the allow rule for {resource} (owner {owner}) has expired and allows nothing"))
        } else if !ids.clone().any(|id| rule.covers(id)) {
            Some(format!("the allow rule for {resource} (owner {owner}) is not used"))
        } else {
            None
        }
    };
    rules.iter().filter_map(warn).collect()
}

#[cfg(test)]
mod tests {
    use super::{AllowRule, allowing, warnings};

    fn rule(resource: &str, expires_at_ms: i64) -> AllowRule {
        AllowRule { resource: resource.into(), owner: "o".into(), expires_at_ms }
    }

    #[test]
    fn a_star_matches_endings_and_never_everything() {
        assert!(rule("assay-*", 9).covers("assay-x"));
        assert!(!rule("assay-", 9).covers("assay-x"));
        assert!(!rule("*", 9).covers("assay-x"));
    }

    #[test]
    fn an_expired_rule_allows_nothing_and_is_warned_about() {
        let rules = [rule("a", 5), rule("b", 50), rule("c", 50)];
        assert!(allowing(&rules, "a", 5).is_none());
        assert_eq!(allowing(&rules, "b", 5), Some(&rules[1]));
        let warned = warnings(&rules, &["a", "b"].into_iter(), 5);
        assert_eq!(warned.len(), 2);
        assert!(warned[0].contains("a (owner o) has expired") && warned[1].contains("c (owner o) is not used"));
    }
}
