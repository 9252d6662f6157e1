//! A record as it stands in JSON: head and fact in one flat object.
//!
//! Deriving `Record`'s reader from `flatten` and an internally tagged enum would first copy every record into an
//! intermediate tree. Oracles read records by the million, so the flat form is read directly and then sorted out.

use crate::record::{CommitSeen, Fact, FinishReason, Knowledge, Record, RequestState, Source, TimeoutSeen};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    StateChanged,
    EffectKnowledge,
    DispatchStarted,
    ResponseReceived,
    CallerTimeoutRecorded,
    CallerFailed,
    ProviderCallReceived,
    ProviderCommitConfirmed,
    AnsweredFromCommit,
    BarrierEntered,
    BarrierReleased,
    BarrierExpired,
    ResponseSent,
    ReleaseSignalled,
    ReleaseRefused,
}

/// Every field that some kind of record has.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Flat {
    source: Source,
    record_id: String,
    trial: String,
    delivery: u32,
    attempt: u32,
    refund_request_id: String,
    request_id: String,
    seq: u32,
    at_ms: i64,
    kind: Kind,
    from: Option<RequestState>,
    to: Option<RequestState>,
    /// Of a finish (`SUCCEEDED`, `FAILED`) or of a refusal (words).
    reason: Option<String>,
    value: Option<Knowledge>,
    deadline_ms: Option<u32>,
    elapsed_ms: Option<u32>,
    transaction_id: Option<String>,
    error: Option<String>,
    amount_minor: Option<i64>,
    currency: Option<String>,
    release: Option<String>,
    waited_ms: Option<u32>,
    timeout: Option<TimeoutSeen>,
    commit: Option<CommitSeen>,
}

impl TryFrom<Flat> for Record {
    type Error = String;

    fn try_from(mut flat: Flat) -> Result<Self, Self::Error> {
        let fact = fact(&mut flat)?;
        let Flat { source, record_id, trial, delivery, attempt, refund_request_id, request_id, seq, at_ms, .. } = flat;
        Ok(Self { source, record_id, trial, delivery, attempt, refund_request_id, request_id, seq, at_ms, fact })
    }
}

fn fact(flat: &mut Flat) -> Result<Fact, String> {
    let transaction_id = |flat: &mut Flat| need(flat.transaction_id.take(), "transaction_id");
    let deadline_ms = |flat: &mut Flat| need(flat.deadline_ms, "deadline_ms");
    let elapsed_ms = |flat: &mut Flat| need(flat.elapsed_ms, "elapsed_ms");
    let amount_minor = |flat: &mut Flat| need(flat.amount_minor, "amount_minor");
    let currency = |flat: &mut Flat| need(flat.currency.take(), "currency");
    Ok(match flat.kind {
        Kind::StateChanged => Fact::StateChanged {
            from: flat.from,
            to: need(flat.to, "to")?,
            reason: flat.reason.as_deref().map(finish).transpose()?,
        },
        Kind::EffectKnowledge => Fact::EffectKnowledge { value: need(flat.value, "value")? },
        Kind::DispatchStarted => Fact::DispatchStarted { deadline_ms: deadline_ms(flat)? },
        Kind::ResponseReceived => {
            Fact::ResponseReceived { transaction_id: transaction_id(flat)?, elapsed_ms: elapsed_ms(flat)? }
        }
        Kind::CallerTimeoutRecorded => {
            Fact::CallerTimeoutRecorded { deadline_ms: deadline_ms(flat)?, elapsed_ms: elapsed_ms(flat)? }
        }
        Kind::CallerFailed => Fact::CallerFailed { error: need(flat.error.take(), "error")? },
        Kind::ProviderCallReceived => {
            Fact::ProviderCallReceived { amount_minor: amount_minor(flat)?, currency: currency(flat)? }
        }
        Kind::ProviderCommitConfirmed => Fact::ProviderCommitConfirmed {
            transaction_id: transaction_id(flat)?,
            amount_minor: amount_minor(flat)?,
            currency: currency(flat)?,
        },
        Kind::AnsweredFromCommit => Fact::AnsweredFromCommit {
            transaction_id: transaction_id(flat)?,
            commit: need(flat.commit.take(), "commit")?,
        },
        Kind::BarrierEntered => Fact::BarrierEntered { transaction_id: transaction_id(flat)? },
        Kind::BarrierReleased => Fact::BarrierReleased { release: need(flat.release.take(), "release")? },
        Kind::BarrierExpired => Fact::BarrierExpired { waited_ms: need(flat.waited_ms, "waited_ms")? },
        Kind::ResponseSent => Fact::ResponseSent { transaction_id: transaction_id(flat)? },
        Kind::ReleaseSignalled => Fact::ReleaseSignalled { timeout: need(flat.timeout.take(), "timeout")? },
        Kind::ReleaseRefused => Fact::ReleaseRefused { reason: need(flat.reason.take(), "reason")? },
    })
}

