//! Preflight: everything that can be known to fail is refused before the first write, all findings at once.

mod existing;
mod quotas;

use super::freeze;
use super::session::Session;
use crate::cloud::stacks::{self, StackSummary};
use crate::cloud::{EndpointKind, Failure as CallFailure, RefusalKind};
use crate::cost;
use crate::deploy;
use crate::exit::Failure;
use crate::plan::physical::{self, Named};
use crate::plan::{RUN_TAG, StackPlan, behind_queue, default_layers, preflight as checks};
use crate::run::now_ms;
use serde::Serialize;
use std::collections::BTreeMap;
use yaml::{Dialect, Document, Limits};

/// What was found.
#[derive(Debug, Default, Serialize)]
pub(super) struct Found {
    /// Each of them forbids the run.
    findings: Vec<String>,
    /// Worth knowing.
    warnings: Vec<String>,
    /// Whether the cost allocation tag is active, or that this account cannot know.
    cost_tag: String,
}

/// Checks the plan against AWS's limits and the account against the plan, then seals what the run is made of.
pub(super) async fn preflight(session: &Session) -> Result<(), Failure> {
    let started = now_ms();
    let origin = session.head()?.origin;
    let mut found = Found { findings: checks::findings(&session.plan, &session.filling), ..Found::default() };
    found.findings.extend(checks::account(&session.plan, &origin));
    found.warnings.extend(checks::any_account(&session.plan, &origin));
    found.findings.extend(over_ceiling(session)?);
    let templates = Templates::read(session);
    templates.check(&mut found);
    let stacks = conflicts(session, &mut found).await?;
    existing::look(session, &templates.named, &mut found).await?;
    quotas::look(session, stacks, &templates, &mut found).await?;
    cost_tag(session, &mut found).await;
    found.findings.extend(credential_life(session).await?);
    let samples = session.clients.clock().since(0);
    found.findings.extend(checks::skew(&samples, session.plan.limits.clock_tolerance_ms));
    found.warnings.iter().for_each(|warning| session.progress.warn(warning.clone()));
    if !found.findings.is_empty() {
        found.findings.dedup();
        return Err(Failure::Refused(format!(
            "preflight refuses, nothing was written:\n  - {}",
            found.findings.join("\n  - ")
        )));
    }
    freeze::preflight(session, started, &found)
}

impl Found {
    /// A read without an answer: expired credentials pause, a denial names the permission that is missing.
    fn unread(&mut self, action: &str, what: &str, failure: &CallFailure) -> Result<(), Failure> {
        match failure.kind() {
            Some(RefusalKind::Expired) => Err(super::acts::stop(what, failure)),
            Some(RefusalKind::Denied) => {
                self.finding(format!(
                    "{action} is not allowed ({failure}); the run needs it: see templates/operator-policy.json"
                ));
                Ok(())
            }
            _ => {
                self.finding(format!("{what} could not be read ({action}): {failure}"));
                Ok(())
            }
        }
    }

    fn finding(&mut self, text: String) {
        if !self.findings.contains(&text) {
            self.findings.push(text);
        }
    }
}

/// The templates as this run sends them, with what is known of their parameters.
#[derive(Debug, Default)]
struct Templates {
    documents: Vec<(String, serde_json::Value, BTreeMap<String, String>)>,
    named: Vec<Named>,
}

impl Templates {
    fn read(session: &Session) -> Self {
        let one = |stack: &StackPlan| {
            let text = std::str::from_utf8(session.inputs.templates.get(&stack.component)?).ok()?;
            let limits = Limits { max_bytes: 1 << 20, ..Limits::default() };
            let document = Document::parse(&stack.template, text, Dialect::CloudFormation, limits).ok()?;
            Some((stack.component.clone(), document.value().clone(), known(session, stack)))
        };
        let documents: Vec<_> = session.plan.stacks.iter().filter_map(one).collect();
        let named = documents.iter().flat_map(|(_, template, known)| physical::named(template, known)).collect();
        Self { documents, named }
    }

    /// Names that are too long, what Lambda refuses or cuts off behind a queue, layers left at their defaults.
    fn check(&self, found: &mut Found) {
        found.findings.extend(self.named.iter().filter_map(Named::too_long));
        for (component, template, known) in &self.documents {
            found.findings.extend(behind_queue::findings(component, template, known));
            found.warnings.extend(default_layers::warnings(component, template));
        }
    }
}

fn known(session: &Session, stack: &StackPlan) -> BTreeMap<String, String> {
    let pseudo = [
        ("AWS::StackName", session.filling.fill(&stack.name)),
        ("AWS::AccountId", session.filling.account.clone()),
        ("AWS::Region", session.clients.region().to_owned()),
    ];
    let pseudo = pseudo.into_iter().map(|(key, value)| (key.to_owned(), value));
    stack.literals().map(|(key, text)| (key.to_owned(), session.filling.fill(text))).chain(pseudo).collect()
}

/// An estimate above the plan's ceiling.
fn over_ceiling(session: &Session) -> Result<Option<String>, Failure> {
    let estimate = cost::estimate(&session.plan, &cost::Prices::bundled()?);
    Ok(estimate.and_then(|estimate| estimate.over()))
}

/// Without an active tag the run works, and its cost is booked under no tag. Only AWS has bills.
async fn cost_tag(session: &Session, found: &mut Found) {
    found.cost_tag = cost::tag_words(crate::cloud::cost::tag_status(&session.clients, RUN_TAG).await);
    if *session.clients.endpoint() == EndpointKind::Aws && found.cost_tag != "Active" {
        found.warnings.push(format!(
            "cost allocation tag {}: {}; without it the run's cost stays unattributed (the paying account: assay cost activate-tags)",
            RUN_TAG,
            found.cost_tag
        ));
    }
}

/// Stacks that exist already under the run's names; gives how many stacks live in the region.
async fn conflicts(session: &Session, found: &mut Found) -> Result<Option<usize>, Failure> {
    let listed = stacks::list_by_prefix(&session.clients, "", session.page_cap()).await.into_result();
    let listed = match listed {
        Ok(listing) => listing.items,
        Err(failure) => {
            return found.unread("cloudformation:ListStacks", "the list of stacks", &failure).map(|()| None);
        }
    };
    let prefix = session.stack_name("");
    let living: Vec<_> = listed.into_iter().filter(|s| !s.status.is_deleted()).collect();
    for stack in living.iter().filter(|s| s.name.starts_with(&prefix)) {
        found.finding(format!("stack {} exists already: {}", stack.name, holder(session, stack).await?));
    }
    Ok(Some(living.len()))
}

/// Who holds a stack, as far as it can be read.
async fn holder(session: &Session, stack: &StackSummary) -> Result<String, Failure> {
    let read = async {
        let state = stacks::describe(&session.clients, &stack.id).await.into_result()?;
        deploy::holder(&session.clients, &state).await
    };
    match read.await {
        Ok(words) => Ok(words),
        Err(failure) if failure.kind() == Some(RefusalKind::Expired) => {
            Err(super::acts::stop(&format!("read stack {}", stack.name), &failure))
        }
        Err(failure) => Ok(format!("{}; who holds it could not be read: {failure}", stack.status)),
    }
}

/// Credentials that end before the run can.
async fn credential_life(session: &Session) -> Result<Option<String>, Failure> {
    let expires = session.clients.credentials_expire_at_ms().await;
    let expires = expires.map_err(|failure| super::acts::stop("read credentials", &failure))?;
    Ok(expires.and_then(|at_ms| checks::credential_life(&session.plan, at_ms - now_ms())))
}
