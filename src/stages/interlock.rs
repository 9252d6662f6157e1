//! The interlock: account, region, partition and endpoint must be the run's own before anything is written.

use super::acts::answer;
use super::session::Session;
use crate::cloud::identity;
use crate::exit::Failure;

/// Asks STS and compares with what the run pinned.
///
/// # Errors
/// [`Failure::Refused`] naming what differs; [`Failure::Paused`] for expired credentials.
pub(super) async fn check(session: &Session) -> Result<(), Failure> {
    let pinned = session.head()?.origin;
    let caller = answer("ask STS whose account this is", identity::caller(&session.clients).await)?;
    let endpoint = session.clients.endpoint();
    let found = [
        ("account", pinned.account.as_str(), caller.account.as_str()),
        ("partition", pinned.partition.as_str(), caller.partition.as_str()),
        ("region", pinned.region.as_str(), session.clients.region()),
        ("endpoint kind", pinned.endpoint_kind.as_str(), endpoint.name()),
        ("endpoint", pinned.endpoint.as_deref().unwrap_or("AWS"), endpoint.url().unwrap_or("AWS")),
    ];
    let differing = found.iter().find(|(_, pinned, found)| pinned != found);
    match differing {
        None => Ok(()),
        Some((what, pinned, found)) => Err(Failure::Refused(format!(
            "run {} belongs to {what} {pinned}, the current credentials and configuration lead to {found}; nothing was written\nset them to the run's own {what} again, then: {}",
            session.folder.id(),
            session.recovery()
        ))),
    }
}
