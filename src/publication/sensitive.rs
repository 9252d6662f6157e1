//! What this machine and this run know that must not be published.

use crate::plan::Plan;
use crate::run::State;
use evidence::redact::Sensitive;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Account of the run and accounts of its protocol; home, working and temporary folder; host and user.
pub(super) fn of(state: &State, plan: &Plan) -> Sensitive {
    let mut accounts: BTreeSet<String> = plan.allowed_accounts.iter().cloned().collect();
    accounts.extend(state.head.iter().map(|head| head.origin.account.clone()));
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let folders =
        [variable("HOME").map(PathBuf::from), std::env::current_dir().ok(), std::env::temp_dir().canonicalize().ok()];
    let paths = folders.into_iter().flatten().filter(|path| path.is_absolute() && path.components().count() > 1);
    Sensitive {
        accounts,
        paths: paths.map(|path| path.display().to_string()).collect(),
        hosts: host().into_iter().chain(variable("HOSTNAME")).collect(),
        users: ["USER", "LOGNAME"].into_iter().filter_map(variable).collect(),
    }
}

/// The machine's name as POSIX tells it.
fn host() -> Option<String> {
    let output = std::process::Command::new("uname").arg("-n").output().ok()?;
    let name = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (!name.is_empty()).then_some(name)
}
