//! Every single mutation of every good trial: none that touches the invariant may give `pass`.
//!
//! The mutations are derived from the JSON itself, so that a new field is mutated without anybody thinking of it.
//! Each mutant is sealed again (its digest is that of its own bytes) and judged. Then either some rule says something
//! else than for the good trial (caught, by that rule's name), or the place is in the table of `harmless.rs`.

use crate::support::judge_value;
use crate::{builder, harmless, pointers};
use evidence::trial::TrialEvidence;
use evidence::verdict::{TrialVerdict, Verdict};
use oracle::trial::Place;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// A changed trial and how it was changed.
pub(crate) struct Mutant {
    pub(crate) place: String,
    pub(crate) how: String,
    pub(crate) value: Value,
}

/// Every mutant of a trial.
pub(crate) fn mutants(good: &Value) -> Vec<Mutant> {
    let mut found = Vec::new();
    let meaning: TrialEvidence = serde_json::from_value(good.clone()).unwrap();
    for place in pointers::all(good) {
        let mut add = |how: &str, value: Value| {
            // A member that is null and one that is absent mean the same; such a change is none.
            let same = || serde_json::from_value::<TrialEvidence>(value.clone()).is_ok_and(|other| other == meaning);
            if value != *good && (how != "absent" || !same()) {
                found.push(Mutant { place: place.clone(), how: how.to_owned(), value });
            }
        };
        add("absent", pointers::remove(good, &place));
        let old = good.pointer(&place).unwrap();
        for (how, new) in replacements(good, &place, old) {
            add(&how, pointers::set(good, &place, new));
        }
        if let Value::Array(items) = old {
            add("emptied", pointers::set(good, &place, json!([])));
            for index in 0..items.len() {
                add(
                    &format!("element {index} doubled"),
                    pointers::edit(good, &place, |items| {
                        items.insert(index, items[index].clone());
                    }),
                );
                if index + 1 < items.len() {
                    add(
                        &format!("element {index} swapped"),
                        pointers::edit(good, &place, |items| items.swap(index, index + 1)),
                    );
                }
            }
        }
    }
    found.extend(covered(good));
    found
}

fn replacements(good: &Value, place: &str, old: &Value) -> Vec<(String, Value)> {
    let mut found = vec![("null".to_owned(), Value::Null)];
    match old {
        Value::Number(number) => {
            let number = number.as_i64().unwrap_or_default();
            for change in [1, -1, 100, 10_000, -10_000, 86_400_000, -86_400_000, -2 * number, number, -number] {
                found.push((format!("{change:+}"), json!(number + change)));
            }
            found.push(("largest".to_owned(), json!(i64::MAX)));
            found.push(("smallest".to_owned(), json!(i64::MIN)));
            found.push(("u32".to_owned(), json!(u32::MAX)));
        }
        Value::String(text) => {
            found.push(("longer".to_owned(), json!(format!("{text}x"))));
            found.push(("empty".to_owned(), json!("")));
            found.extend(others(good, place).into_iter().map(|other| (format!("{other:?}"), json!(other))));
        }
        Value::Bool(value) => found.push(("flipped".to_owned(), json!(!value))),
        Value::Null => {
            found.push(("text".to_owned(), json!("x")));
            found.push(("number".to_owned(), json!(1)));
        }
        _ => {}
    }
    found
}

/// Other values that the same field has or can have: the lies that look right.
fn others(good: &Value, place: &str) -> BTreeSet<String> {
    let (_, field) = pointers::split(place);
    let same = pointers::all(good).into_iter().filter(|other| pointers::split(other).1 == field);
    let mut values: BTreeSet<String> =
        same.filter_map(|other| good.pointer(&other).and_then(Value::as_str).map(str::to_owned)).collect();
    let known: &[&str] = match field {
        "status" => &["SUCCESS", "FAILED", "REFUSED", "RUNNING", "SUCCEEDED", "TIMED_OUT", "STOPPED"],
        "scenario" => &["CONTROL", "COMMIT_THEN_TIMEOUT"],
        "reason" => &["SUCCEEDED", "FAILED"],
        "value" => &["KNOWN", "UNKNOWN"],
        "from" | "to" => &["RECEIVED", "PROCESSING", "FINISHED"],
        "source" => &["caller", "provider", "controller"],
        "outcome" => &["done", "refused", "unknown"],
        "how" => &["queue", "invoke"],
        "currency" => &["BRL", "USD"],
        "kind" => &[
            "dispatch_started",
            "response_sent",
            "barrier_entered",
            "caller_failed",
            "barrier_released",
            "answered_from_commit",
        ],
        "provider_promise" => &["nothing", "idempotent"],
        "event_type" => &["ExecutionFailed", "StepStarted", "StepFailed", "StepSucceeded", "ExecutionTimedOut"],
        _ => &[],
    };
    values.extend(known.iter().map(|&value| value.to_owned()));
    values.extend(["conventional", "durable"].map(str::to_owned).into_iter().filter(|_| field == "variant"));
    values.remove(good.pointer(place).and_then(Value::as_str).unwrap_or_default());
    values
}

