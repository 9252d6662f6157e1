//! Deploy: the artifact's bucket, the artifact, then every stack as soon as those that it needs exist.

use super::acts::{answer, stop};
use super::flags::Flags;
use super::session::Session;
use super::{create, freeze, ledger};
use crate::cloud::stacks::{self, StackState, StackStatus};
use crate::cloud::{Polled, buckets, streams};
use crate::deploy::{Teller, wait_for_end, why_it_failed};
use crate::exit::Failure;
use crate::plan::StackPlan;
use crate::run::{ActOutcome, ActState, Event, now_ms};
use futures_util::future::join_all;
use std::collections::BTreeMap;

/// Stacks as deployed, by component.
pub(super) type Deployed = BTreeMap<String, StackState>;

/// Deploys everything and seals the inventory, so that ownership of what may linger later is provable.
pub(super) async fn deploy(session: &Session) -> Result<(), Failure> {
    let started = now_ms();
    let flags = Flags::default();
    let deployed = stacks_in_order(session, &flags).await?;
    tag_streams(session, &deployed).await?;
    freeze::deployment(session, &deployed, &flags, started).await
}

/// The stacks of a run that is deployed, read again.
pub(super) async fn deployed(session: &Session) -> Result<Deployed, Failure> {
    let mut deployed = Deployed::new();
    for plan in &session.plan.stacks {
        let Some(ActState::Done(id)) = session.log.act(&create::key(&plan.component)) else {
            return Err(Failure::Stopped(format!("stack {} is not deployed", plan.component)));
        };
        let state =
            answer(&format!("describe stack {}", plan.component), stacks::describe(&session.clients, &id).await)?;
        deployed.insert(plan.component.clone(), state);
    }
    Ok(deployed)
}

/// Waves of stacks whose needs are met, each wave at once.
async fn stacks_in_order(session: &Session, flags: &Flags) -> Result<Deployed, Failure> {
    let mut deployed = Deployed::new();
    loop {
        let ready: Vec<&StackPlan> = session
            .plan
            .stacks
            .iter()
            .filter(|s| !deployed.contains_key(&s.component) && s.after.iter().all(|a| deployed.contains_key(a)))
            .collect();
        if ready.is_empty() {
            return Ok(deployed);
        }
        session.check_interrupt()?;
        let wave = ready.iter().map(|plan| one_stack(session, plan, &deployed, flags));
        for (plan, state) in ready.iter().zip(join_all(wave).await) {
            deployed.insert(plan.component.clone(), state?);
        }
        if deployed.contains_key("artifacts") {
            upload(session).await?;
        }
    }
}

async fn one_stack(
    session: &Session,
    plan: &StackPlan,
    deployed: &Deployed,
    flags: &Flags,
) -> Result<StackState, Failure> {
    let key = create::key(&plan.component);
    let id = match session.log.act(&key) {
        Some(ActState::Done(id)) => id,
        Some(ActState::Intended | ActState::Unknown(_)) => match create::reconcile(session, plan).await? {
            Some(id) => id,
            None => create::create(session, plan, deployed).await?,
        },
        Some(ActState::Refused(_)) | None => create::create(session, plan, deployed).await?,
    };
    session.log.append(Event::Created {
        kind: "AWS::CloudFormation::Stack".to_owned(),
        id: id.clone(),
        component: plan.component.clone(),
    })?;
    let teller = Teller::new(&session.progress, &plan.component);
    let state = created(session, plan, &id, &teller, flags).await?;
    ledger::enter(session, plan, &id, &teller.seen(), flags).await?;
    Ok(state)
}

/// Waits until the stack is complete, telling its events as they come.
async fn created(
    session: &Session,
    plan: &StackPlan,
    id: &str,
    teller: &Teller,
    flags: &Flags,
) -> Result<StackState, Failure> {
    let pace = session.pace(session.plan.limits.stack_create_ms);
    let state = match wait_for_end(&session.clients, id, teller, pace, &session.cancel).await {
        Polled::Ready { value, disturbed } => {
            if disturbed > 0 {
                flags.add(&plan.component, format!("{disturbed} looks at the stack were throttled or unanswered"));
            }
            value
        }
        Polled::Cancelled => {
            return Err(session.check_interrupt().err().unwrap_or_else(|| Failure::Interrupted("stopped".to_owned())));
        }
        other => {
            let what = format!("wait for stack {}", plan.component);
            return other.into_result("DescribeStackEvents").map_err(|failure| stop(&what, &failure));
        }
    };
    if state.status == StackStatus::CreateComplete {
        return Ok(state);
    }
    let token = create::token(session, &plan.component);
    let cause = why_it_failed(&session.clients, id, teller, Some(&token)).await.or_else(|| state.reason.clone());
    let cause = cause.unwrap_or_else(|| "no reason given".to_owned());
    Err(Failure::Stopped(format!("stack {} ended {}: {cause}", plan.component, state.status.as_text())))
}

/// Puts the artifact under a key that holds its digest; a repeat finds it there.
async fn upload(session: &Session) -> Result<(), Failure> {
    const KEY: &str = "upload-artifact";
    let Some(artifact) = &session.plan.artifact else {
        return Err(Failure::Internal("the plan has no artifact".to_owned()));
    };
    match session.log.act(KEY) {
        Some(ActState::Done(_)) => return Ok(()),
        Some(ActState::Intended | ActState::Unknown(_)) => {
            session.log.outcome(KEY, ActOutcome::Refused, "put again: the key holds the digest")?;
        }
        _ => {}
    }
    let bucket = session.filling.fill(&session.plan.bucket);
    // The key holds the digest, so putting it twice is putting it once.
    let put = || async {
        let bytes = || session.inputs.artifact.clone();
        session.repeatable(|| buckets::put_by_digest(&session.clients, &bucket, &artifact.key, bytes())).await
    };
    let recovery = format!("empty bucket {bucket}");
    let outcome = session.act_once(KEY, &recovery, put(), |()| artifact.key.clone()).await?;
    answer("upload the artifact", outcome)
}

/// Streams inherit no tags (DynamoDB developer guide, ABAC for streams), so they are tagged by ARN.
async fn tag_streams(session: &Session, deployed: &Deployed) -> Result<(), Failure> {
    for plan in &session.plan.stacks {
        let Some(stack) = deployed.get(&plan.component) else { continue };
        for (_, arn) in
            stack.outputs.iter().filter(|(_, value)| value.contains(":dynamodb:") && value.contains("/stream/"))
        {
            session.log.append(Event::Created {
                kind: "AWS::DynamoDB::Stream".to_owned(),
                id: arn.clone(),
                component: plan.component.clone(),
            })?;
            let tags: BTreeMap<_, _> = plan.tags.iter().map(|(k, v)| (k.clone(), session.filling.fill(v))).collect();
            let tagged = session.repeatable(|| streams::tag(&session.clients, arn, &tags)).await?;
            answer(&format!("tag stream {arn}"), tagged)?;
        }
    }
    Ok(())
}
