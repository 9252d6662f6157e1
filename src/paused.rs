//! Expired credentials pause: work that they cut short goes on later, whatever it came to without them.

use crate::cloud::{Clients, Failure as CallFailure};
use crate::exit::Failure;

/// The pause that a call's refusal for expired credentials means.
#[must_use]
pub fn expired(what: &str, refusal: &CallFailure) -> Failure {
    Failure::Paused(format!("{what}: {refusal}; renew the credentials"))
}

/// Does some work. If it ends without what was asked for, and credentials expired on the way, it is paused: a reading
/// that became "not read", or a cause that was not found, is then no finding.
///
/// # Errors
/// Those of the work, or [`Failure::Paused`] in their place.
pub async fn unless_expired<T>(
    clients: &Clients,
    what: &str,
    is_done: impl FnOnce(&T) -> bool,
    work: impl Future<Output = Result<T, Failure>>,
) -> Result<T, Failure> {
    // What expired before is not this work's.
    drop(clients.expired());
    let result = Box::pin(work).await;
    let settled = match &result {
        Ok(value) => is_done(value),
        Err(failure) => matches!(failure, Failure::Paused(_) | Failure::Interrupted(_)),
    };
    match clients.expired() {
        Some(refusal) if !settled => Err(expired(what, &refusal)),
        _ => result,
    }
}

#[cfg(test)]
mod tests {
    use super::{Failure, unless_expired};
    use crate::cloud::testing::{Reply, Server};
    use crate::cloud::{Clients, identity};

    /// Asks, and makes of the answer what a careless reader would.
    async fn read(clients: &Clients) -> Result<&'static str, Failure> {
        Ok(if identity::caller(clients).await.is_done() { "read" } else { "not read" })
    }

    #[tokio::test]
    async fn what_was_not_read_with_expired_credentials_is_paused() {
        let server = Server::start(|_| Reply::query_error("ExpiredToken", "x")).await;
        let clients = server.clients().await;
        let unread = unless_expired(&clients, "audit", |said| *said == "read", read(&clients)).await;
        assert!(matches!(&unread, Err(Failure::Paused(why)) if why.starts_with("audit: ExpiredToken")), "{unread:?}");
        let tolerated = unless_expired(&clients, "audit", |_| true, read(&clients)).await;
        assert_eq!(tolerated.ok(), Some("not read"));
        let later = unless_expired(&clients, "another", |()| false, async { Ok(()) }).await;
        assert_eq!(later.ok(), Some(()), "what expired before is not its own");
    }

    #[tokio::test]
    async fn a_denial_stays_what_it_is() {
        let server = Server::start(|_| Reply::query_error("AccessDenied", "x")).await;
        let clients = server.clients().await;
        let unread = unless_expired(&clients, "audit", |said| *said == "read", read(&clients)).await;
        assert_eq!(unread.ok(), Some("not read"));
    }
}
