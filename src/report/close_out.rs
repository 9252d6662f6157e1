//! `close-out.md`: what a reader can prove from a run's bytes, and what is only attested. Pure text.

use super::table::reference_table;
use crate::cost::{self, Figure};
use crate::judge::{Order, OrderGrade, Registered, Results};
use crate::plan::Plan;
use evidence::digest::Digest;
use evidence::stage::{Grade, Origin};
use evidence::verdict::{OracleId, Verdict};
use serde_json::Value;
use std::fmt::Write as _;

/// What the close-out rests on besides the results.
#[derive(Clone, Debug)]
pub struct Basis {
    /// Sealed packages with their identities, in order of sealing.
    pub packages: Vec<(String, Digest)>,
    /// Oracle that judged the canonical trials; absent if none did.
    pub oracle: Option<OracleId>,
    /// Registration that the run was started with.
    pub registered: Option<Registered>,
    /// How the order oracle before evidence is known.
    pub order: Order,
    /// Target of the run.
    pub origin: Origin,
    /// What billing said last, with the path of the sealed file; absent if it was not asked.
    pub billed: Option<(String, Figure)>,
}

/// The close-out as Markdown. The same results and basis give the same text.
#[must_use]
pub fn close_out(results: &Results, plan: &Plan, basis: &Basis) -> String {
    let mut out = format!("# Close-out of {}, run {}\n\n{}\n", results.study, results.run, plan.question.trim());
    let _ = writeln!(out, "\n```\n{}```", reference_table(&results.cells, None));
    let differing = results.cells.iter().filter(|cell| !cell.as_predicted);
    list(
        &mut out,
        differing.map(|cell| format!("trial {} is not as predicted: {}", cell.trial, cell.differences.join("; "))),
    );
    proven(&mut out, results, basis);
    attested(&mut out, results, basis);
    order(&mut out, basis);
    section(
        &mut out,
        "Excluded validations",
        results.excluded.iter().map(|excluded| format!("`{}`: {}", excluded.trial, excluded.reason)),
        "None was excluded.",
    );
    if !results.excluded.is_empty() && !plan.exclusion_criteria.is_empty() {
        let _ = writeln!(out, "\nCriteria, written before the run: {}", plan.exclusion_criteria.join("; "));
    }
    section(&mut out, "Deviations", results.deviations.iter().cloned(), "None was recorded.");
    limits(&mut out, results, plan);
    cleanup(&mut out, results, plan, basis);
    out
}

fn proven(out: &mut String, results: &Results, basis: &Basis) {
    out.push_str("\n## What a reader can prove from the bytes\n\n");
    out.push_str(
        "- Nothing that was sealed has changed since, and no package is missing before the last one: each names the \
         identities of those before it.\n",
    );
    for (name, identity) in &basis.packages {
        let _ = writeln!(out, "  - `{name}` `{identity}`");
    }
    let identities: Vec<Digest> = basis.packages.iter().map(|(_, identity)| *identity).collect();
    let _ = writeln!(out, "  - root `{}`", evidence::chain::root(&identities));
    let check = "  - `assay verify --expect-root ROOT PATH`, or in a package's folder: `jq -r '.files[] | \"\\(.sha256)  \\(.path)\"' index.json | shasum -a 256 -c --quiet -`";
    let _ = writeln!(out, "{check}");
    if let Some(oracle) = &basis.oracle {
        let _ = writeln!(
            out,
            "- The verdicts follow from the sealed bytes: `oracle judge packages/canonical` gives them again, byte for \
             byte, with oracle {} of sources `{}`.",
            oracle.version, oracle.source_sha256
        );
    }
    let cites: usize = results.cites.len() + results.cells.iter().map(|cell| cell.cites.len()).sum::<usize>();
    let _ = writeln!(
        out,
        "- Each value in `results.json` stands where it says: {cites} citations (file, JSON pointer, SHA-256), which \
         `assay verify` reads again."
    );
    for cell in &results.cells {
        let _ = writeln!(out, "- {}", decided(cell));
    }
    if results.cells.iter().any(|cell| cell.valid) {
        out.push_str(
            "- In each valid trial the treatment held, in the order that the records prove, and what was deployed is \
             what was planned (rules T and C).\n",
        );
    }
}

fn decided(cell: &crate::judge::Cell) -> String {
    let word = match cell.verdict {
        Verdict::Pass => "pass",
        Verdict::Fail => "fail",
        Verdict::Indeterminate => "indeterminate",
    };
    let weight = |wanted: Verdict| cell.rules.iter().filter(move |rule| rule.verdict == wanted);
    let reasons: Vec<_> = weight(cell.verdict).map(|rule| format!("{} {}", rule.rule, rule.reason)).collect();
    let mut text = format!("Trial {} ({}): {word}; {}", cell.trial, cell.id, reasons.join("; "));
    if !cell.valid {
        let _ = write!(text, "; not valid: {}", cell.invalid_reasons.join("; "));
    }
    if !cell.missing.is_empty() {
        let _ = write!(text, "; missing proof: {}", cell.missing.join("; "));
    }
    text
}

fn attested(out: &mut String, results: &Results, basis: &Basis) {
    out.push_str("\n## What is only attested\n\n");
    match results.grade {
        Grade::Canonical => out.push_str(
            "- That the sealed bytes are what AWS answered: AWS signs no answers, so a reader has the harness's word.\n",
        ),
        Grade::Rehearsal => {
            let endpoint = basis.origin.endpoint.as_deref().unwrap_or("another endpoint");
            let _ = writeln!(
                out,
                "- **This is a rehearsal.** The evidence comes from {endpoint}, not from AWS, and says nothing about \
                 AWS; it proves that the harness, the records and the oracle work."
            );
        }
    }
    out.push_str(
        "- Every time in the records: clocks of functions and of the harness, compared with each other within the \
         tolerance that the protocol states, and with nobody else's.\n\
         - That this run was not chosen among several: only a registration with a date from elsewhere speaks to that.\n\
         - That the run's last package is the last: the root says so only to a reader who has it from elsewhere.\n\
         - In a published copy, that the redacted bytes were made from the sealed ones; the digests of both are in \
         `redaction-manifest.json`.\n",
    );
}

