//! Deploy: the artifact's bucket, the artifact, then every stack as soon as those that it needs exist.

use super::acts::{answer, stop};
use super::freeze;
use super::session::Session;
use crate::cloud::stacks::{self, CreateStack, Found, StackEvent, StackState, StackStatus, Template};
use crate::cloud::{Failure as CallFailure, Outcome, Polled, RefusalKind, buckets, poll, streams};
use crate::exit::Failure;
use crate::plan::{StackPlan, Value};
use crate::progress::Notice;
use crate::run::{ActOutcome, ActState, Event, now_ms};
use futures_util::future::join_all;
use std::collections::BTreeMap;
use std::sync::Mutex;

/// A body may have 51,200 bytes; longer templates go through S3 (CloudFormation quotas).
const MAX_BODY_BYTES: usize = 51_200;

/// How often a creation without an answer is asked for in all, each time after looking for the stack.
const CREATE_ATTEMPTS: u32 = 3;

/// Stacks as deployed, by component.
pub(super) type Deployed = BTreeMap<String, StackState>;

/// Deploys everything and seals the inventory, so that ownership of what may linger later is provable.
pub(super) async fn deploy(session: &Session) -> Result<(), Failure> {
    let started = now_ms();
    let deployed = stacks_in_order(session).await?;
    tag_streams(session, &deployed).await?;
    freeze::deployment(session, &deployed, started).await
}

/// The stacks of a run that is deployed, read again.
pub(super) async fn deployed(session: &Session) -> Result<Deployed, Failure> {
    let mut deployed = Deployed::new();
    for plan in &session.plan.stacks {
        let Some(ActState::Done(id)) = session.log.act(&create_key(&plan.component)) else {
            return Err(Failure::Stopped(format!("stack {} is not deployed", plan.component)));
        };
        let state =
            answer(&format!("describe stack {}", plan.component), stacks::describe(&session.clients, &id).await)?;
        deployed.insert(plan.component.clone(), state);
    }
    Ok(deployed)
}

/// Journal key of a stack's creation.
pub(super) fn create_key(component: &str) -> String {
    format!("create-stack/{component}")
}

/// Waves of stacks whose needs are met, each wave at once.
async fn stacks_in_order(session: &Session) -> Result<Deployed, Failure> {
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
        let wave = ready.iter().map(|plan| one_stack(session, plan, &deployed));
        for (plan, state) in ready.iter().zip(join_all(wave).await) {
            deployed.insert(plan.component.clone(), state?);
        }
        if deployed.contains_key("artifacts") {
            upload(session).await?;
        }
    }
}

async fn one_stack(session: &Session, plan: &StackPlan, deployed: &Deployed) -> Result<StackState, Failure> {
    let key = create_key(&plan.component);
    let id = match session.log.act(&key) {
        Some(ActState::Done(id)) => id,
        Some(ActState::Intended | ActState::Unknown(_)) => match reconcile(session, plan).await? {
            Some(id) => id,
            None => create(session, plan, deployed).await?,
        },
        Some(ActState::Refused(_)) | None => create(session, plan, deployed).await?,
    };
    session.log.append(Event::Created {
        kind: "AWS::CloudFormation::Stack".to_owned(),
        id: id.clone(),
        component: plan.component.clone(),
    })?;
    let state = created(session, plan, &id).await?;
    enter_in_ledger(session, plan, &id).await?;
    Ok(state)
}

