//! Preflight: everything that can be known to fail is refused before the first write, all findings at once.

use super::acts::answer;
use super::freeze;
use super::session::Session;
use crate::cloud::stacks;
use crate::cost;
use crate::exit::Failure;
use crate::plan::{StackPlan, Value, behind_queue, preflight as checks};
use crate::run::now_ms;
use yaml::{Dialect, Document, Limits};

/// Checks the plan against AWS's limits and the account against the plan, then seals what the run is made of.
pub(super) async fn preflight(session: &Session) -> Result<(), Failure> {
    let started = now_ms();
    let origin = session.head()?.origin;
    let mut findings = checks::findings(&session.plan, &session.filling);
    findings.extend(checks::account(&session.plan, &origin));
    findings.extend(templates(session));
    findings.extend(over_ceiling(session)?);
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

/// What Lambda refuses or cuts off behind a queue, in the templates as this run sends them.
fn templates(session: &Session) -> Vec<String> {
    let check = |stack: &StackPlan| {
        let text = std::str::from_utf8(session.inputs.templates.get(&stack.component)?).ok()?;
        let limits = Limits { max_bytes: 1 << 20, ..Limits::default() };
        let document = Document::parse(&stack.template, text, Dialect::CloudFormation, limits).ok()?;
        let known = stack.parameters.iter().filter_map(|(key, value)| match value {
            Value::Literal(text) => Some((key.clone(), session.filling.fill(text))),
            Value::Output { .. } => None,
        });
        Some(behind_queue::findings(&stack.component, document.value(), &known.collect()))
    };
    session.plan.stacks.iter().filter_map(check).flatten().collect()
}

/// An estimate above the plan's ceiling.
fn over_ceiling(session: &Session) -> Result<Option<String>, Failure> {
    let estimate = cost::estimate(&session.plan, &cost::Prices::bundled()?);
    Ok(estimate.and_then(|estimate| estimate.over()))
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
