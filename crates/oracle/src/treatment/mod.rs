//! T: was the trial what it was planned to be? A trial without its treatment supports no verdict.

mod chain;
mod clock;
mod configuration;
mod control;
mod order;

use crate::outcome::Outcome;
use crate::story::Story;
use evidence::record::Scenario;
use evidence::verdict::Verdict;

/// What speaks against the treatment.
#[derive(Default)]
pub(crate) struct Objections {
    /// Proven by what is on record: the trial was something else.
    broken: Vec<(String, String)>,
    /// Not on record. In complete evidence that is proof too; in incomplete evidence it is not.
    absent: Vec<(String, String)>,
}

impl Objections {
    fn broken(&mut self, pointer: impl Into<String>, why: impl Into<String>) {
        self.broken.push((pointer.into(), why.into()));
    }

    fn absent(&mut self, pointer: impl Into<String>, why: impl Into<String>) {
        self.absent.push((pointer.into(), why.into()));
    }
}

/// The rule's outcome and, one by one, the reasons why the trial is not valid.
pub(crate) fn check(story: &Story<'_>, complete: bool) -> (Outcome, Vec<String>) {
    let mut objections = Objections::default();
    configuration::check(story, &mut objections);
    clock::check(story, &mut objections);
    order::check(story, &mut objections);
    let (held, places) = match story.evidence.trial.scenario {
        Scenario::Control => control::check(story, &mut objections),
        Scenario::CommitThenTimeout => chain::check(story, &mut objections),
    };
    conclude(objections, complete, held, places)
}

fn conclude(objections: Objections, complete: bool, held: String, places: Vec<String>) -> (Outcome, Vec<String>) {
    let Objections { broken, absent } = objections;
    let verdict = match (broken.is_empty(), absent.is_empty()) {
        (true, true) => return (Outcome::pass(held, places), Vec::new()),
        (true, false) if !complete => Verdict::Indeterminate,
        _ => Verdict::Fail,
    };
    let mark = if verdict == Verdict::Fail { "" } else { "not proven: " };
    let (places, reasons): (Vec<_>, Vec<_>) =
        broken.into_iter().chain(absent).map(|(pointer, why)| (pointer, format!("{mark}{why}"))).unzip();
    (Outcome::new(verdict, reasons.join("; "), places), reasons)
}
