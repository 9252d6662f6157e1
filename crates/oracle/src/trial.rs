//! Judgement of one trial.

use crate::limits::beyond;
use crate::outcome::{Artifact, Outcome};
use crate::story::Story;
use crate::{complete, rules, treatment};
use evidence::record::FinishReason;
use evidence::trial::TrialEvidence;
use evidence::verdict::{CountedTransaction, RuleResult, TrialVerdict, Verdict};

/// Rules in the order of the verdict file.
pub const RULES: [&str; 6] = ["M1", "M2", "M3", "N1", "T", "C"];

/// Where the package says that the trial stands.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// Trial id as planned.
    pub id: &'a str,
    /// Position in the stage, from 1.
    pub number: usize,
    /// Stage of the package.
    pub stage: &'a str,
}

/// Judges the bytes of `trials/<id>.json`. Bytes that cannot be read as a trial are missing proof, not an error.
#[must_use]
pub fn judge_bytes(artifact: Artifact<'_>, bytes: &[u8], place: Place<'_>) -> TrialVerdict {
    let why = match parse(bytes) {
        Ok(evidence) => match beyond(&evidence) {
            None => return judge(artifact, &evidence, place),
            Some(why) => why,
        },
        Err(why) => format!("not readable as a trial: {why}"),
    };
    unread(artifact, place, &format!("{}: {why}", artifact.path))
}

/// Validates the whole text at once, which is several times faster than string by string.
fn parse(bytes: &[u8]) -> Result<TrialEvidence, String> {
    let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// Judges a trial's evidence.
#[must_use]
pub fn judge(artifact: Artifact<'_>, evidence: &TrialEvidence, place: Place<'_>) -> TrialVerdict {
    let story = Story::of(evidence);
    let mut findings = complete::check(&story);
    placed(evidence, place, &mut findings);
    let complete = findings.is_empty();
    let (treatment, invalid_reasons) = treatment::check(&story, complete);
    let valid = treatment.verdict == Verdict::Pass;
    let missing = findings.names();
    let completeness = completeness(&findings, &missing);
    let invariant = [rules::m1(&story), rules::m2(&story), rules::m3(&story), rules::n1(&story)]
        .map(|outcome| if complete { outcome } else { outcome.unproven(&summary(&missing)) });
    let joined = Verdict::join_all(invariant.iter().map(|outcome| outcome.verdict));
    let verdict = if valid && complete { joined } else { Verdict::Indeterminate };
    let read = if complete { None } else { serde_json::to_value(evidence).ok() };
    let outcomes =
        invariant.into_iter().chain([treatment, completeness]).map(|outcome| grounded(outcome, read.as_ref()));
    let processing = story.processing();
    TrialVerdict {
        trial: evidence.trial.id.clone(),
        number: evidence.trial.number,
        variant: evidence.trial.variant.clone(),
        scenario: Some(evidence.trial.scenario),
        valid,
        invalid_reasons,
        verdict,
        rules: RULES.into_iter().zip(outcomes).map(|(rule, outcome)| artifact.result(rule, outcome)).collect(),
        transactions: counted(&story),
        processing: processing.map(|reason| words(reason).to_owned()),
        correct_completion: verdict == Verdict::Pass && processing == Some(FinishReason::Succeeded),
        missing,
    }
}

/// Cites what is there: of a section that was not read, the section itself instead of its inside.
fn grounded(outcome: Outcome, evidence: Option<&serde_json::Value>) -> Outcome {
    let Some(evidence) = evidence else { return outcome };
    let there = |mut place: String| {
        while evidence.pointer(&place).is_none() {
            place.truncate(place.rfind('/').unwrap_or(0));
        }
        place
    };
    let mut places: Vec<String> = outcome.places.into_iter().map(there).collect();
    places.dedup();
    Outcome { places, ..outcome }
}

/// The file must be the trial that the stage planned at this place.
fn placed(evidence: &TrialEvidence, place: Place<'_>, findings: &mut crate::findings::Findings) {
    let trial = &evidence.trial;
    let mut require = |holds: bool, field: &str, planned: &dyn std::fmt::Display| {
        if !holds {
            findings.add(format!("/trial/{field}"), format!("trial: {field} is not the stage's {planned}"));
        }
    };
    require(trial.id == place.id, "id", &place.id);
    require(usize::try_from(trial.number) == Ok(place.number), "number", &place.number);
    require(trial.stage == place.stage, "stage", &place.stage);
}

fn completeness(findings: &crate::findings::Findings, missing: &[String]) -> Outcome {
    /// Enough to see what is wrong; `missing` names the rest.
    const CITED: usize = 16;
    if findings.is_empty() {
        let places = ["/caller_journal", "/provider_journal", "/controller_journal", "/ledger", "/quiescent_at_ms"];
        let reason = "every section was read to its end, at rest, and the sections agree";
        return Outcome::pass(reason, places.map(str::to_owned).to_vec());
    }
    let places = findings.iter().take(CITED).map(|finding| finding.pointer.clone()).collect();
    Outcome::indeterminate(summary(missing), places)
}

/// The first missing item, and how many more there are.
fn summary(missing: &[String]) -> String {
    match missing {
        [] => "evidence is incomplete".to_owned(),
        [only] => only.clone(),
        [first, rest @ ..] => format!("{first} (and {} more)", rest.len()),
    }
}

fn counted(story: &Story<'_>) -> Vec<CountedTransaction> {
    let successes = story.successes().map(|(_, one)| CountedTransaction {
        transaction_id: one.transaction_id.clone(),
        amount_minor: one.amount_minor,
        currency: one.currency.clone(),
    });
    successes.collect()
}

fn words(reason: FinishReason) -> &'static str {
    match reason {
        FinishReason::Succeeded => "SUCCEEDED",
        FinishReason::Failed => "FAILED",
    }
}

/// Verdict on a planned trial whose evidence could not be read.
#[must_use]
pub fn unread(artifact: Artifact<'_>, place: Place<'_>, why: &str) -> TrialVerdict {
    let rule = |rule: &str| RuleResult {
        rule: rule.to_owned(),
        verdict: Verdict::Indeterminate,
        reason: format!("not proven: {why}"),
        // Without bytes there is nothing to cite.
        decisive: if artifact.sha256.is_empty() { Vec::new() } else { vec![artifact.cite(String::new())] },
    };
    TrialVerdict {
        trial: place.id.to_owned(),
        number: u32::try_from(place.number).unwrap_or(u32::MAX),
        variant: String::new(),
        scenario: None,
        valid: false,
        invalid_reasons: vec![format!("not proven: {why}")],
        verdict: Verdict::Indeterminate,
        rules: RULES.map(rule).to_vec(),
        transactions: Vec::new(),
        processing: None,
        correct_completion: false,
        missing: vec![why.to_owned()],
    }
}
