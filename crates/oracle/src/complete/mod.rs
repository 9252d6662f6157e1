//! C: is the evidence of a trial complete and free of contradictions?
//!
//! The harness's own claim (an empty `gaps`) is not believed; everything is checked again. What is missing is named,
//! and then nothing is concluded from the rest.

mod agreement;
mod clock;
mod dispatch;
mod executions;
mod head;
mod history;
mod journals;
mod ledger;
mod pages;
mod queue;
mod records;
mod states;
mod terms;

use crate::findings::Findings;
use crate::story::Story;

/// Every defect of the trial's evidence, in the order of the file's sections.
pub(crate) fn check(story: &Story<'_>) -> Findings {
    let mut findings = Findings::default();
    for (index, gap) in story.evidence.gaps.iter().enumerate() {
        findings.add(format!("/gaps/{index}"), format!("gap: {} ({})", gap.item, gap.reason));
    }
    head::check(story, &mut findings);
    terms::check(story, &mut findings);
    dispatch::check(story, &mut findings);
    journals::check(story, &mut findings);
    records::check(story, &mut findings);
    states::check(story, &mut findings);
    ledger::check(story, &mut findings);
    agreement::check(story, &mut findings);
    queue::check(story, &mut findings);
    executions::check(story, &mut findings);
    clock::check(story, &mut findings);
    findings
}
