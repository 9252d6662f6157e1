//! The stages that run trials: probe, validations, canonical. Each trial's evidence is saved before the next starts.

use super::deploy::{self, Deployed};
use super::session::Session;
use super::{collect, dispatch, freeze, judging, rest};
use crate::exit::Failure;
use crate::paused::unless_expired;
use crate::plan::TrialPlan;
use crate::progress::Notice;
use crate::run::now_ms;
use evidence::trial::TrialEvidence;
use evidence::verdict::{PackageVerdict, Verdict};

/// The transport probe must prove the mechanism in the target cloud, or the run stops.
pub(super) async fn probe(session: &Session) -> Result<(), Failure> {
    let verdict = run_and_judge(session, "probe").await?;
    match verdict.trials.first() {
        Some(trial) if trial.valid && trial.verdict == Verdict::Pass => Ok(()),
        Some(trial) => Err(Failure::Stopped(format!("the transport probe proves nothing: {}", why(trial)))),
        None => Err(Failure::Stopped("the transport probe left no evidence".to_owned())),
    }
}

/// A validation proves that the variant is implemented; a trial that is not valid stops the run, one that only
/// differs from its prediction is excluded and listed.
pub(super) async fn validate(session: &Session, stage: &str) -> Result<(), Failure> {
    let verdict = run_and_judge(session, stage).await?;
    match verdict.trials.iter().find(|t| !t.valid || !t.missing.is_empty()) {
        Some(trial) => {
            Err(Failure::Stopped(format!("{} is no proof of the implementation: {}", trial.trial, why(trial))))
        }
        None => Ok(()),
    }
}

/// The canonical run; whatever comes of it is data.
pub(super) async fn canonical(session: &Session) -> Result<(), Failure> {
    run_and_judge(session, "canonical").await.map(drop)
}

fn why(trial: &evidence::verdict::TrialVerdict) -> String {
    let reasons: Vec<_> = trial.invalid_reasons.iter().chain(&trial.missing).map(String::as_str).collect();
    if reasons.is_empty() { format!("verdict {:?}", trial.verdict).to_lowercase() } else { reasons.join("; ") }
}

async fn run_and_judge(session: &Session, stage: &str) -> Result<PackageVerdict, Failure> {
    if session.log.state().package(stage).is_none() && !freeze::adopt(session, stage)? {
        let started = now_ms();
        let ended = unless_expired(&session.clients, stage, |()| true, run_all(session, stage)).await;
        if let Err(paused @ Failure::Paused(_)) = ended {
            // Its trials go on when the run is resumed; a sealed package could not take them.
            return Err(paused);
        }
        freeze::trials(session, stage, started, ended.as_ref().err())?;
        if let Err(failure) = ended {
            judging::judge(session, stage).await?;
            return Err(failure);
        }
    }
    judging::judge(session, stage).await
}

async fn run_all(session: &Session, stage: &str) -> Result<(), Failure> {
    let deployed = deploy::deployed(session).await?;
    for trial in session.plan.trials_of(stage) {
        if freeze::saved(session, &trial.id)?.is_none() {
            session.check_interrupt()?;
            session.check_cost()?;
            let evidence = run(session, &deployed, trial).await?;
            freeze::save(session, &evidence)?;
        }
    }
    Ok(())
}

async fn run(session: &Session, deployed: &Deployed, trial: &TrialPlan) -> Result<TrialEvidence, Failure> {
    let tell = |phase: &str| session.progress.tell(&Notice::Trial { trial: trial.id.clone(), phase: phase.to_owned() });
    tell("dispatching");
    let since = now_ms();
    let place = collect::Place::of(deployed, trial)?;
    let dispatch = dispatch::dispatch(session, &place, trial).await?;
    tell(&format!("dispatched ({}), waiting for rest", dispatch.outcome));
    let rest = rest::wait(session, &place, trial, &dispatch).await?;
    tell("at rest, reading evidence");
    collect::collect(session, &place, trial, dispatch, rest, since).await
}
