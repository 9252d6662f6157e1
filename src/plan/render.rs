//! A plan as a person reads it, made for 80 columns; only an artifact's key is longer.

use super::model::{Plan, Value};
use crate::text::{COLUMNS, wrap};
use std::fmt::Write as _;

/// The whole plan as text.
#[must_use]
pub fn human(plan: &Plan) -> String {
    let mut out = String::new();
    head(&mut out, plan);
    stacks(&mut out, plan);
    trials(&mut out, plan);
    layers(&mut out, plan);
    waits(&mut out, plan);
    out
}

/// Writing to a `String` cannot fail.
macro_rules! line {
    ($out:expr) => { $out.push('\n') };
    ($out:expr, $($arg:tt)*) => { let _ = writeln!($out, $($arg)*); };
}

fn head(out: &mut String, plan: &Plan) {
    line!(out, "{}: {}", plan.study, plan.title);
    line!(out, "  timing    {}", plan.profile);
    line!(out, "  digest    {}", plan.digest().map(|d| d.to_string()).unwrap_or_default());
    line!(out, "  protocol  {}", plan.protocol_sha256);
    match &plan.artifact {
        Some(artifact) => {
            line!(out, "  artifact  {}\n            {} bytes", artifact.sha256, artifact.size);
        }
        None => {
            line!(out, "  artifact  not built yet; `assay run` and `assay rehearse` build it");
        }
    }
    if let Some(promise) = plan.trials.first().and_then(|trial| trial.configuration.provider_promise) {
        line!(out, "  provider  {}", word(&promise));
    }
    line!(out, "  ceiling   USD {}", plan.cost_ceiling_usd);
}

fn stacks(out: &mut String, plan: &Plan) {
    line!(out);
    line!(out, "stacks ({{run}}, {{account}} and {{expires}} are filled in by each run)");
    for stack in &plan.stacks {
        line!(out, "  {}  {} bytes", stack.name, stack.template_bytes);
        line!(out, "    sha256 {}", stack.template_sha256);
        if !stack.after.is_empty() {
            line!(out, "    after {}", stack.after.join(", "));
        }
        if !stack.capabilities.is_empty() {
            line!(out, "    needs {}", stack.capabilities.join(", "));
        }
        for (key, value) in &stack.parameters {
            match value {
                Value::Literal(text) => {
                    line!(out, "    {key} = {text}");
                }
                Value::Output { component, output } => {
                    line!(out, "    {key} = output {output} of {component}");
                }
            }
        }
    }
    line!(out);
    line!(out, "tags");
    for (key, value) in plan.stacks.first().map(|s| &s.tags).into_iter().flatten() {
        let each = plan.stacks.iter().any(|s| s.tags.get(key) != Some(value));
        line!(out, "  {key} = {}", if each { "(each stack's own)" } else { value });
    }
}

fn trials(out: &mut String, plan: &Plan) {
    line!(out);
    line!(out, "trials, with the predicted verdict and number of refunds");
    for trial in &plan.trials {
        let predicted =
            if trial.stage == "canonical" { plan.prediction_for(&trial.variant, trial.scenario) } else { None };
        let predicted = predicted.map(|p| {
            let fails: String = p.fails.iter().map(|rule| format!(" {rule}")).collect();
            format!("{}{fails}, {}", word(&p.verdict), p.transactions)
        });
        let scenario = word(&trial.scenario);
        let text =
            format!("  {:<23}  {:<12}  {:<19}  {}", trial.id, trial.variant, scenario, predicted.unwrap_or_default());
        line!(out, "{}", text.trim_end());
    }
}

/// An enum's name as it stands in JSON.
fn word(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
}

fn layers(out: &mut String, plan: &Plan) {
    line!(out);
    line!(out, "layers that may repeat the provider call");
    for variant in &plan.variants {
        let layers: Vec<_> = variant.retry_layers.iter().map(|l| format!("{} {}", l.attempts, l.layer)).collect();
        let calls = if variant.most_calls == 1 { "call" } else { "calls" };
        let text = format!("  {:<13} at most {} {calls}: {}", variant.slug, variant.most_calls, layers.join(" × "));
        line!(out, "{}", wrap(&text, COLUMNS, 16));
    }
}

fn waits(out: &mut String, plan: &Plan) {
    line!(out);
    line!(out, "mandated waits");
    for wait in &plan.waits {
        line!(out, "  {:>7}  {:<23}  {}", seconds(wait.ms), wait.of, wait.what);
    }
    line!(out, "  {:>7}  floor of the run's duration", seconds(plan.floor_ms));
}

fn seconds(ms: u64) -> String {
    format!("{}.{} s", ms / 1000, ms % 1000 / 100)
}
