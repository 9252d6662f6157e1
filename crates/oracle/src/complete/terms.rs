//! The terms of judgement and the planned configuration must make sense and agree with each other.

use crate::findings::Findings;
use crate::story::Story;
use evidence::trial::Configuration;

/// Fewer equal observations than this show no stability.
const FEWEST_STABLE: u32 = 2;

pub(super) fn check(story: &Story<'_>, findings: &mut Findings) {
    amounts(story, findings);
    let terms = &story.evidence.terms;
    findings.require(terms.stable_observations >= FEWEST_STABLE, || {
        let what = format!("terms: {} equal observations show no stability", terms.stable_observations);
        ("/terms/stable_observations".to_owned(), what)
    });
    findings.require(terms.clock_tolerance_ms < terms.deadline_ms, || {
        let what = "terms: a clock tolerance as long as the deadline proves no order".to_owned();
        ("/terms/clock_tolerance_ms".to_owned(), what)
    });
    configuration(story, findings);
}

fn amounts(story: &Story<'_>, findings: &mut Findings) {
    let terms = &story.evidence.terms;
    let mut sum = 0_i128;
    for (index, effect) in terms.authorised.iter().enumerate() {
        sum += i128::from(effect.amount_minor);
        let sane = effect.amount_minor > 0 && effect.currency == terms.currency && !effect.refund_request_id.is_empty();
        findings.require(sane, || {
            let what = format!("terms: authorised effect {} is no positive amount in {}", index + 1, terms.currency);
            (format!("/terms/authorised/{index}"), what)
        });
    }
    findings.require(terms.captured_minor > 0 && sum <= i128::from(terms.captured_minor), || {
        let what = format!("terms: {sum} authorised, but {} captured", terms.captured_minor);
        ("/terms/captured_minor".to_owned(), what)
    });
    findings.require(is_currency(&terms.currency), || {
        ("/terms/currency".to_owned(), format!("terms: {:?} is no currency code", terms.currency))
    });
}

fn configuration(story: &Story<'_>, findings: &mut Findings) {
    let trial = &story.evidence.trial;
    let planned = &story.evidence.configuration.planned;
    let mut require = |holds: bool, field: &str, what: &str| {
        if !holds {
            findings.add(format!("/configuration/planned/{field}"), format!("configuration: {what}"));
        }
    };
    require(is_digest(&planned.artifact_sha256), "artifact_sha256", "the planned artifact digest is no SHA-256");
    require(
        planned.deadline_ms == story.evidence.terms.deadline_ms,
        "deadline_ms",
        "the planned deadline is not that of the terms",
    );
    require(
        !trial.queued || planned.visibility_timeout_s.is_some(),
        "visibility_timeout_s",
        "no visibility timeout is planned",
    );
    require(
        !trial.queued || planned.max_receive_count.is_some(),
        "max_receive_count",
        "no limit of deliveries is planned",
    );
    require(
        !trial.queued || planned.batch_size == Some(1),
        "batch_size",
        "the batch size is not 1, so deliveries mix trials",
    );
    for (field, planned) in durable_settings(planned) {
        require(!trial.durable || planned.is_some(), field, "a setting of the durable execution is not planned");
    }
}

fn durable_settings(planned: &Configuration) -> [(&'static str, Option<u32>); 3] {
    [
        ("step_attempts", planned.step_attempts),
        ("step_delay_s", planned.step_delay_s),
        ("execution_timeout_s", planned.execution_timeout_s),
    ]
}

/// ISO 4217: three capital letters.
pub(super) fn is_currency(text: &str) -> bool {
    text.len() == 3 && text.bytes().all(|byte| byte.is_ascii_uppercase())
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}