/// Thefts that cover their tracks: an element goes or comes, and the page counts (and numbers) are made to fit.
fn covered(good: &Value) -> Vec<Mutant> {
    let lists = [
        ("/caller_journal", "records"),
        ("/provider_journal", "records"),
        ("/controller_journal", "records"),
        ("/ledger", "transactions"),
    ];
    let mut found = Vec::new();
    for (section, list) in lists {
        let place = format!("{section}/{list}");
        for index in 0..good.pointer(&place).and_then(Value::as_array).map_or(0, Vec::len) {
            let gone = pages_fit(&pointers::remove(good, &format!("{place}/{index}")), section, -1);
            let doubled = pointers::edit(good, &place, |items| items.insert(index, items[index].clone()));
            for (how, value) in [
                ("gone, pages fit", gone.clone()),
                ("gone, pages and numbers fit", renumber(&gone, &place)),
                ("doubled, pages fit", pages_fit(&doubled, section, 1)),
            ] {
                found.push(Mutant { place: format!("{place}/{index}"), how: how.to_owned(), value });
            }
        }
    }
    for (index, execution) in
        good.pointer("/executions/executions").and_then(Value::as_array).into_iter().flatten().enumerate()
    {
        let section = format!("/executions/executions/{index}");
        for event in 0..execution["history"].as_array().map_or(0, Vec::len) {
            let place = format!("{section}/history/{event}");
            let gone = pages_fit(&pointers::remove(good, &place), &section, -1);
            found.push(Mutant { place: place.clone(), how: "gone, pages fit".to_owned(), value: gone.clone() });
            let numbered = pointers::edit(&gone, &format!("{section}/history"), |events| {
                events.iter_mut().zip(1..).for_each(|(event, number)| event["event_id"] = json!(number));
            });
            found.push(Mutant { place, how: "gone, pages and numbers fit".to_owned(), value: numbered });
        }
    }
    found
}

fn pages_fit(value: &Value, section: &str, change: i64) -> Value {
    pointers::edit(value, &format!("{section}/pages"), |pages| {
        let page = pages.iter_mut().find(|page| page["items"].as_i64().unwrap() + change >= 0).unwrap();
        page["items"] = json!(page["items"].as_i64().unwrap() + change);
    })
}

/// Numbers each request's records from 1 again, keys included.
fn renumber(value: &Value, place: &str) -> Value {
    pointers::edit(value, place, |records| {
        let mut next: BTreeMap<String, u32> = BTreeMap::new();
        for record in records.iter_mut().filter(|record| record.get("seq").is_some()) {
            let request = record["request_id"].as_str().unwrap().to_owned();
            let seq = next.entry(request.clone()).or_default();
            *seq += 1;
            if record["record_id"].as_str().unwrap().contains(&request) {
                record["record_id"] = json!(format!("{:013}-{request}-{:04}", record["at_ms"].as_i64().unwrap(), *seq));
            }
            record["seq"] = json!(*seq);
        }
    })
}

/// Names of the rules that say something else than for the good trial.
fn caught(good: &TrialVerdict, mutant: &TrialVerdict) -> Vec<String> {
    let pairs = good.rules.iter().zip(&mutant.rules);
    pairs.filter(|(one, other)| one.verdict != other.verdict).map(|(one, _)| one.rule.clone()).collect()
}

/// What the mutants of one trial came to.
#[derive(Default)]
struct Survey {
    all: usize,
    by_rule: BTreeMap<String, usize>,
    harmless: BTreeSet<&'static str>,
    escaped: BTreeSet<String>,
}

fn survey(evidence: &TrialEvidence) -> Survey {
    let trial = &evidence.trial;
    let place = Place { id: &trial.id, number: trial.number as usize, stage: &trial.stage };
    let good = serde_json::to_value(evidence).unwrap();
    let expected = judge_value(&good, place);
    let mut survey = Survey::default();
    for mutant in mutants(&good) {
        let verdict = judge_value(&mutant.value, place);
        let rules = caught(&expected, &verdict);
        let passes = verdict.verdict == Verdict::Pass;
        let harmless = harmless::place(&mutant, verdict.verdict);
        // A harmless change must not turn a failed trial into a passed one either.
        let lifted = passes && expected.verdict != Verdict::Pass;
        if lifted || (harmless.is_none() && (passes || rules.is_empty())) {
            let line = format!("{}: {:?} {} · {}", trial.id, verdict.verdict, mutant.place, mutant.how);
            survey.escaped.insert(line);
        }
        if rules.is_empty() {
            survey.harmless.extend(harmless);
        }
        for rule in rules {
            *survey.by_rule.entry(rule).or_default() += 1;
        }
        survey.all += 1;
    }
    survey
}

#[test]
fn no_mutant_of_a_good_trial_escapes() {
    let mut trials = builder::canonical();
    trials.extend([builder::probe(), builder::conventional_idempotent(), builder::durable_idempotent()]);
    let surveys: Vec<Survey> = std::thread::scope(|scope| {
        let running: Vec<_> = trials.iter().map(|trial| scope.spawn(|| survey(trial))).collect();
        running.into_iter().map(|one| one.join().unwrap()).collect()
    });
    for (trial, survey) in trials.iter().zip(&surveys) {
        eprintln!("{}: {} mutants, rules changed: {:?}", trial.trial.id, survey.all, survey.by_rule);
        assert!(survey.escaped.is_empty(), "{}", Vec::from_iter(survey.escaped.clone()).join("\n"));
        assert!(survey.all > 1_000, "only {} mutants of {}", survey.all, trial.trial.id);
        for rule in ["M1", "M2", "M3", "N1", "T", "C"] {
            assert!(survey.by_rule.contains_key(rule), "{rule} caught no mutant of {}", trial.trial.id);
        }
    }
    let used: BTreeSet<_> = surveys.into_iter().flat_map(|survey| survey.harmless).collect();
    let unused: Vec<_> = harmless::places().filter(|place| !used.contains(place)).collect();
    assert!(unused.is_empty(), "rows of the table that no mutant needs: {unused:?}");
}
