//! A run's state, derived from its journal by one transition function that refuses illegal pairs.

use super::event::{ActOutcome, Event, StageOutcome};
use evidence::digest::Digest;
use evidence::stage::{Grade, Origin};
use evidence::verdict::Verdict;
use std::collections::BTreeMap;

/// Everything that a resumed process needs to know.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Head of the run; absent before the first event.
    pub head: Option<Head>,
    /// Stages by name, in order of their start.
    pub stages: Vec<(String, Option<StageOutcome>)>,
    /// Why stages that did not complete ended, by name.
    pub reasons: BTreeMap<String, String>,
    /// Acts by key.
    pub acts: BTreeMap<String, ActState>,
    /// Sealed packages, in order.
    pub packages: Vec<(String, Digest)>,
    /// Verdicts by package.
    pub verdicts: BTreeMap<String, Verdict>,
    /// The creation ledger.
    pub created: Vec<Created>,
    /// Deviations from the registration.
    pub deviations: Vec<String>,
    /// Why the run was paused last; cleared by a resume.
    pub paused: Option<String>,
    /// Whether a signal asked it to stop.
    pub interrupted: bool,
    /// Exit code, once ended.
    pub ended: Option<u8>,
}

/// Facts of a run that never change.
#[derive(Clone, Debug, PartialEq)]
pub struct Head {
    /// Run id.
    pub run: String,
    /// Digest of the plan.
    pub plan_digest: Digest,
    /// What its evidence may claim.
    pub grade: Grade,
    /// Pinned target.
    pub origin: Origin,
    /// The process that holds it, as last written.
    pub pid: u32,
}

/// Where an act stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ActState {
    /// Intent written, outcome not: a crash lies between, or the call is in flight.
    Intended,
    /// Took effect; the detail is the cloud's identifier.
    Done(String),
    /// Took no effect.
    Refused(String),
    /// Still ambiguous.
    Unknown(String),
}

/// One line of the creation ledger.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Created {
    /// CloudFormation type.
    pub kind: String,
    /// Physical id.
    pub id: String,
    /// Component.
    pub component: String,
}

/// An event that cannot follow the events before it.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("the journal says `{event}`, which cannot follow: {why}")]
pub struct Illegal {
    /// Event type and key.
    pub event: String,
    /// The rule it breaks.
    pub why: String,
}

/// The one transition function.
///
/// # Errors
/// [`Illegal`] for a pair of state and event that no correct harness writes.
pub fn transition(mut state: State, event: Event) -> Result<State, Illegal> {
    if state.head.is_none() != matches!(event, Event::RunStarted { .. }) {
        return Err(illegal(&event, "a run starts exactly once, and first"));
    }
    if state.ended.is_some() && !may_follow_the_end(&event) {
        return Err(illegal(&event, "the run has ended"));
    }
    match event {
        Event::RunStarted { run, plan_digest, grade, origin, pid } => {
            state.head = Some(Head { run, plan_digest, grade, origin, pid });
        }
        Event::Resumed { pid } => {
            state.head = state.head.map(|head| Head { pid, ..head });
            state.paused = None;
        }
        Event::StageStarted { .. } | Event::StageEnded { .. } => stage(&mut state, &event)?,
        Event::Intent { .. } | Event::Outcome { .. } => act(&mut state, &event)?,
        Event::Created { kind, id, component } => {
            let created = Created { kind, id, component };
            if !state.created.contains(&created) {
                state.created.push(created);
            }
        }
        Event::Sealed { .. } | Event::Judged { .. } => package(&mut state, &event)?,
        Event::Deviation { reason } => state.deviations.push(reason),
        Event::Interrupted => state.interrupted = true,
        Event::Paused { reason } => state.paused = Some(reason),
        Event::RunEnded { exit } => state.ended = Some(exit),
    }
    Ok(state)
}

/// Settling what a run left goes on after its end, and may come to know of more; its evidence only grows by amendments.
fn may_follow_the_end(event: &Event) -> bool {
    match event {
        Event::Intent { key, .. } | Event::Outcome { key, .. } => key.starts_with("delete-stack/"),
        Event::Sealed { package, .. } => package.starts_with("amendment-"),
        Event::Created { .. } => true,
        _ => false,
    }
}

