//! `assay plan` and `assay schema`.

use super::args::{PlanArgs, PlanFormat};
use super::print;
use crate::cost::{self, Estimate, Prices};
use crate::exit::{Exit, Failure};
use crate::launch;
use crate::plan::{self, Options, Plan, StackPlan, behind_queue};
use crate::protocol::{self, Loaded, Protocol};
use serde::Serialize;
use std::collections::BTreeMap;

/// Prints the resolved plan.
pub(super) fn plan(args: &PlanArgs) -> Result<Exit, Failure> {
    let loaded = protocol::load(&args.selection.protocol)?;
    let options = Options {
        profile: args.timing.clone(),
        only_variants: args.selection.variants.clone(),
        artifact: launch::last_built()?,
    };
    let plan = plan::resolve(&loaded, &options)?;
    deployable(&loaded, &plan)?;
    let estimate = cost::estimate(&plan, &Prices::bundled()?);
    print(&match args.format {
        PlanFormat::Human => human(&loaded, &plan, estimate.as_ref()),
        PlanFormat::Json => json(&plan, estimate)?,
    });
    Ok(Exit::Ok)
}

/// What Lambda would refuse or cut off, as far as the templates and the plan's literal parameters tell.
fn deployable(loaded: &Loaded, plan: &Plan) -> Result<(), Failure> {
    let of = |stack: &StackPlan| {
        let known: BTreeMap<_, _> = stack.literals().map(|(key, text)| (key.to_owned(), text.to_owned())).collect();
        let template = loaded.templates.get(&stack.component);
        template.map_or_else(Vec::new, |t| behind_queue::findings(&stack.component, t.document.value(), &known))
    };
    let findings: Vec<_> = plan.stacks.iter().flat_map(of).collect();
    if findings.is_empty() {
        return Ok(());
    }
    Err(Failure::Usage(format!("the templates would be refused:\n  {}", findings.join("\n  "))))
}

/// The plan, what it can cost, and what CloudFormation makes of the templates' unquoted scalars.
fn human(loaded: &Loaded, plan: &Plan, estimate: Option<&Estimate>) -> String {
    let mut text = plan::human(plan);
    if let Some(estimate) = estimate {
        text.push_str(&format!("\n{estimate}"));
        text.extend(estimate.over().map(|why| format!("warning: {why}\n")));
    }
    for (component, template) in &loaded.templates {
        let layers = plan::default_layers::warnings(component, template.document.value());
        text.extend(layers.iter().map(|warning| format!("warning: {warning}\n")));
        let notes = plan::yaml_notes::notes(&template.document);
        text.extend(notes.iter().map(|note| format!("warning: {}:{note}\n", template.named)));
    }
    text
}

fn json(plan: &Plan, estimate: Option<Estimate>) -> Result<String, Failure> {
    #[derive(Serialize)]
    struct Printed<'a> {
        digest: String,
        plan: &'a Plan,
        estimate: Option<Estimate>,
    }
    let digest = plan.digest().map_err(|e| Failure::Internal(e.to_string()))?.to_string();
    pretty(&Printed { digest, plan, estimate })
}

/// Prints the JSON Schema of protocols.
pub(super) fn schema() -> Result<Exit, Failure> {
    print(&pretty(&schemars::schema_for!(Protocol))?);
    Ok(Exit::Ok)
}

/// Indented JSON and a newline.
pub(super) fn pretty(value: &impl Serialize) -> Result<String, Failure> {
    serde_json::to_string_pretty(value).map(|text| text + "\n").map_err(|e| Failure::Internal(e.to_string()))
}
