//! From a command to a session: connect, pin the target, make or open the run's folder.

mod create;
mod neighbours;
mod reopen;
mod tools;

pub use create::{Start, start};
pub use reopen::{Reopen, reopen};
pub use tools::{Host, Tools, artifact, build, last_built, oracle};

use crate::cloud::{Clients, EndpointKind, RefusalKind, Surroundings, Target, Tuning, identity};
use crate::exit::Failure;
use crate::paused;
use evidence::stage::{Grade, Origin};

/// Connects to a target.
///
/// # Errors
/// [`Failure::Usage`] for contradictory or missing regions.
pub async fn connect(target: &Target, around: &Surroundings) -> Result<Clients, Failure> {
    Clients::connect(target, around, Tuning::default()).await.map_err(|e| Failure::Usage(e.to_string()))
}

/// Asks STS where the clients lead.
///
/// # Errors
/// [`Failure::Refused`] if nobody answers, [`Failure::Paused`] for expired credentials.
pub async fn origin(clients: &Clients) -> Result<Origin, Failure> {
    let caller = identity::caller(clients).await.into_result().map_err(|failure| {
        if failure.kind() == Some(RefusalKind::Expired) {
            return paused::expired("ask STS whose account this is", &failure);
        }
        let hint = "check --profile, --region and --endpoint-url, or sign in again";
        Failure::Refused(format!("cannot learn whose account this is: {failure}; {hint}"))
    })?;
    Ok(Origin {
        endpoint_kind: clients.endpoint().name().to_owned(),
        endpoint: clients.endpoint().url().map(str::to_owned),
        account: caller.account,
        region: clients.region().to_owned(),
        partition: caller.partition,
    })
}

/// Only AWS's own endpoints give canonical evidence.
#[must_use]
pub fn grade(endpoint: &EndpointKind) -> Grade {
    match endpoint {
        EndpointKind::Aws => Grade::Canonical,
        EndpointKind::Foreign(_) => Grade::Rehearsal,
    }
}
