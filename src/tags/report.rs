//! The proof as it is sealed and printed.

use super::judge::Standing;
use crate::exit::Exit;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Schema name.
pub const SCHEMA: &str = "assay.tags/1";

/// Every resource of a run with the standing of its tags.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TagProof {
    /// [`SCHEMA`].
    pub schema: String,
    /// Run id.
    pub run: String,
    /// Harness clock, milliseconds.
    pub read_at_ms: i64,
    /// One per line of the creation ledger.
    pub resources: Vec<Tagged>,
}

/// One resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tagged {
    /// CloudFormation type.
    pub kind: String,
    /// Physical id.
    pub id: String,
    /// Component.
    pub component: String,
    /// How its tags stand.
    pub standing: Standing,
}

impl TagProof {
    pub(super) fn new(run: &str, read_at_ms: i64, resources: Vec<Tagged>) -> Self {
        Self { schema: SCHEMA.to_owned(), run: run.to_owned(), read_at_ms, resources }
    }

    /// Resources that are neither tagged nor untaggable.
    pub fn open(&self) -> impl Iterator<Item = &Tagged> {
        self.resources.iter().filter(|r| !r.standing.is_right())
    }

    /// Wrong tags differ from the plan; unread ones, and a ledger without any resource, prove nothing.
    #[must_use]
    pub fn exit(&self) -> Exit {
        if self.resources.iter().any(|r| r.standing.is_wrong()) {
            Exit::Differs
        } else if self.resources.is_empty() || self.open().next().is_some() {
            Exit::Indeterminate
        } else {
            Exit::Ok
        }
    }
}

impl fmt::Display for Tagged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:<13} {:<33} {}: {}", self.component, self.kind, self.id, self.standing.words())
    }
}

impl fmt::Display for TagProof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.resources.iter().filter(|r| r.standing != Standing::Proven).try_for_each(|r| writeln!(f, "{r}"))?;
        let count = |of: fn(&Standing) -> bool| self.resources.iter().filter(|r| of(&r.standing)).count();
        writeln!(
            f,
            "{} resources: {} tagged, {} cannot carry tags, {} wrong, {} gone or unread",
            self.resources.len(),
            count(|s| *s == Standing::Proven),
            count(|s| *s == Standing::Untaggable),
            count(Standing::is_wrong),
            count(|s| matches!(s, Standing::Gone | Standing::Unread { .. })),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exit(standings: &[Standing]) -> Exit {
        let one = |standing: &Standing| Tagged {
            kind: "AWS::SQS::Queue".into(),
            id: "q".into(),
            component: "durable".into(),
            standing: standing.clone(),
        };
        TagProof::new("r", 0, standings.iter().map(one).collect()).exit()
    }

    #[test]
    fn nothing_proven_is_no_proof() {
        let unread = Standing::Unread { reason: "denied".into() };
        let missing = Standing::Missing { keys: vec!["k".into()] };
        assert_eq!(exit(&[]), Exit::Indeterminate);
        assert_eq!(exit(&[Standing::Proven, Standing::Untaggable]), Exit::Ok);
        assert_eq!(exit(&[Standing::Proven, unread.clone()]), Exit::Indeterminate);
        assert_eq!(exit(&[unread, missing]), Exit::Differs);
    }
}