async fn create(session: &Session, plan: &StackPlan, deployed: &Deployed) -> Result<String, Failure> {
    let request = request(session, plan, deployed).await?;
    let recovery = format!("delete stack {}", request.name);
    let key = create_key(&plan.component);
    let call = || stacks::create(&session.clients, &request);
    let mut outcome = session.act(&key, &recovery, call, Clone::clone).await?;
    for _ in 1..CREATE_ATTEMPTS {
        // Nothing was found under our token, and a late first request would carry the same: CloudFormation takes
        // both for one operation.
        match outcome {
            Outcome::Unknown(_) => match reconcile(session, plan).await? {
                Some(id) => return Ok(id),
                None => outcome = session.act(&key, &recovery, call, Clone::clone).await?,
            },
            settled => {
                outcome = settled;
                break;
            }
        }
    }
    match outcome {
        Outcome::Done(id) => Ok(id),
        Outcome::Refused(refusal) => {
            Err(stop(&format!("create stack {}", request.name), &CallFailure::Refused(refusal)))
        }
        Outcome::Unknown(doubt) => match reconcile(session, plan).await? {
            Some(id) => Ok(id),
            None => Err(Failure::Stopped(format!(
                "create stack {}: {doubt}; no such stack was found afterwards",
                request.name
            ))),
        },
    }
}

async fn request(session: &Session, plan: &StackPlan, deployed: &Deployed) -> Result<CreateStack, Failure> {
    let parameter = |value: &Value| match value {
        Value::Literal(text) => Ok(session.filling.fill(text)),
        Value::Output { component, output } => deployed
            .get(component)
            .and_then(|stack| stack.outputs.get(output).cloned())
            .ok_or_else(|| Failure::Stopped(format!("stack {component} has no output {output}"))),
    };
    let parameters: Result<_, Failure> =
        plan.parameters.iter().map(|(key, value)| Ok((key.clone(), parameter(value)?))).collect();
    Ok(CreateStack {
        name: session.filling.fill(&plan.name),
        template: template(session, plan).await?,
        parameters: parameters?,
        tags: plan.tags.iter().map(|(key, value)| (key.clone(), session.filling.fill(value))).collect(),
        capabilities: plan.capabilities.clone(),
        token: token(session, &plan.component),
        keep_on_failure: false,
    })
}

/// The run's own token: a repeat after a crash is the same operation to CloudFormation.
pub(super) fn token(session: &Session, component: &str) -> String {
    format!("assay-{}-{component}", session.folder.id())
}

async fn template(session: &Session, plan: &StackPlan) -> Result<Template, Failure> {
    let missing = || Failure::Internal(format!("the run's folder holds no template for {}", plan.component));
    let bytes = session.inputs.templates.get(&plan.component).ok_or_else(missing)?;
    if bytes.len() > MAX_BODY_BYTES {
        let bucket = session.filling.fill(&session.plan.bucket);
        let key = format!("templates/{}.yaml", plan.template_sha256);
        let put = buckets::put_if_absent(&session.clients, &bucket, &key, bytes.clone());
        answer("upload a long template", there(put).await)?;
        return Ok(Template::Url(url(session, &bucket, &key)));
    }
    String::from_utf8(bytes.clone())
        .map(Template::Body)
        .map_err(|_| Failure::Internal("a template is not UTF-8".to_owned()))
}

/// Where CloudFormation fetches a long template from.
fn url(session: &Session, bucket: &str, key: &str) -> String {
    match session.clients.endpoint().url() {
        Some(endpoint) => format!("{}/{bucket}/{key}", endpoint.trim_end_matches('/')),
        None => format!("https://{bucket}.s3.{}.amazonaws.com/{key}", session.clients.region()),
    }
}

/// An ambiguous creation: the stack is ours if its events carry our token.
async fn reconcile(session: &Session, plan: &StackPlan) -> Result<Option<String>, Failure> {
    let name = session.filling.fill(&plan.name);
    let key = create_key(&plan.component);
    let found =
        stacks::created_by_token(&session.clients, &name, &token(session, &plan.component), session.page_cap()).await;
    match answer(&format!("reconcile stack {name}"), found)? {
        Found::Ours(id) => {
            session.log.outcome(&key, ActOutcome::Done, id.clone())?;
            Ok(Some(id))
        }
        Found::Nothing => {
            session.log.outcome(&key, ActOutcome::Refused, "no such stack when reconciled")?;
            Ok(None)
        }
        Found::Foreign(id) => {
            Err(Failure::Stopped(format!("stack {id} has this run's name but another maker; it is left alone")))
        }
    }
}

