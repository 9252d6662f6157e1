//! `assay cost RUN` to its end: what billing says is sealed, chained, and what close-out and report say from then on.

use crate::support::{Lab, Programs};
use localcloud::{Bill, Service};
use serde_json::Value;
use std::path::Path;

const RUN_TAG: &str = "assay:run";

fn lab() -> Lab {
    let lab = Lab::open(&Programs::of(Path::new(env!("CARGO_BIN_EXE_assay"))), None);
    let ended = lab.start_run().wait();
    assert_eq!(ended.code, Some(0), "{ended:?}");
    lab
}

fn run(lab: &Lab) -> String {
    lab.run_folder().expect("run").display().to_string()
}

fn id(lab: &Lab) -> String {
    lab.run_folder().expect("run").file_name().expect("id").to_string_lossy().into_owned()
}

/// A bill of the run's first day.
fn bill(lab: &Lab, value: Option<&str>, usd: &str, estimated: bool) -> Bill {
    // The run's id begins with its day.
    let id = id(lab);
    let day = format!("{}-{}-{}", &id[..4], &id[4..6], &id[6..8]);
    let tag = value.map(|value| (RUN_TAG.to_owned(), value.to_owned()));
    Bill { day, tag, service: "AWS Lambda".to_owned(), usd: usd.to_owned(), estimated }
}

/// Asks, and gives exit code and answer.
fn asked(lab: &Lab) -> (Option<i32>, Value) {
    let ended = lab.assay(&["cost", &run(lab), "--yes", "--json"]);
    let line = ended.stdout.lines().find(|line| line.contains("assay.cost/1"));
    let line = line.unwrap_or_else(|| panic!("no answer: {ended:?}"));
    (ended.code, serde_json::from_str(line).expect("JSON"))
}

fn activate(lab: &Lab) {
    let endpoint = lab.cloud().endpoint();
    let args = ["cost", "activate-tags", "--region", "us-east-1", "--endpoint-url", &endpoint, "--yes"];
    let activated = lab.assay(&args);
    assert_eq!(activated.code, Some(0), "{activated:?}");
}

fn amendments(lab: &Lab) -> Vec<String> {
    let sealed = lab.events().into_iter().filter(|e| e["type"] == "sealed");
    let names = sealed.filter_map(|e| e["package"].as_str().map(str::to_owned));
    names.filter(|name| name.starts_with("amendment-")).collect()
}

/// Close-out, HTML and Markdown say the same of the cost; gives what the close-out says.
fn told(lab: &Lab, words: &str) {
    let folder = lab.run_folder().expect("run");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).expect("file");
    let markdown = lab.assay(&["report", &run(lab), "--format", "md"]).stdout;
    for (name, text) in [("close-out.md", read("close-out.md")), ("markdown", markdown)] {
        assert!(text.contains(&format!("Billed cost: {words}")), "{words:?} not in {name}:\n{text}");
    }
    let html = read("report.html");
    assert!(html.contains(&format!("Billed cost: {}", words.replace('`', ""))), "{words:?} not in report.html");
    let verified = lab.assay(&["verify", &run(lab)]);
    assert_eq!(verified.code, Some(0), "{verified:?}");
}

#[test]
fn every_answer_of_billing_is_told_and_each_figure_is_sealed() {
    let lab = lab();
    let run = id(&lab);
    told(&lab, "`unverified`");
    activate(&lab);
    let (code, answer) = asked(&lab);
    assert_eq!((code, answer["standing"].as_str()), (Some(20), Some("not_yet_available")), "{answer}");
    assert!(answer["total_usd"].is_null(), "no figure is not zero: {answer}");
    assert_eq!(amendments(&lab), Vec::<String>::new(), "nothing is no figure to seal");

    lab.cloud().set_bills(vec![bill(&lab, Some(&run), "0.0123", true), bill(&lab, None, "1.5", true)]);
    let (code, answer) = asked(&lab);
    assert_eq!((code, answer["standing"].as_str()), (Some(0), Some("estimated")), "{answer}");
    assert_eq!((&answer["total_usd"], &answer["account_usd"]), (&"0.012300".into(), &"1.512300".into()));
    told(&lab, "USD 0.012300, `estimated` by billing and not final: `packages/amendment-1/cost.json`");

    lab.cloud().set_bills(vec![bill(&lab, Some(&run), "0.02", false), bill(&lab, Some("another"), "3", false)]);
    let (code, answer) = asked(&lab);
    assert_eq!((code, answer["standing"].as_str()), (Some(0), Some("billed")), "{answer}");
    assert_eq!(amendments(&lab), ["amendment-1", "amendment-2"], "what was sealed stays");
    told(&lab, "USD 0.020000, `billed`: `packages/amendment-2/cost.json`");
    let index = lab.run_folder().expect("run").join("packages/amendment-2/index.json");
    let index = std::fs::read_to_string(index).expect("index");
    for before in ["closing", "amendment-1"] {
        let sealed = lab.events().into_iter().find(|e| e["type"] == "sealed" && e["package"] == before);
        let identity = sealed.expect("sealed")["identity"].as_str().expect("an identity").to_owned();
        assert!(index.contains(&identity), "chained to {before}: {index}");
    }
}

#[test]
fn usage_without_the_runs_tag_is_unattributed_and_stays_unverified() {
    let lab = lab();
    lab.cloud().set_bills(vec![bill(&lab, None, "1.5", false)]);
    let (code, answer) = asked(&lab);
    assert_eq!((code, answer["standing"].as_str()), (Some(20), Some("unattributed")), "{answer}");
    assert_eq!((answer["total_usd"].is_null(), &answer["unattributed_usd"]), (true, &"1.500000".into()), "{answer}");
    told(&lab, "`unverified`. Billing has the account's usage, but none of it under the run's tag");
    assert!(answer["next"].as_str().is_some_and(|next| next.contains("assay cost activate-tags")), "{answer}");
}

#[test]
fn asking_twice_is_two_requests_and_the_same_answer() {
    let lab = lab();
    activate(&lab);
    lab.cloud().set_bills(vec![bill(&lab, Some(&id(&lab)), "0.02", false)]);
    let (first, second) = (asked(&lab), asked(&lab));
    assert_eq!(first, second);
    assert_eq!(lab.calls(Service::CostExplorer, "GetCostAndUsage"), 2);
    told(&lab, "USD 0.020000, `billed`: `packages/amendment-2/cost.json`");
}