fn need<T>(value: Option<T>, field: &str) -> Result<T, String> {
    value.ok_or_else(|| format!("missing field `{field}`"))
}

fn finish(reason: &str) -> Result<FinishReason, String> {
    match reason {
        "SUCCEEDED" => Ok(FinishReason::Succeeded),
        "FAILED" => Ok(FinishReason::Failed),
        other => Err(format!("unknown variant `{other}`, expected `SUCCEEDED` or `FAILED`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts() -> Vec<Fact> {
        let id = || "txn-1".to_owned();
        let currency = || "BRL".to_owned();
        let timeout =
            TimeoutSeen { record_id: id(), request_id: id(), delivery: 1, attempt: 1, at_ms: 1_796_019_410_248 };
        let commit = CommitSeen { request_id: id(), delivery: 1, attempt: 1, at_ms: 1_796_019_410_248 };
        let (from, to) = (Some(RequestState::Processing), RequestState::Finished);
        vec![
            Fact::StateChanged { from: None, to: RequestState::Received, reason: None },
            Fact::StateChanged { from, to, reason: Some(FinishReason::Failed) },
            Fact::StateChanged { from, to, reason: Some(FinishReason::Succeeded) },
            Fact::EffectKnowledge { value: Knowledge::Unknown },
            Fact::DispatchStarted { deadline_ms: 3000 },
            Fact::ResponseReceived { transaction_id: id(), elapsed_ms: 150 },
            Fact::CallerTimeoutRecorded { deadline_ms: 3000, elapsed_ms: 3002 },
            Fact::CallerFailed { error: "no answer".to_owned() },
            Fact::ProviderCallReceived { amount_minor: 10_000, currency: currency() },
            Fact::ProviderCommitConfirmed { transaction_id: id(), amount_minor: 10_000, currency: currency() },
            Fact::AnsweredFromCommit { transaction_id: id(), commit },
            Fact::BarrierEntered { transaction_id: id() },
            Fact::BarrierReleased { release: "release".to_owned() },
            Fact::BarrierExpired { waited_ms: 45_000 },
            Fact::ResponseSent { transaction_id: id() },
            Fact::ReleaseSignalled { timeout },
            Fact::ReleaseRefused { reason: "no commit".to_owned() },
        ]
    }

    fn record(fact: Fact) -> Record {
        Record {
            source: Source::Caller,
            record_id: "r".to_owned(),
            trial: "canonical-3".to_owned(),
            delivery: 1,
            attempt: 1,
            refund_request_id: "ref-poc-001".to_owned(),
            request_id: "q".to_owned(),
            seq: 1,
            at_ms: 1_796_019_410_248,
            fact,
        }
    }

    #[test]
    fn what_is_written_is_read_for_every_fact() {
        for fact in facts() {
            let record = record(fact);
            let text = serde_json::to_string(&record).unwrap();
            assert_eq!(serde_json::from_str::<Record>(&text).unwrap(), record);
            let value = serde_json::to_value(&record).unwrap();
            assert_eq!(serde_json::from_value::<Record>(value).unwrap(), record);
        }
    }

    #[test]
    fn every_field_of_a_fact_is_needed() {
        for fact in facts() {
            let good = serde_json::to_value(record(fact)).unwrap();
            for field in good.as_object().unwrap().keys().filter(|field| !matches!(field.as_str(), "from" | "reason")) {
                let mut bad = good.clone();
                bad.as_object_mut().unwrap().remove(field);
                assert!(serde_json::from_value::<Record>(bad).is_err(), "{field} of {good}");
            }
        }
    }

    #[test]
    fn unknown_kinds_and_reasons_are_refused() {
        let good = serde_json::to_value(record(facts()[1].clone())).unwrap();
        for (field, value) in [("kind", "refunded"), ("reason", "MAYBE"), ("to", "DONE"), ("source", "harness")] {
            let mut bad = good.clone();
            bad[field] = value.into();
            assert!(serde_json::from_value::<Record>(bad).is_err(), "{field}");
        }
    }
}