/// Waits until the stack is complete, telling its events as they come.
async fn created(session: &Session, plan: &StackPlan, id: &str) -> Result<StackState, Failure> {
    let seen = Mutex::new(Seen::default());
    let look = || async {
        tell_events(session, &plan.component, id, &seen).await;
        let state = stacks::describe(&session.clients, id).await;
        state.map(|state| state.status.is_settled().then_some(state))
    };
    let ended = poll::poll(session.pace(session.plan.limits.stack_create_ms), &session.cancel, look).await;
    tell_events(session, &plan.component, id, &seen).await;
    let state = match ended {
        Polled::Ready { value, .. } => value,
        Polled::Cancelled => {
            return Err(session.check_interrupt().err().unwrap_or_else(|| Failure::Interrupted("stopped".to_owned())));
        }
        other => {
            let what = format!("wait for stack {}", plan.component);
            return other.into_result("DescribeStacks").map_err(|failure| stop(&what, &failure));
        }
    };
    if state.status == StackStatus::CreateComplete {
        return Ok(state);
    }
    let cause =
        seen.into_inner().unwrap_or_default().first_failure.unwrap_or_else(|| state.reason.clone().unwrap_or_default());
    Err(Failure::Stopped(format!("stack {} ended {}: {cause}", plan.component, state.status.as_text())))
}

/// What was read of a stack's events so far.
#[derive(Debug, Default)]
pub(super) struct Seen {
    last: Option<String>,
    first_failure: Option<String>,
}

/// Tells new events. Unread ones are only progress; the stack's status decides.
pub(super) async fn tell_events(session: &Session, component: &str, id: &str, seen: &Mutex<Seen>) {
    let last = seen.lock().map(|s| s.last.clone()).unwrap_or_default();
    let Outcome::Done(batch) = stacks::new_events(&session.clients, id, last.as_deref()).await else { return };
    for event in &batch.events {
        session.progress.tell(&Notice::Stack {
            component: component.to_owned(),
            resource: event.logical_id.clone(),
            status: event.status.clone(),
            reason: event.reason.clone().unwrap_or_default(),
        });
    }
    if let (Ok(mut seen), Some(newest)) = (seen.lock(), batch.events.last()) {
        seen.last = Some(newest.event_id.clone());
        if seen.first_failure.is_none() {
            seen.first_failure = batch.events.iter().find(|e| is_cause(e)).map(cause);
        }
    }
}

/// Cancelled siblings are consequences, not causes.
fn is_cause(event: &StackEvent) -> bool {
    event.status.ends_with("_FAILED") && !event.reason.as_deref().unwrap_or_default().contains("cancelled")
}

fn cause(event: &StackEvent) -> String {
    format!("{} ({}): {}", event.logical_id, event.resource_type, event.reason.as_deref().unwrap_or("no reason given"))
}

/// Every physical id goes into the creation ledger.
async fn enter_in_ledger(session: &Session, plan: &StackPlan, id: &str) -> Result<(), Failure> {
    let listing = stacks::resources(&session.clients, id, session.page_cap()).await;
    for resource in answer(&format!("list resources of {}", plan.component), listing)?.items {
        if let Some(id) = resource.physical_id {
            session.log.append(Event::Created {
                kind: resource.resource_type,
                id,
                component: plan.component.clone(),
            })?;
        }
    }
    Ok(())
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
        let again =
            || there(buckets::put_if_absent(&session.clients, &bucket, &artifact.key, session.inputs.artifact.clone()));
        session.repeatable(again).await
    };
    let recovery = format!("empty bucket {bucket}");
    let outcome = session.act_once(KEY, &recovery, put(), |()| artifact.key.clone()).await?;
    answer("upload the artifact", outcome)
}

/// A key that holds its bytes' digest needs no second put: that it exists already is as good as done.
async fn there(put: impl Future<Output = Outcome<()>>) -> Outcome<()> {
    match put.await {
        Outcome::Refused(refusal) if matches!(refusal.kind, RefusalKind::AlreadyExists | RefusalKind::Conflict) => {
            Outcome::Done(())
        }
        other => other,
    }
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
