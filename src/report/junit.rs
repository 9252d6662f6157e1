//! The report as JUnit XML. A test case is *this trial is as predicted*; indeterminate and not valid are errors, never
//! skips, even where they were predicted: nothing was proven.

use super::dossier::{Dossier, TrialFile, word};
use evidence::verdict::Verdict;
use std::fmt::Write as _;

/// The suite of the run itself.
const CLEANUP: &str = "cleanup";

enum Outcome {
    Passed,
    Failure(String),
    Error(String),
}

struct Case {
    suite: String,
    name: String,
    outcome: Outcome,
    seconds: f64,
}

/// One suite per stage and one for the run's cleanup.
#[must_use]
pub fn junit(dossier: &Dossier) -> String {
    let mut cases: Vec<Case> = dossier.trials.iter().map(|trial| case(dossier, trial)).collect();
    cases.extend(never_ran(dossier));
    cases.extend(cleanup(dossier));
    let mut out =
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"{}\"", xml(&dossier.results.run));
    let _ = writeln!(out, "{}>", totals(&cases));
    for suite in cases.chunk_by(|a, b| a.suite == b.suite) {
        let name = suite.first().map(|c| c.suite.as_str()).unwrap_or_default();
        let _ = writeln!(out, "  <testsuite name=\"{}\"{}>", xml(name), totals(suite));
        if name == CLEANUP {
            out.push_str(&deviations(&dossier.results.deviations));
        }
        suite.iter().for_each(|case| write(&mut out, case));
        out.push_str("  </testsuite>\n");
    }
    out.push_str("</testsuites>\n");
    out
}

/// Departures from the registration are properties of the run's own suite: no test fails by them, and no reader may
/// miss them.
fn deviations(reasons: &[String]) -> String {
    if reasons.is_empty() {
        return String::new();
    }
    let one = |reason: &String| format!("      <property name=\"deviation\" value=\"{}\"/>\n", xml(reason));
    format!("    <properties>\n{}    </properties>\n", reasons.iter().map(one).collect::<String>())
}

fn totals(cases: &[Case]) -> String {
    let of = |wanted: fn(&Outcome) -> bool| cases.iter().filter(|c| wanted(&c.outcome)).count();
    format!(
        " tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"0\" time=\"{:.3}\"",
        cases.len(),
        of(|o| matches!(o, Outcome::Failure(_))),
        of(|o| matches!(o, Outcome::Error(_))),
        cases.iter().map(|c| c.seconds).sum::<f64>()
    )
}

fn write(out: &mut String, case: &Case) {
    let _ = write!(
        out,
        "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\"",
        xml(&case.suite),
        xml(&case.name),
        case.seconds
    );
    let _ = match &case.outcome {
        Outcome::Passed => writeln!(out, "/>"),
        Outcome::Failure(why) => writeln!(out, "><failure message=\"{}\"/></testcase>", xml(why)),
        Outcome::Error(why) => writeln!(out, "><error message=\"{}\"/></testcase>", xml(why)),
    };
}

fn case(dossier: &Dossier, trial: &TrialFile) -> Case {
    let name = match &trial.verdict {
        Some(v) => {
            let scenario = v.scenario.map(|s| word(&s)).unwrap_or_default();
            format!("{} {} {scenario}: {}", trial.id, v.variant, word(&v.verdict))
        }
        None => format!("{}: not judged", trial.id),
    };
    let outcome = match &trial.verdict {
        None => Outcome::Error("no verdict".to_owned()),
        Some(v) if !v.valid => Outcome::Error(format!("not valid: {}", v.invalid_reasons.join("; "))),
        Some(v) if v.verdict == Verdict::Indeterminate => {
            Outcome::Error(format!("indeterminate: {}", v.missing.join("; ")))
        }
        Some(_) if dossier.as_predicted(trial) => Outcome::Passed,
        Some(_) => Outcome::Failure(differences(dossier, &trial.id)),
    };
    let milliseconds = trial.evidence.as_ref().and_then(|e| Some(e.quiescent_at_ms? - e.dispatch.at_ms)).unwrap_or(0);
    let seconds = u32::try_from(milliseconds).map_or(0.0, f64::from) / 1000.0;
    Case { suite: trial.stage.clone(), name, outcome, seconds }
}

fn differences(dossier: &Dossier, id: &str) -> String {
    let excluded = dossier.results.excluded.iter().filter(|e| e.trial == id).map(|e| e.reason.clone());
    let cell = dossier.cell(id).into_iter().flat_map(|c| c.differences.clone());
    cell.chain(excluded).collect::<Vec<_>>().join("; ")
}

/// Planned canonical trials without a file or a verdict.
fn never_ran(dossier: &Dossier) -> impl Iterator<Item = Case> {
    let missing = dossier.results.cells.iter().filter(|c| !dossier.trials.iter().any(|t| t.id == c.id));
    missing.map(|cell| Case {
        suite: "canonical".to_owned(),
        name: format!("{} {} {}: never ran", cell.id, cell.variant, word(&cell.scenario)),
        outcome: Outcome::Error("no evidence and no verdict".to_owned()),
        seconds: 0.0,
    })
}

fn cleanup(dossier: &Dossier) -> [Case; 1] {
    let results = &dossier.results;
    let unproven: Vec<&String> = results.comparison.reasons.iter().filter(|r| r.starts_with("cleanup")).collect();
    let outcome = match unproven.first() {
        None => Outcome::Passed,
        Some(reason) => {
            let summary = |v: &serde_json::Value| v["summary"].as_str().unwrap_or("no report").to_owned();
            let (teardown, audit) = (summary(&results.teardown), summary(&results.audit));
            Outcome::Failure(format!("{reason}; teardown: {teardown}; audit: {audit}"))
        }
    };
    [Case { suite: CLEANUP.to_owned(), name: "teardown and audit".to_owned(), outcome, seconds: 0.0 }]
}

/// Text as an attribute value; characters that XML 1.0 does not have become `?`.
fn xml(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    for c in raw.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\r' | '\t' => out.push(' '),
            c if c < ' ' || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('?'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::xml;

    #[test]
    fn values_cannot_leave_their_attribute() {
        assert_eq!(xml("a\"b<c>&\u{1}\n"), "a&quot;b&lt;c&gt;&amp;? ");
    }
}
