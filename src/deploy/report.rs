//! What a deploy or a delete came to, for programs and for people.

use serde::Serialize;
use std::collections::BTreeMap;
use std::fmt;

/// A stack that is deployed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Done {
    /// `assay.deploy/1`.
    pub schema: &'static str,
    /// Stack name.
    pub stack: String,
    /// Stack id.
    pub stack_id: String,
    /// Status.
    pub status: String,
    /// What was done: `create`, `update`, or `none` if the stack was as asked already.
    pub action: Action,
    /// Whether it was as asked already.
    pub unchanged: bool,
    /// Account.
    pub account: String,
    /// Region.
    pub region: String,
    /// SHA-256 of the template bytes sent.
    pub template_sha256: String,
    /// How many they are.
    pub template_bytes: usize,
    /// `inline` or `s3`.
    pub sent: &'static str,
    /// Capabilities sent.
    pub capabilities: Vec<String>,
    /// `ClientRequestToken` of the operation; of one that was not needed if nothing was done.
    pub token: String,
    /// Stack tags.
    pub tags: BTreeMap<String, String>,
    /// Outputs.
    pub outputs: BTreeMap<String, String>,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// What a deploy did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// Made the stack.
    Create,
    /// Changed it.
    Update,
    /// Nothing.
    None,
}

/// A stack that is gone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Gone {
    /// `assay.delete/1`.
    pub schema: &'static str,
    /// Stack name.
    pub stack: String,
    /// Stack id; absent if there was no such stack.
    pub stack_id: Option<String>,
    /// `DELETE_COMPLETE`, or `NOT_FOUND`.
    pub status: String,
    /// What was left behind, on purpose of the template (`type physical-id`).
    pub retained: Vec<String>,
}

impl fmt::Display for Done {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = if self.unchanged { ", unchanged" } else { "" };
        writeln!(f, "{} {}{how} in {} {}", self.stack, self.status, self.account, self.region)?;
        writeln!(f, "  id        {}", self.stack_id)?;
        writeln!(f, "  template  {} ({} bytes, {})", self.template_sha256, self.template_bytes, self.sent)?;
        self.outputs.iter().try_for_each(|(key, value)| writeln!(f, "  {key} = {value}"))
    }
}

impl fmt::Display for Gone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.stack_id {
            None => writeln!(f, "{}: no such stack, nothing to delete", self.stack),
            Some(id) => {
                writeln!(f, "{} {}\n  id {id}", self.stack, self.status)?;
                self.retained.iter().try_for_each(|what| writeln!(f, "  left behind: {what}"))
            }
        }
    }
}