fn stage(state: &mut State, event: &Event) -> Result<(), Illegal> {
    let open = state.stages.iter().position(|(_, outcome)| outcome.is_none());
    match event {
        Event::StageStarted { stage } => match (open, state.stages.iter().find(|(name, _)| name == stage)) {
            (_, Some((_, Some(_)))) => Err(illegal(event, "a finished stage is never run again")),
            (_, Some((_, None))) => Ok(()),
            (Some(_), None) => Err(illegal(event, "another stage is still open")),
            (None, None) => {
                state.stages.push((stage.clone(), None));
                Ok(())
            }
        },
        Event::StageEnded { stage, outcome, detail } => {
            match state.stages.iter_mut().find(|(name, open)| name == stage && open.is_none()) {
                Some((_, slot)) => {
                    *slot = Some(*outcome);
                    if *outcome != StageOutcome::Completed {
                        state.reasons.insert(stage.clone(), detail.clone());
                    }
                    Ok(())
                }
                None => Err(illegal(event, "the stage is not open")),
            }
        }
        _ => Ok(()),
    }
}

fn act(state: &mut State, event: &Event) -> Result<(), Illegal> {
    match event {
        Event::Intent { key, .. } => match state.acts.get(key) {
            Some(ActState::Done(_)) => {
                Err(illegal(event, "the act has taken effect; doing it again would be a second effect"))
            }
            Some(ActState::Unknown(_)) => {
                Err(illegal(event, "the act is ambiguous; it must be reconciled, not repeated"))
            }
            Some(ActState::Intended | ActState::Refused(_)) | None => {
                state.acts.insert(key.clone(), ActState::Intended);
                Ok(())
            }
        },
        Event::Outcome { key, outcome, detail } => match state.acts.get_mut(key) {
            Some(slot @ (ActState::Intended | ActState::Unknown(_))) => {
                *slot = match outcome {
                    ActOutcome::Done => ActState::Done(detail.clone()),
                    ActOutcome::Refused => ActState::Refused(detail.clone()),
                    ActOutcome::Unknown => ActState::Unknown(detail.clone()),
                };
                Ok(())
            }
            Some(ActState::Done(_) | ActState::Refused(_)) => Err(illegal(event, "the act's outcome is settled")),
            None => Err(illegal(event, "no intent was written for the act")),
        },
        _ => Ok(()),
    }
}

fn package(state: &mut State, event: &Event) -> Result<(), Illegal> {
    match event {
        Event::Sealed { package, identity } => {
            if state.packages.iter().any(|(name, _)| name == package) {
                return Err(illegal(event, "a sealed package is never sealed again"));
            }
            state.packages.push((package.clone(), *identity));
        }
        Event::Judged { package, identity, verdict } => {
            if !state.packages.iter().any(|(name, sealed)| name == package && sealed == identity) {
                return Err(illegal(event, "the verdict quotes a package that is not sealed"));
            }
            state.verdicts.insert(package.clone(), *verdict);
        }
        _ => {}
    }
    Ok(())
}

fn illegal(event: &Event, why: &str) -> Illegal {
    let value = serde_json::to_value(event).unwrap_or_default();
    let named = |field: &str| value.get(field).and_then(|v| v.as_str()).map(str::to_owned);
    let kind = named("type").unwrap_or_default();
    let of = ["key", "stage", "package"].iter().find_map(|f| named(f)).map(|of| format!(" {of}")).unwrap_or_default();
    Illegal { event: format!("{kind}{of}"), why: why.to_owned() }
}

impl State {
    /// Folds a whole journal.
    ///
    /// # Errors
    /// [`Illegal`] at the first event that cannot follow.
    pub fn fold(events: impl IntoIterator<Item = Event>) -> Result<Self, Illegal> {
        events.into_iter().try_fold(Self::default(), transition)
    }

    /// How a stage ended, if it did.
    #[must_use]
    pub fn stage_outcome(&self, stage: &str) -> Option<StageOutcome> {
        self.stages.iter().find(|(name, _)| name == stage).and_then(|(_, outcome)| *outcome)
    }

    /// The stage that has begun and not ended.
    #[must_use]
    pub fn open_stage(&self) -> Option<&str> {
        self.stages.iter().find(|(_, outcome)| outcome.is_none()).map(|(name, _)| name.as_str())
    }

    /// Identity of a sealed package.
    #[must_use]
    pub fn package(&self, name: &str) -> Option<&Digest> {
        self.packages.iter().find(|(n, _)| n == name).map(|(_, identity)| identity)
    }

