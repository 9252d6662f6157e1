//! Reads everything that a trial left, after it came to rest. What cannot be read is a named gap, never an empty list.

use super::deploy::Deployed;
use super::rest::Rest;
use super::session::Session;
use super::{configuration, executions};
use crate::cloud::{Failure as CallFailure, Listing, tables};
use crate::exit::Failure;
use crate::plan::TrialPlan;
use crate::run::now_ms;
use evidence::record::{Record, Transaction};
use evidence::trial::{ConfigurationPair, Dispatch, Gap, JournalRead, LedgerRead, SCHEMA, TrialEvidence, TrialId};
use serde::de::DeserializeOwned;

/// Where a trial's traces are, from the stacks' outputs.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Caller function that the trial exercises.
    pub(super) function: String,
    /// Provider function, where its promise is part of the plan.
    pub(super) provider: Option<String>,
    /// Variant's queue.
    pub(super) queue_url: Option<String>,
    /// Its dead-letter queue.
    pub(super) dead_letter_url: Option<String>,
    /// Event source mapping.
    pub(super) mapping: Option<String>,
    /// Published version.
    pub(super) version: Option<String>,
    /// Ledger table.
    pub(super) ledger: String,
    /// Caller's journal table.
    pub(super) caller_journal: String,
    /// Provider's journal table.
    pub(super) provider_journal: String,
    /// Controller's journal table.
    pub(super) controller_journal: String,
}

impl Place {
    /// From deployed stacks.
    pub(super) fn of(deployed: &Deployed, trial: &TrialPlan) -> Result<Self, Failure> {
        let output = |component: &str, key: &str| {
            let value = deployed.get(component).and_then(|stack| stack.outputs.get(key).cloned());
            value.ok_or_else(|| Failure::Stopped(format!("stack {component} has no output {key}")))
        };
        let queued = |key: &str| trial.queued.then(|| output(&trial.variant, key)).transpose();
        Ok(Self {
            function: if trial.queued {
                output(&trial.variant, "FunctionName")?
            } else {
                output("provider", "ProbeFunctionName")?
            },
            provider: trial
                .configuration
                .provider_promise
                .map(|_| output("provider", "ProviderFunctionName"))
                .transpose()?,
            queue_url: queued("QueueUrl")?,
            dead_letter_url: queued("DeadLetterQueueUrl")?,
            mapping: queued("MappingId")?,
            version: queued("FunctionVersion")?,
            ledger: output("provider", "LedgerTable")?,
            caller_journal: output("provider", "CallerJournalTable")?,
            provider_journal: output("provider", "ProviderJournalTable")?,
            controller_journal: output("provider", "ControllerJournalTable")?,
        })
    }
}

/// Reads the trial's slice of evidence.
pub(super) async fn collect(
    session: &Session,
    place: &Place,
    trial: &TrialPlan,
    dispatch: Dispatch,
    rest: Rest,
    since_ms: i64,
) -> Result<TrialEvidence, Failure> {
    let mut gaps = rest.gaps;
    let deployed = taken("configuration", configuration::deployed(session, place, trial).await, &mut gaps)?;
    let caller_journal = taken("caller journal", journal(session, &place.caller_journal, trial).await, &mut gaps)?;
    let provider_journal =
        taken("provider journal", journal(session, &place.provider_journal, trial).await, &mut gaps)?;
    let controller_journal =
        taken("controller journal", journal(session, &place.controller_journal, trial).await, &mut gaps)?;
    let executions = match trial.durable {
        true => taken("executions", executions::read(session, place, trial).await, &mut gaps)?,
        false => None,
    };
    let ledger = taken("ledger", ledger(session, place, trial).await, &mut gaps)?;
    Ok(TrialEvidence {
        schema: SCHEMA.to_owned(),
        trial: identity(trial),
        terms: trial.terms.clone(),
        configuration: ConfigurationPair { planned: trial.configuration.clone(), deployed },
        dispatch,
        caller_journal,
        provider_journal,
        controller_journal,
        ledger,
        queue: rest.queue,
        executions,
        clock: session.clients.clock().since(since_ms),
        quiescent_at_ms: rest.quiescent_at_ms,
        gaps,
    })
}

fn identity(trial: &TrialPlan) -> TrialId {
    TrialId {
        id: trial.id.clone(),
        number: trial.number,
        stage: trial.stage.clone(),
        variant: trial.variant.clone(),
        scenario: trial.scenario,
        durable: trial.durable,
        queued: trial.queued,
        refund_request_id: trial.refund_request_id.clone(),
    }
}

/// An unread section becomes a gap; expired credentials pause the run instead.
fn taken<T>(item: &str, read: Result<T, CallFailure>, gaps: &mut Vec<Gap>) -> Result<Option<T>, Failure> {
    match read {
        Ok(value) => Ok(Some(value)),
        Err(failure) => match super::acts::stop(item, &failure) {
            paused @ Failure::Paused(_) => Err(paused),
            _ => {
                gaps.push(Gap { item: item.to_owned(), reason: failure.to_string() });
                Ok(None)
            }
        },
    }
}

async fn journal(session: &Session, table: &str, trial: &TrialPlan) -> Result<JournalRead, CallFailure> {
    let Listing { mut items, pages } = partition::<Record>(session, table, trial).await?;
    items.sort_by(|a, b| (a.at_ms, &a.request_id, a.seq).cmp(&(b.at_ms, &b.request_id, b.seq)));
    Ok(JournalRead { consistent: true, read_at_ms: now_ms(), pages, records: items })
}

async fn ledger(session: &Session, place: &Place, trial: &TrialPlan) -> Result<LedgerRead, CallFailure> {
    let Listing { mut items, pages } = partition::<Transaction>(session, &place.ledger, trial).await?;
    items.sort_by(|a, b| (a.at_ms, &a.transaction_id).cmp(&(b.at_ms, &b.transaction_id)));
    Ok(LedgerRead { consistent: true, read_at_ms: now_ms(), pages, transactions: items })
}

async fn partition<T: DeserializeOwned>(
    session: &Session,
    table: &str,
    trial: &TrialPlan,
) -> Result<Listing<T>, CallFailure> {
    tables::query_partition::<T>(&session.clients, table, "trial", &trial.id, session.page_cap()).await.into_result()
}
