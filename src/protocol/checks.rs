//! What a protocol must keep beyond its shape. Pure: findings in, findings out.

use super::model::{Protocol, Strategy, Variant, VariantTiming};
use crate::plan::names;
use crate::text::word;
use std::collections::BTreeSet;
use yaml::{Diagnostic, Document};

/// Lambda allows 900 s behind an event source mapping (Lambda developer guide, durable functions with ESMs).
const MAX_EXECUTION_BEHIND_QUEUE_S: u32 = 900;

/// Scalars whose YAML reading would differ from what the writer meant.
pub(super) fn scalars(document: &Document) -> Vec<Diagnostic> {
    document
        .scalars()
        .filter(|(pointer, scalar)| pointer.starts_with("/target/allowed_accounts/") && scalar.plain)
        .map(|(pointer, scalar)| unquoted_account(document, pointer, &scalar.text))
        .collect()
}

fn unquoted_account(document: &Document, pointer: &str, text: &str) -> Diagnostic {
    let octal = i64::from_str_radix(text.trim_start_matches("0o"), 8).ok().filter(|_| text.starts_with('0'));
    let readings = match (octal, text.parse::<i64>()) {
        (Some(octal), Ok(decimal)) => format!("it would be read as {octal} (octal) or {decimal} (leading zero lost)"),
        (None, Ok(decimal)) => format!("it would be read as the number {decimal}"),
        _ => "it would not be read as text everywhere".to_owned(),
    };
    document
        .at(pointer, format!("account id {text} is not quoted: {readings}"))
        .with_help(format!("quote it: \"{text}\""))
}

/// Everything that spans several fields.
pub(super) fn protocol(document: &Document, protocol: &Protocol) -> Vec<Diagnostic> {
    let mut findings = Vec::new();
    names_and_money(document, protocol, &mut findings);
    accounts(document, protocol, &mut findings);
    variants(document, protocol, &mut findings);
    timing(document, protocol, &mut findings);
    trials(document, protocol, &mut findings);
    predictions(document, protocol, &mut findings);
    findings
}

fn names_and_money(document: &Document, protocol: &Protocol, findings: &mut Vec<Diagnostic>) {
    if protocol.study.is_empty() || names::slug(&protocol.study).as_deref() != Some(protocol.study.as_str()) {
        findings.push(document.at("/study", "a study's name has lower-case letters, digits and `-` only, at most 30"));
    }
    let business = &protocol.business;
    if business.currency.len() != 3 || !business.currency.bytes().all(|b| b.is_ascii_uppercase()) {
        findings.push(document.at("/business/currency", "a currency is an ISO 4217 code of three capitals"));
    }
    if business.refund_minor <= 0 || business.refund_minor > business.captured_minor {
        let message = "an approved refund is above zero and at most the captured amount";
        findings.push(document.at("/business/refund_minor", message));
    }
    if !is_usd(&protocol.limits.cost_ceiling_usd) {
        findings.push(document.at("/limits/cost_ceiling_usd", "write the ceiling as dollars and cents, like \"5.00\""));
    }
    if protocol.limits.page_cap == 0 {
        findings.push(document.at("/limits/page_cap", "with no page allowed nothing can be read"));
    }
}

fn is_usd(text: &str) -> bool {
    let Some((whole, cents)) = text.split_once('.') else { return false };
    !whole.is_empty()
        && cents.len() == 2
        && whole.len() <= 9
        && [whole, cents].iter().all(|p| p.bytes().all(|b| b.is_ascii_digit()))
}

fn accounts(document: &Document, protocol: &Protocol, findings: &mut Vec<Diagnostic>) {
    for (i, account) in protocol.target.allowed_accounts.iter().enumerate() {
        if account.len() != 12 || !account.bytes().all(|b| b.is_ascii_digit()) {
            let message = format!("an account id has 12 digits, this has {}", account.chars().count());
            findings.push(document.at(&format!("/target/allowed_accounts/{i}"), message));
        }
    }
}