    /// Identities of all sealed packages, in order.
    #[must_use]
    pub fn identities(&self) -> Vec<Digest> {
        self.packages.iter().map(|(_, identity)| *identity).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started() -> State {
        let origin = Origin {
            endpoint_kind: "foreign".into(),
            endpoint: Some("http://127.0.0.1:1".into()),
            account: "000000000000".into(),
            region: "us-east-1".into(),
            partition: "aws".into(),
        };
        let event = Event::RunStarted {
            run: "r".into(),
            plan_digest: Digest::of(b"plan"),
            grade: Grade::Rehearsal,
            origin,
            pid: 1,
        };
        transition(State::default(), event).expect("first event")
    }

    fn intent(key: &str) -> Event {
        Event::Intent { key: key.into(), recovery: String::new() }
    }

    fn outcome(key: &str, outcome: ActOutcome) -> Event {
        Event::Outcome { key: key.into(), outcome, detail: "d".into() }
    }

    fn fold(events: &[Event]) -> Result<State, Illegal> {
        events.iter().cloned().try_fold(started(), transition)
    }

    #[test]
    fn an_act_that_took_effect_is_never_intended_again() {
        let refused = fold(&[intent("send/1"), outcome("send/1", ActOutcome::Done), intent("send/1")]);
        assert!(refused.expect_err("second effect").why.contains("second effect"));
    }

    #[test]
    fn an_ambiguous_act_is_reconciled_and_not_repeated() {
        let repeated = fold(&[intent("send/1"), outcome("send/1", ActOutcome::Unknown), intent("send/1")]);
        assert!(repeated.is_err());
        let reconciled =
            fold(&[intent("send/1"), outcome("send/1", ActOutcome::Unknown), outcome("send/1", ActOutcome::Done)]);
        assert_eq!(reconciled.expect("reconciled").acts["send/1"], ActState::Done("d".into()));
    }

    #[test]
    fn a_refused_act_may_be_tried_again() {
        assert!(fold(&[intent("k"), outcome("k", ActOutcome::Refused), intent("k")]).is_ok());
    }

    #[test]
    fn an_outcome_needs_an_intent_and_settles_once() {
        assert!(fold(&[outcome("k", ActOutcome::Done)]).is_err());
        assert!(fold(&[intent("k"), outcome("k", ActOutcome::Done), outcome("k", ActOutcome::Refused)]).is_err());
    }

    #[test]
    fn stages_do_not_overlap_and_are_not_run_again() {
        let start = |stage: &str| Event::StageStarted { stage: stage.into() };
        let end = |stage: &str| Event::StageEnded {
            stage: stage.into(),
            outcome: StageOutcome::Completed,
            detail: String::new(),
        };
        assert!(fold(&[start("deploy"), start("probe")]).is_err());
        assert!(fold(&[start("deploy"), start("deploy")]).is_ok(), "a crashed stage is begun again");
        assert!(fold(&[start("deploy"), end("deploy"), start("deploy")]).is_err());
        assert!(fold(&[end("deploy")]).is_err());
    }

    #[test]
    fn a_verdict_quotes_a_sealed_package() {
        let judged = Event::Judged { package: "canonical".into(), identity: Digest::of(b"a"), verdict: Verdict::Pass };
        assert!(fold(std::slice::from_ref(&judged)).is_err());
        let sealed = |bytes: &[u8]| Event::Sealed { package: "canonical".into(), identity: Digest::of(bytes) };
        assert!(fold(&[sealed(b"b"), judged.clone()]).is_err(), "another identity");
        assert!(fold(&[sealed(b"a"), judged]).is_ok());
        assert!(fold(&[sealed(b"a"), sealed(b"b")]).is_err());
    }

    #[test]
    fn nothing_follows_the_end() {
        assert!(fold(&[Event::RunEnded { exit: 0 }, Event::Interrupted]).is_err());
        assert!(fold(&[Event::RunEnded { exit: 40 }, intent("dispatch/x")]).is_err());
        let sealed = |package: &str| Event::Sealed { package: package.into(), identity: Digest::of(b"a") };
        assert!(fold(&[Event::RunEnded { exit: 40 }, sealed("canonical")]).is_err());
        let settled = [
            Event::RunEnded { exit: 40 },
            intent("delete-stack/x"),
            outcome("delete-stack/x", ActOutcome::Done),
            sealed("amendment-1"),
        ];
        assert!(fold(&settled).is_ok(), "settling goes on, amendments are added");
        assert!(transition(State::default(), Event::Interrupted).is_err());
    }
}
