//! Creating one stack of a run: the request, its journal lines, and what to do when the answer is lost.

use super::acts::{answer, stop};
use super::deploy::Deployed;
use super::session::Session;
use crate::cloud::stacks::{self, CreateStack, Found, Template};
use crate::cloud::{Failure as CallFailure, Outcome, buckets};
use crate::deploy::{MAX_BODY_BYTES, template_url};
use crate::exit::Failure;
use crate::plan::{StackPlan, Value};
use crate::run::ActOutcome;

/// How often a creation without an answer is asked for in all, each time after looking for the stack.
const ATTEMPTS: u32 = 3;

/// Journal key of a stack's creation.
pub(super) fn key(component: &str) -> String {
    format!("create-stack/{component}")
}

/// The run's own token: a repeat after a crash is the same operation to CloudFormation.
pub(super) fn token(session: &Session, component: &str) -> String {
    format!("assay-{}-{component}", session.folder.id())
}

/// Sends the request and gives the stack's id. A lost answer is looked for by the run's token before it is sent again.
pub(super) async fn create(session: &Session, plan: &StackPlan, deployed: &Deployed) -> Result<String, Failure> {
    let request = request(session, plan, deployed).await?;
    let recovery = format!("delete stack {}", request.name);
    let act = key(&plan.component);
    let call = || stacks::create(&session.clients, &request);
    let mut outcome = session.act(&act, &recovery, call, Clone::clone).await?;
    for _ in 1..ATTEMPTS {
        // Nothing was found under our token, and a late first request would carry the same: CloudFormation takes
        // both for one operation.
        match outcome {
            Outcome::Unknown(_) => match reconcile(session, plan).await? {
                Some(id) => return Ok(id),
                None => outcome = session.act(&act, &recovery, call, Clone::clone).await?,
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

async fn template(session: &Session, plan: &StackPlan) -> Result<Template, Failure> {
    let missing = || Failure::Internal(format!("the run's folder holds no template for {}", plan.component));
    let bytes = session.inputs.templates.get(&plan.component).ok_or_else(missing)?;
    if bytes.len() > MAX_BODY_BYTES {
        let bucket = session.filling.fill(&session.plan.bucket);
        let key = format!("templates/{}.yaml", plan.template_sha256);
        let put = buckets::put_by_digest(&session.clients, &bucket, &key, bytes.clone());
        answer("upload a long template", put.await)?;
        return Ok(Template::Url(template_url(&session.clients, &bucket, &key)));
    }
    String::from_utf8(bytes.clone())
        .map(Template::Body)
        .map_err(|_| Failure::Internal("a template is not UTF-8".to_owned()))
}

/// An ambiguous creation: the stack is ours if its events carry our token.
pub(super) async fn reconcile(session: &Session, plan: &StackPlan) -> Result<Option<String>, Failure> {
    let name = session.filling.fill(&plan.name);
    let act = key(&plan.component);
    let found =
        stacks::created_by_token(&session.clients, &name, &token(session, &plan.component), session.page_cap()).await;
    match answer(&format!("reconcile stack {name}"), found)? {
        Found::Ours(id) => {
            session.log.outcome(&act, ActOutcome::Done, id.clone())?;
            Ok(Some(id))
        }
        Found::Nothing => {
            session.log.outcome(&act, ActOutcome::Refused, "no such stack when reconciled")?;
            Ok(None)
        }
        Found::Foreign(id) => {
            Err(Failure::Stopped(format!("stack {id} has this run's name but another maker; it is left alone")))
        }
    }
}
