//! Preflight: everything that can be known to fail is refused before the first write, all findings at once.

use super::acts::answer;
use super::freeze;
use super::session::Session;
use crate::cloud::stacks;
use crate::exit::Failure;
use crate::plan::preflight as checks;
use crate::run::now_ms;

/// Checks the plan against AWS's limits and the account against the plan, then seals what the run is made of.
pub(super) async fn preflight(session: &Session) -> Result<(), Failure> {
    let started = now_ms();
    let origin = session.head()?.origin;
    let mut findings = checks::findings(&session.plan, &session.filling);
    findings.extend(checks::account(&session.plan, &origin));
    findings.extend(conflicts(session).await?);
    if let Some(expiry) = credential_life(session).await? {
        findings.push(expiry);
    }
    if !findings.is_empty() {
        return Err(Failure::Refused(format!(
            "preflight refuses, nothing was written:\n  - {}",
            findings.join("\n  - ")
        )));
    }
    freeze::preflight(session, started, &findings)
}

/// Stacks that exist already under the run's names.
async fn conflicts(session: &Session) -> Result<Vec<String>, Failure> {
    let prefix = session.stack_name("");
    let listed = answer("list stacks", stacks::list_by_prefix(&session.clients, &prefix, session.page_cap()).await)?;
    let living = listed.items.into_iter().filter(|s| !s.status.is_deleted());
    Ok(living.map(|s| format!("stack {} exists already ({})", s.name, s.status.as_text())).collect())
}

/// Credentials that end before the run can.
async fn credential_life(session: &Session) -> Result<Option<String>, Failure> {
    let expires = session.clients.credentials_expire_at_ms().await;
    let expires = expires.map_err(|failure| super::acts::stop("read credentials", &failure))?;
    Ok(expires.and_then(|at_ms| checks::credential_life(&session.plan, at_ms - now_ms())))
}