fn variants(document: &Document, protocol: &Protocol, findings: &mut Vec<Diagnostic>) {
    if protocol.variants.is_empty() {
        findings.push(document.at("/variants", "a study needs at least one variant"));
    }
    let mut seen = BTreeSet::new();
    for (i, variant) in protocol.variants.iter().enumerate() {
        let place = format!("/variants/{i}");
        match names::slug(&variant.name) {
            None => findings.push(
                document
                    .at(&format!("{place}/name"), "a variant's name has letters, digits, `-` and `_` only, at most 20"),
            ),
            Some(slug) if ["artifacts", "provider", "probe"].contains(&slug.as_str()) => {
                findings
                    .push(document.at(&format!("{place}/name"), format!("`{slug}` names a shared part of the study")));
            }
            Some(slug) if !seen.insert(slug.clone()) => {
                findings.push(
                    document.at(
                        &format!("{place}/name"),
                        format!("variant `{}` is named twice (as `{slug}`)", variant.name),
                    ),
                );
            }
            Some(_) => {}
        }
        retries(document, &place, variant, findings);
    }
}

fn retries(document: &Document, place: &str, variant: &Variant, findings: &mut Vec<Diagnostic>) {
    if variant.max_receive_count == 0 {
        findings.push(document.at(&format!("{place}/max_receive_count"), "a message is delivered at least once"));
    }
    if variant.sdk_attempts != 1 {
        let message = "the provider client switches SDK retries off, so that the architecture owns the only retry; left alone, the SDK makes three attempts";
        findings.push(document.at(&format!("{place}/sdk_attempts"), message).with_help("write 1"));
    }
    match (variant.strategy, variant.step_attempts) {
        (Strategy::DurableStep, None) => {
            let message = "a durable step needs `step_attempts`: left out, the SDK's default of six attempts with jitter would apply";
            findings.push(document.at(place, message));
        }
        (Strategy::DurableStep, Some(0)) => {
            findings.push(document.at(&format!("{place}/step_attempts"), "a step is attempted at least once"));
        }
        (Strategy::QueueRedelivery, Some(_)) => {
            findings.push(document.at_key(&format!("{place}/step_attempts"), "only a durable step has attempts"));
        }
        _ => {}
    }
}

fn timing(document: &Document, protocol: &Protocol, findings: &mut Vec<Diagnostic>) {
    if protocol.timing.is_empty() {
        findings.push(document.at("/timing", "a study needs at least one timing profile"));
    }
    for (profile, timing) in &protocol.timing {
        let place = format!("/timing/{}", escape(profile));
        if timing.hold_limit_ms <= timing.deadline_ms {
            let message =
                "the provider must hold its answer longer than the caller's deadline, or no timeout can occur";
            findings.push(document.at(&format!("{place}/hold_limit_ms"), message));
        }
        if timing.hold_limit_ms >= timing.provider_timeout_s.saturating_mul(1000) {
            findings.push(
                document.at(
                    &format!("{place}/hold_limit_ms"),
                    "the provider's function would time out before the hold ends",
                ),
            );
        }
        if timing.observations.count < 2 {
            findings.push(
                document.at(
                    &format!("{place}/observations/count"),
                    "one observation cannot show that attributes are stable",
                ),
            );
        }
        for (name, of) in &timing.variants {
            let place = format!("{place}/variants/{}", escape(name));
            match protocol.variants.iter().find(|v| &v.name == name) {
                None => findings.push(document.at_key(&place, format!("timing for an unknown variant `{name}`"))),
                Some(variant) => variant_timing(document, &place, variant, of, timing.deadline_ms, findings),
            }
        }
        for variant in protocol.variants.iter().filter(|v| !timing.variants.contains_key(&v.name)) {
            findings
                .push(document.at(&format!("{place}/variants"), format!("no timing for variant `{}`", variant.name)));
        }
    }
}

