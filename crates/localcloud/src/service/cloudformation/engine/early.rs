//! Validation before the deployment (User Guide, Validate stack deployments): property syntax and name conflicts.

use super::super::event::What;
use super::super::plan::{Prospect, UNKNOWN, present, prospects};
use super::super::record::Tags;
use super::super::resource::{self, Kind};
use super::super::schema::Refusal;
use super::super::template::Inputs;
use super::{Run, resource::work};
use serde_json::{Map, Value};

/// Something that validation found.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    logical_id: String,
    kind: Kind,
    check: Check,
    path: String,
    reason: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Check {
    Property,
    NameConflict,
}

/// All findings; none when the deployment may go on. What cannot be evaluated is left to the deployment.
pub(crate) async fn findings(run: &Run, inputs: &Inputs) -> Vec<Finding> {
    let exports = run.cloud.with(run.region(), |state| state.cloudformation.exports());
    let mut findings = Vec::new();
    for prospect in prospects(inputs, &exports).unwrap_or_default() {
        match &prospect.properties {
            Err(refusal) => findings.extend(property_findings(&prospect, refusal)),
            Ok(properties) => findings.extend(conflict(run, &prospect, properties).await),
        }
    }
    findings
}

fn property_findings(prospect: &Prospect, refusal: &Refusal) -> Vec<Finding> {
    // What is merely not emulated fails loudly at the resource.
    let Refusal::Invalid(problems) = refusal else { return Vec::new() };
    let finding = |path: &str, reason: String| Finding {
        logical_id: prospect.logical_id.clone(),
        kind: prospect.kind,
        check: Check::Property,
        path: format!("/Resources/{}/Properties{path}", prospect.logical_id),
        reason,
    };
    problems.iter().map(|problem| finding(&problem.path, format!("#{}: {}", problem.path, problem.message))).collect()
}

async fn conflict(run: &Run, prospect: &Prospect, properties: &Map<String, Value>) -> Option<Finding> {
    let (property, _, _) = prospect.kind.name_property()?;
    let name = properties.get(property)?.as_str().filter(|name| !name.contains(UNKNOWN))?;
    if run.with(|stack| present(&stack.resources, &prospect.logical_id).is_some()) {
        return None;
    }
    let work = work(run, &prospect.logical_id, prospect.kind, properties, &Tags::new());
    if !resource::exists(prospect.kind, &work, name).await {
        return None;
    }
    let kind = prospect.kind.name();
    Some(Finding {
        logical_id: prospect.logical_id.clone(),
        kind: prospect.kind,
        check: Check::NameConflict,
        path: format!("/Resources/{}/Properties/{property}", prospect.logical_id),
        reason: format!("Resource of type '{kind}' with identifier '{name}' already exists."),
    })
}

/// Why the operation stops.
pub(crate) fn reason(findings: &[Finding]) -> Option<String> {
    let check = findings.first()?.check;
    let name = match check {
        Check::Property => "AWS::EarlyValidation::PropertyValidation",
        Check::NameConflict => "AWS::EarlyValidation::ResourceExistenceCheck",
    };
    Some(format!(
        "The following hook(s)/validation failed: [{name}]. To troubleshoot Early Validation errors, use the \
         DescribeEvents API for detailed failure information."
    ))
}

/// Tells the findings as events.
pub(crate) fn report(run: &Run, findings: Vec<Finding>) {
    for finding in findings {
        let name = match finding.check {
            Check::Property => "PROPERTY_VALIDATION",
            Check::NameConflict => "NAME_CONFLICT_VALIDATION",
        };
        let what = What::Validation { name, path: finding.path, reason: finding.reason };
        run.finding(&finding.logical_id, finding.kind.name(), what);
    }
}
