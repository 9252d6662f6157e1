//! The system under test: takes a refund request and gets it done at the provider. What both variants share is here;
//! they differ only in who owns the retry.

pub mod conventional;
pub mod durable;
pub mod strategy;

use crate::config::CallerConfig;
use crate::event::{Delivery, EventError};
use crate::ports::{Clock, Journal, StoreError};
use crate::provider_client::{CallOutcome, Effect, Provider, ProviderAnswer, ProviderCall};
use crate::scribe::{Scribe, Subject};
use evidence::record::{Fact, FinishReason, Knowledge, RequestState, Source};
use std::sync::Arc;
use strategy::CallError;

/// A caller with its ports and settings.
#[derive(Debug)]
pub struct Caller<J, P, C> {
    /// The caller's own journal.
    pub journal: J,
    /// Way to the provider.
    pub provider: P,
    /// Wall clock.
    pub clock: C,
    /// Settings.
    pub config: CallerConfig,
}

/// Why an invocation or a step fails.
#[derive(Debug, thiserror::Error)]
pub enum CallerError {
    /// The event is not for this function.
    #[error(transparent)]
    Event(#[from] EventError),
    /// The journal refused a record before the provider was called; nothing has happened, a retry is harmless.
    #[error("the provider was not called, because the journal refused a record: {0}")]
    Journal(#[from] StoreError),
    /// The call had no good end.
    #[error(transparent)]
    Call(#[from] CallError),
}

impl CallerError {
    /// Error type as Lambda reports it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Event(_) => "InvalidEvent",
            Self::Journal(_) => "JournalUnavailable",
            Self::Call(error) => error.kind(),
        }
    }
}

/// Work on one delivery: the caller, its scribe and the delivery itself.
#[derive(Debug)]
pub(crate) struct Work<J, P, C> {
    caller: Arc<Caller<J, P, C>>,
    scribe: Scribe<J, C>,
    pub(crate) delivery: Delivery,
}

impl<J, P, C> Work<J, P, C>
where
    J: Journal + Clone,
    P: Provider,
    C: Clock + Clone,
{
    pub(crate) fn new(caller: Arc<Caller<J, P, C>>, delivery: Delivery, request_id: &str) -> Self {
        let subject = Subject {
            source: Source::Caller,
            trial: delivery.request.trial.clone(),
            delivery: delivery.number,
            refund_request_id: delivery.request.refund_request_id.clone(),
            request_id: request_id.to_owned(),
        };
        let scribe = Scribe::new(subject, caller.journal.clone(), caller.clock.clone());
        Self { caller, scribe, delivery }
    }

    /// Records `RECEIVED` and `PROCESSING`, once per trial however often the message or the replay comes.
    pub(crate) async fn begin(&self) -> Result<(), StoreError> {
        let (received, processing) = (RequestState::Received, RequestState::Processing);
        let first = Fact::StateChanged { from: None, to: received, reason: None };
        self.scribe.write_once("state-RECEIVED", 0, first).await?;
        let second = Fact::StateChanged { from: Some(received), to: processing, reason: None };
        self.scribe.write_once("state-PROCESSING", 0, second).await?;
        Ok(())
    }

    /// One provider call with its records. Before the call a journal that refuses stops the work; after it the
    /// outcome stands whatever the journal does, because failing for a lost record would itself cause a retry. The
    /// missing record is then missing proof, which the oracle finds.
    pub(crate) async fn attempt(&self, attempt: u32) -> Result<ProviderAnswer, CallerError> {
        let deadline_ms = self.caller.config.deadline_ms;
        self.scribe.write(attempt, Fact::DispatchStarted { deadline_ms }).await?;
        let request = self.delivery.request.clone();
        let call = ProviderCall { request, delivery: self.delivery.number, attempt };
        let outcome = self.caller.provider.call(&call, self.caller.config.deadline()).await;
        self.record(attempt, &outcome).await;
        let concluded = strategy::conclude(outcome, deadline_ms);
        if let Err(error) = &concluded {
            self.note(attempt, Fact::CallerFailed { error: error.to_string() }).await;
        }
        Ok(concluded?)
    }

    async fn record(&self, attempt: u32, outcome: &CallOutcome) {
        let deadline_ms = self.caller.config.deadline_ms;
        match outcome {
            CallOutcome::Answered { answer, elapsed_ms } => {
                let transaction_id = answer.transaction_id.clone();
                self.note(attempt, Fact::ResponseReceived { transaction_id, elapsed_ms: *elapsed_ms }).await;
            }
            CallOutcome::TimedOut { elapsed_ms } => {
                self.note(attempt, Fact::CallerTimeoutRecorded { deadline_ms, elapsed_ms: *elapsed_ms }).await;
                self.lose_knowledge(attempt).await;
            }
            CallOutcome::Failed { effect: Effect::Possible, .. } => self.lose_knowledge(attempt).await,
            CallOutcome::Failed { effect: Effect::Excluded, .. } => {}
        }
    }

    /// `UNKNOWN` is entered once and never left: a later success proves only the later effect.
    async fn lose_knowledge(&self, attempt: u32) {
        let fact = Fact::EffectKnowledge { value: Knowledge::Unknown };
        if let Err(error) = self.scribe.write_once("knowledge-UNKNOWN", attempt, fact).await {
            tracing::error!(%error, "effect_knowledge was not recorded");
        }
    }

    /// Records the end of processing: a success always, a failure only on the last delivery, because before it the
    /// message comes back.
    pub(crate) async fn finish(&self, succeeded: bool) {
        let reason = if succeeded { FinishReason::Succeeded } else { FinishReason::Failed };
        if !succeeded && self.delivery.number < self.caller.config.max_receive_count {
            return;
        }
        let (from, to) = (Some(RequestState::Processing), RequestState::Finished);
        let fact = Fact::StateChanged { from, to, reason: Some(reason) };
        if let Err(error) = self.scribe.write_once("state-FINISHED", 0, fact).await {
            tracing::error!(%error, "the end of processing was not recorded");
        }
    }

    async fn note(&self, attempt: u32, fact: Fact) {
        if let Err(error) = self.scribe.write(attempt, fact).await {
            tracing::error!(%error, "a record after the call was not written");
        }
    }
}