fn order(out: &mut String, basis: &Basis) {
    let grade = match basis.order.grade {
        OrderGrade::Proven => "proven",
        OrderGrade::Attested => "attested",
        OrderGrade::Contradicted => "contradicted",
    };
    let _ = writeln!(out, "\n## Oracle before evidence: {grade}\n\n{}.", basis.order.reason);
    if let Some(registered) = &basis.registered {
        let _ = writeln!(out, "\nRegistration `{}`", registered.identity);
        list(out, registered.differences.iter().map(|difference| format!("differs: {difference}")));
    }
}

fn limits(out: &mut String, results: &Results, plan: &Plan) {
    let n = results.cells.len();
    let mut lines = vec![
        format!("{n} trials, one for each cell: what was observed once, not a rate."),
        "The treatment is forced: the provider holds its answer. How often a timeout meets a commit in real traffic is \
         another question."
            .to_owned(),
        format!("Stop rule, written before the run: {}", plan.stop_rule.trim()),
    ];
    match results.comparison.eligible {
        true => lines.push("The variants may be compared: nothing speaks against it.".to_owned()),
        false => lines.push(format!("The variants may not be compared: {}.", results.comparison.reasons.join("; "))),
    }
    if let Some(stopped) = &results.stopped {
        lines.push(format!("The run stopped early: {stopped}"));
    }
    section(out, "Limits", lines, "");
}

fn cleanup(out: &mut String, results: &Results, plan: &Plan, basis: &Basis) {
    let said = |report: &Value| report.get("summary").and_then(Value::as_str).unwrap_or("no report").to_owned();
    let lines = [
        format!("Teardown: {}", said(&results.teardown)),
        format!("Audit: {}", said(&results.audit)),
        format!("Billed cost: {} Ceiling: USD {}.", cost::billed(basis.billed.as_ref()), plan.cost_ceiling_usd),
    ];
    section(out, "Cleanup and cost", lines, "");
}

fn section(out: &mut String, title: &str, lines: impl IntoIterator<Item = String>, none: &str) {
    let _ = writeln!(out, "\n## {title}\n");
    let before = out.len();
    list(out, lines);
    if out.len() == before {
        let _ = writeln!(out, "{none}");
    }
}

fn list(out: &mut String, lines: impl IntoIterator<Item = String>) {
    for line in lines {
        let _ = writeln!(out, "- {}", line.replace('\n', " "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::judge::{Comparison, Excluded, SCHEMA};
    use serde_json::json;

    fn results(grade: Grade) -> Results {
        Results {
            schema: SCHEMA.to_owned(),
            run: "20261130t200102-3fa9".to_owned(),
            study: "study-1".to_owned(),
            grade,
            plan_digest: Digest::of(b"plan"),
            cells: Vec::new(),
            excluded: vec![Excluded {
                trial: "validate-durable-2".into(),
                reason: "not reproduced: predicted Fail, found Pass".into(),
            }],
            comparison: Comparison { eligible: false, reasons: vec!["no trial was judged".into()] },
            teardown: json!({"summary": "complete: 4 stacks deleted"}),
            audit: json!({}),
            cites: Vec::new(),
            deviations: vec!["late patch: plan digest".into()],
            stopped: Some("the probe\nfailed".into()),
        }
    }

    fn text(grade: Grade, order: Order) -> String {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("protocols/study-1.yaml");
        let loaded = crate::protocol::load(&path).expect("protocol");
        let options = crate::plan::Options { profile: "canonical".into(), only_variants: Vec::new(), artifact: None };
        let plan = crate::plan::resolve(&loaded, &options).expect("plan");
        let origin = Origin {
            endpoint_kind: "foreign".into(),
            endpoint: Some("http://127.0.0.1:1".into()),
            account: "000000000000".into(),
            region: "us-east-1".into(),
            partition: "aws".into(),
        };
        let packages = vec![("preflight".to_owned(), Digest::of(b"p"))];
        let basis = Basis { packages, oracle: None, registered: None, order, origin, billed: None };
        close_out(&results(grade), &plan, &basis)
    }

    #[test]
    fn a_rehearsal_says_so_and_nothing_is_left_out() {
        let text = text(Grade::Rehearsal, crate::judge::order(None, 1, &[]));
        for words in [
            "**This is a rehearsal.** The evidence comes from http://127.0.0.1:1",
            "## Oracle before evidence: attested",
            "`validate-durable-2`: not reproduced",
            "- late patch: plan digest",
            "The run stopped early: the probe failed",
            "Teardown: complete: 4 stacks deleted",
            "Audit: no report",
            "Billed cost: `unverified`",
            "may not be compared: no trial was judged",
        ] {
            assert!(text.contains(words), "{words:?} not in:\n{text}");
        }
    }

    #[test]
    fn canonical_evidence_is_attested_by_the_harness_not_called_a_rehearsal() {
        let order = Order { grade: OrderGrade::Contradicted, reason: "x".into() };
        let text = text(Grade::Canonical, order);
        assert!(text.contains("AWS signs no answers") && !text.contains("This is a rehearsal"), "{text}");
        assert!(text.contains("## Oracle before evidence: contradicted\n\nx."), "{text}");
    }
}
