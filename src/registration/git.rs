//! Commit and cleanliness of the checkout that a protocol stands in.

use serde::{Deserialize, Serialize};
use std::path::Path;
use std::process::{Command, Stdio};

/// State of a checkout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Commit {
    /// Commit id.
    pub commit: String,
    /// Whether nothing was changed and nothing untracked was there.
    pub clean: bool,
}

/// The checkout around `folder`; `None` outside one or without git.
pub(super) fn state(folder: &Path) -> Option<Commit> {
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let commit = git(folder, &["rev-parse", "HEAD"])?;
    let status = git(folder, &["status", "--porcelain"])?;
    Some(Commit { commit: commit.trim().to_owned(), clean: status.trim().is_empty() })
}

fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(arguments)
        .env("GIT_OPTIONAL_LOCKS", "0")
        .stdin(Stdio::null())
        .output()
        .ok()?;
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}
