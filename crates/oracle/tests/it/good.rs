//! The reference table of the study: what a good run is judged as.

use crate::builder;
use crate::support::{judge, rule};
use evidence::trial::TrialEvidence;
use evidence::verdict::{TrialVerdict, Verdict};

fn valid(evidence: &TrialEvidence) -> TrialVerdict {
    let verdict = judge(evidence);
    assert_eq!(verdict.missing, Vec::<String>::new(), "{}", evidence.trial.id);
    assert_eq!(verdict.invalid_reasons, Vec::<String>::new(), "{}", evidence.trial.id);
    assert!(verdict.valid);
    let order: Vec<_> = verdict.rules.iter().map(|rule| rule.rule.as_str()).collect();
    assert_eq!(order, ["M1", "M2", "M3", "N1", "T", "C"]);
    for one in &verdict.rules {
        assert!(!one.decisive.is_empty() || one.rule == "T", "{} cites nothing", one.rule);
    }
    verdict
}

#[test]
fn controls_pass_with_one_transaction() {
    for evidence in [builder::conventional_control(), builder::durable_control()] {
        let verdict = valid(&evidence);
        assert_eq!(verdict.verdict, Verdict::Pass);
        assert_eq!(verdict.transactions.len(), 1);
        assert_eq!(verdict.processing.as_deref(), Some("SUCCEEDED"));
        assert!(verdict.correct_completion);
    }
}

#[test]
fn the_treatment_gives_two_transactions_and_fails_the_monetary_rules() {
    for evidence in [builder::conventional_timeout(), builder::durable_timeout()] {
        let verdict = valid(&evidence);
        assert_eq!(verdict.verdict, Verdict::Fail);
        for name in ["M1", "M2", "M3"] {
            assert_eq!(rule(&verdict, name).verdict, Verdict::Fail, "{name}");
        }
        assert_eq!(rule(&verdict, "N1").verdict, Verdict::Pass);
        assert_eq!(verdict.transactions.len(), 2);
        assert_eq!(verdict.processing.as_deref(), Some("SUCCEEDED"));
        assert!(!verdict.correct_completion);
        let reason = &rule(&verdict, "M1").reason;
        assert!(verdict.transactions.iter().all(|one| reason.contains(&one.transaction_id)), "{reason}");
    }
}

#[test]
fn an_idempotent_provider_keeps_the_rule_under_the_treatment() {
    for evidence in [builder::conventional_idempotent(), builder::durable_idempotent()] {
        let verdict = valid(&evidence);
        assert_eq!(verdict.verdict, Verdict::Pass);
        assert_eq!(verdict.transactions.len(), 1);
        assert_eq!(verdict.processing.as_deref(), Some("SUCCEEDED"));
        assert!(verdict.correct_completion);
        let text = oracle::explain::explain(&verdict, Some(&evidence));
        assert!(text.contains("answered_from_commit delivery"), "{text}");
    }
}

#[test]
fn the_probe_proves_the_mechanism_with_one_effect() {
    let verdict = valid(&builder::probe());
    assert_eq!(verdict.verdict, Verdict::Pass);
    assert_eq!(verdict.processing.as_deref(), Some("FAILED"));
    assert!(!verdict.correct_completion);
}

#[test]
fn citations_point_at_what_they_say() {
    let evidence = builder::conventional_timeout();
    let value = serde_json::to_value(&evidence).unwrap();
    let verdict = judge(&evidence);
    for cite in verdict.rules.iter().flat_map(|rule| &rule.decisive) {
        assert!(value.pointer(&cite.pointer).is_some(), "{} leads nowhere", cite.pointer);
        assert_eq!(cite.artifact, "trials/canonical-3.json");
        assert_eq!(cite.sha256.len(), 64);
    }
    let first = &rule(&verdict, "M1").decisive[0];
    assert!(value.pointer(&first.pointer).unwrap().get("transaction_id").is_some());
}

#[test]
fn the_timeline_merges_all_sources_in_time() {
    let evidence = builder::durable_timeout();
    let moments = oracle::explain::timeline(&evidence);
    assert!(moments.is_sorted_by_key(|moment| moment.at_ms));
    for source in ["harness", "caller", "provider", "controller", "durable", "queue"] {
        assert!(moments.iter().any(|moment| moment.source == source), "{source}");
    }
    let text = oracle::explain::explain(&judge(&evidence), Some(&evidence));
    for line in [
        "06:16:50.248  caller      dispatch_started delivery 1 attempt 1, deadline 3000 ms",
        "06:16:53.384  durable     StepFailed refund-attempt, next in 60 s (version 1, event 3)",
        "refunded 100.00 BRL",
        "M1 fail: refund ref-poc-001 has 2 success transactions",
    ] {
        assert!(text.contains(line), "{line}\nnot in\n{text}");
    }
}