fn variant_timing(
    document: &Document,
    place: &str,
    variant: &Variant,
    of: &VariantTiming,
    deadline_ms: u32,
    findings: &mut Vec<Diagnostic>,
) {
    if of.visibility_timeout_s < of.function_timeout_s {
        let message = format!(
            "visibility timeout of {} s is shorter than the function timeout of {} s; Lambda refuses such a mapping",
            of.visibility_timeout_s, of.function_timeout_s
        );
        findings.push(document.at(&format!("{place}/visibility_timeout_s"), message));
    }
    if of.function_timeout_s.saturating_mul(1000) <= deadline_ms {
        let message = "the function must outlive the caller's deadline to record the timeout";
        findings.push(document.at(&format!("{place}/function_timeout_s"), message));
    }
    let durable = [
        ("step_delay_s", of.step_delay_s),
        ("execution_timeout_s", of.execution_timeout_s),
        ("retention_days", of.retention_days),
    ];
    for (field, value) in durable {
        match (variant.strategy, value) {
            (Strategy::DurableStep, None) => {
                findings.push(document.at(place, format!("variant `{}` needs `{field}`", variant.name)));
            }
            (Strategy::DurableStep, Some(0)) => findings.push(document.at(&format!("{place}/{field}"), "at least 1")),
            (Strategy::QueueRedelivery, Some(_)) => {
                findings.push(document.at_key(&format!("{place}/{field}"), "only a durable variant has this"));
            }
            _ => {}
        }
    }
    execution_timeout(document, place, of, findings);
}

fn execution_timeout(document: &Document, place: &str, of: &VariantTiming, findings: &mut Vec<Diagnostic>) {
    let Some(execution) = of.execution_timeout_s else { return };
    let field = format!("{place}/execution_timeout_s");
    if execution > MAX_EXECUTION_BEHIND_QUEUE_S {
        let message = format!(
            "a durable execution behind a queue may last {MAX_EXECUTION_BEHIND_QUEUE_S} s at most, this is {execution} s"
        );
        findings.push(document.at(&field, message));
    }
    if execution >= of.visibility_timeout_s {
        let message =
            "the message would be visible again before the execution ends; the visibility timeout must be longer";
        findings.push(document.at(&field, message));
    }
}

fn trials(document: &Document, protocol: &Protocol, findings: &mut Vec<Diagnostic>) {
    if protocol.stages.canonical.is_empty() {
        findings.push(document.at("/stages/canonical", "a study without trials would prove nothing"));
    }
    for (i, trial) in protocol.stages.canonical.iter().enumerate() {
        if !protocol.variants.iter().any(|v| v.name == trial.variant) {
            let known: Vec<_> = protocol.variants.iter().map(|v| v.name.as_str()).collect();
            let message = format!("trial {} names an unknown variant `{}`", i + 1, trial.variant);
            findings.push(
                document
                    .at(&format!("/stages/canonical/{i}/variant"), message)
                    .with_help(format!("known: {}", known.join(", "))),
            );
        }
    }
}

fn predictions(document: &Document, protocol: &Protocol, findings: &mut Vec<Diagnostic>) {
    let run: BTreeSet<_> = protocol.stages.canonical.iter().map(|t| (t.variant.as_str(), t.scenario)).collect();
    let mut predicted = BTreeSet::new();
    for (i, prediction) in protocol.predictions.iter().enumerate() {
        let cell = (prediction.variant.as_str(), prediction.scenario);
        let place = format!("/predictions/{i}");
        if !run.contains(&cell) {
            findings.push(
                document.at(&place, format!("prediction for {} × {}, a cell that is not run", cell.0, word(&cell.1))),
            );
        } else if !predicted.insert(cell) {
            findings.push(document.at(&place, format!("second prediction for {} × {}", cell.0, word(&cell.1))));
        }
        for (j, rule) in prediction.fails.iter().enumerate() {
            if !["M1", "M2", "M3", "N1"].contains(&rule.as_str()) {
                findings.push(document.at(&format!("{place}/fails/{j}"), format!("no rule is called `{rule}`")));
            }
        }
    }
    for (variant, scenario) in run.difference(&predicted) {
        findings.push(document.at("/predictions", format!("no prediction for {variant} × {}", word(scenario))));
    }
}

fn escape(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
